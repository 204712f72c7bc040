//! What of a test means nothing on one machine. Said, not silently ignored.

use nettest_api::NetTestSpec;
use nettest_api::cleanup::Cleanup;
use nettest_api::endpoint::{CpuEnforcement, CpuMode, CpuRequest, Endpoint, Network};
use nettest_api::limits::Limits;
use nettest_api::path::PathKind;
use nettest_api::threshold::{RelativeKind, Threshold};
use nettest_api::topology::{Placement, TopologyKind};

/// One sentence on all fields that have no effect, or none.
pub fn notes(spec: &NetTestSpec) -> Option<String> {
    let NetTestSpec {
        topology,
        path,
        client,
        server,
        traffic: _,
        sweep,
        repeats: _,
        thresholds,
        limits,
        schedule,
        cleanup,
        rerun,
    } = spec;
    let mut fields = Vec::new();
    let mut add = |has_none: bool, field: &str| {
        if has_none {
            fields.push(field.to_owned());
        }
    };
    let asks_for_nodes = client.node_name.is_some() || server.node_name.is_some();
    let placement = topology.pair.as_ref().map(|pair| pair.placement);
    add(
        match placement {
            // Not when it is the default: nobody asked for it.
            Some(Placement::DifferentNode) => asks_for_nodes,
            Some(Placement::DifferentZone) => true,
            Some(Placement::SameNode | Placement::Any) | None => false,
        },
        "topology.pair.placement",
    );
    add(path.kind != PathKind::PodIP, "path.type");
    let sweeps_paths = sweep.as_ref().is_some_and(|sweep| !sweep.paths.is_empty());
    add(sweeps_paths, "sweep.paths");
    for (role, end) in [("client", client), ("server", server)] {
        for field in of_endpoint(end) {
            add(true, &format!("{role}.{field}"));
        }
    }
    let waits = limits.schedule_timeout != Limits::default().schedule_timeout;
    add(waits, "limits.scheduleTimeout");
    add(schedule.is_some(), "schedule");
    add(*cleanup != Cleanup::default(), "cleanup");
    add(rerun.is_some(), "rerun");

    let mut sentences = Vec::new();
    if !fields.is_empty() {
        let where_they_run = match topology.kind {
            TopologyKind::External => "the client runs on this machine",
            TopologyKind::Pair | TopologyKind::Mesh | TopologyKind::Star => {
                "both ends run on this machine, over its loopback address"
            }
        };
        sentences.push(format!(
            "{where_they_run}: no effect here have {}",
            fields.join(", ")
        ));
    }
    let unknown: Vec<&str> = thresholds
        .iter()
        .filter(|threshold| is_relative_to_history(threshold))
        .map(|threshold| threshold.name.as_str())
        .collect();
    if !unknown.is_empty() {
        sentences.push(format!(
            "no earlier runs are kept here to compare with: met whatever is measured are the thresholds {}",
            unknown.join(", ")
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

fn is_relative_to_history(threshold: &Threshold) -> bool {
    let relative = threshold.relative_to.as_ref();
    relative.is_some_and(|relative| relative.kind == RelativeKind::History)
}

fn of_endpoint(end: &Endpoint) -> Vec<&'static str> {
    let Endpoint {
        network,
        node_name,
        node_selector,
        tolerations,
        cpu,
        memory,
    } = end;
    // Those that are required are refused here.
    let preferred = cpu.mode == CpuMode::Exclusive && cpu.enforcement == CpuEnforcement::Preferred;
    let more_cpus = cpu.mode == CpuMode::Shared && cpu.count != CpuRequest::default().count;
    [
        (*network == Network::Host, "network"),
        (node_name.is_some(), "nodeName"),
        (!node_selector.is_empty(), "nodeSelector"),
        (!tolerations.is_empty(), "tolerations"),
        (preferred, "cpu.mode"),
        (more_cpus, "cpu.count"),
        (*memory != Endpoint::default().memory, "memory"),
    ]
    .into_iter()
    .filter_map(|(is_set, field)| is_set.then_some(field))
    .collect()
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
        let text = of(
            "{path: {type: Host}, client: {network: Host, nodeSelector: {a: b}, tolerations: [{key: k}]}, server: {network: Host, nodeName: n1, memory: 1Gi}, schedule: {cron: '@daily'}, cleanup: {pods: Never}, rerun: a, limits: {scheduleTimeout: 9m}}",
        )
        .unwrap();
        assert_eq!(
            text,
            "both ends run on this machine, over its loopback address: no effect here have path.type, client.network, client.nodeSelector, client.tolerations, server.network, server.nodeName, server.memory, limits.scheduleTimeout, schedule, cleanup, rerun"
        );
        for (spec, field) in [
            ("{path: {type: ClusterIP}}", "path.type"),
            ("{sweep: {paths: [Host]}}", "sweep.paths"),
            (
                "{client: {cpu: {mode: Exclusive, enforcement: Preferred}}}",
                "client.cpu.mode",
            ),
            (
                "{topology: {pair: {placement: DifferentZone}}}",
                "topology.pair.placement",
            ),
        ] {
            let text = of(spec).unwrap();
            assert!(text.ends_with(&format!("have {field}")), "{text}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_plain_test() {
        for spec in [
            "{traffic: {duration: 2s}}",
            "{sweep: {protocols: [TCP, UDP]}, repeats: {count: 5}}",
            "{topology: {type: External, external: {host: iperf.example.net}}}",
            "{topology: {pair: {placement: SameNode}}}",
        ] {
            assert_eq!(of(spec), None, "{spec}");
        }
    }

    #[test]
    fn a_server_elsewhere_is_not_here() {
        let text = of("{topology: {type: External, external: {host: iperf.example.net}}, client: {nodeName: n1}}").unwrap();
        assert_eq!(
            text,
            "the client runs on this machine: no effect here have client.nodeName"
        );
    }

    #[test]
    fn a_threshold_without_anything_to_compare_with_is_named() {
        let text = of(
            "{thresholds: [{name: steady, metric: Throughput, relativeTo: {kind: History, percent: 90}}]}",
        )
        .unwrap();
        assert!(text.ends_with("are the thresholds steady"), "{text}");
    }
}
