//! What of a test means nothing on one machine. Said, not silently ignored.

use nettest_api::NetTestSpec;
use nettest_api::endpoint::{Endpoint, Network};
use nettest_api::path::PathKind;
use nettest_api::topology::Placement;

/// One sentence on all fields that have no effect, or none.
pub fn notes(spec: &NetTestSpec) -> Option<String> {
    let mut fields = Vec::new();
    // Not when it is the default: nobody asked for it.
    if let Some(pair) = &spec.topology.pair
        && pair.placement == Placement::DifferentNode
        && (spec.client.node_name.is_some() || spec.server.node_name.is_some())
    {
        fields.push("topology.pair.placement".to_owned());
    }
    if spec.path.kind == PathKind::Host {
        fields.push("path.type".to_owned());
    }
    for (role, end) in [("client", &spec.client), ("server", &spec.server)] {
        fields.extend(of_endpoint(end).map(|field| format!("{role}.{field}")));
    }
    if fields.is_empty() {
        return None;
    }
    Some(format!(
        "both ends run on this machine, over its loopback address: no effect here have {}",
        fields.join(", ")
    ))
}

fn of_endpoint(end: &Endpoint) -> impl Iterator<Item = &'static str> {
    let host = (end.network == Network::Host).then_some("network");
    let node = end.node_name.is_some().then_some("nodeName");
    let selector = (!end.node_selector.is_empty()).then_some("nodeSelector");
    let memory = (end.memory != Endpoint::default().memory).then_some("memory");
    [host, node, selector, memory].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::notes;
    use nettest_api::NetTestSpec;

    fn of(spec: &str) -> Option<String> {
        let spec: NetTestSpec = serde_yaml::from_str(spec).unwrap();
        notes(&spec)
    }

    #[test]
    fn fields_without_effect_are_named() {
        let text = of("{path: {type: Host}, client: {network: Host, nodeSelector: {a: b}}, server: {network: Host, nodeName: n1, memory: 1Gi}}").unwrap();
        for field in [
            "path.type",
            "client.network",
            "client.nodeSelector",
            "server.network",
            "server.nodeName",
            "server.memory",
        ] {
            assert!(text.contains(field), "{field}: {text}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_plain_test() {
        assert_eq!(of("{traffic: {duration: 2s}}"), None);
    }
}
