//! What the operator's administrator has a say in: NotPermitted, with what to ask for.

use super::*;
use crate::policy::{Policy, PolicyText};

fn under(text: PolicyText, spec: &str) -> Result<crate::valid::ValidTest, (Reason, String)> {
    let test: nettest_api::NetTest = serde_yaml::from_str(&manifest(spec)).unwrap();
    crate::validate::validate(&test.spec, "default", &Policy::parse(&text).unwrap())
        .map_err(|refusal| (refusal.reason(), refusal.to_string()))
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn refused(text: PolicyText, spec: &str, says: &str) {
    let (reason, message) = under(text, spec).expect_err(spec);
    assert_eq!(reason, Reason::NotPermitted, "{spec}: {message}");
    assert!(message.starts_with(says), "{spec}: {message}");
    assert!(
        message.contains("administrator") || message.contains("no test may dial it"),
        "{message}"
    );
}

#[test]
fn host_networks_of_a_sweep_too() {
    refused(
        PolicyText::default(),
        "{sweep: {paths: [PodIP, Host]}}",
        "sweep.paths Host is not permitted in namespace default: ask the operator's administrator to add it to policy.hostNetworkNamespaces, or remove it",
    );
    refused(
        PolicyText::default(),
        "{topology: {type: Mesh}, client: {network: Host}}",
        "client.network Host is not permitted in namespace default",
    );
    let lab = PolicyText {
        host_network_namespaces: list(&["default"]),
        ..PolicyText::default()
    };
    assert!(under(lab, "{sweep: {paths: [PodIP, Host]}}").is_ok());
}

#[test]
fn servers_outside_by_their_address() {
    let outside =
        |host: &str| format!("{{topology: {{type: External, external: {{host: \"{host}\"}}}}}}");
    let lab = || PolicyText {
        external_targets: list(&["192.0.2.0/24", "0.0.0.0/0"]),
        cluster_cidrs: list(&["10.0.0.0/8"]),
        ..PolicyText::default()
    };
    assert!(under(lab(), &outside("192.0.2.7")).is_ok());
    // Its address is judged when it is known.
    assert!(under(lab(), &outside("iperf.example.net")).is_ok());
    for (host, says) in [
        (
            "127.0.0.1",
            "topology.external.host 127.0.0.1 is a loopback address: no test may dial it",
        ),
        (
            "169.254.169.254",
            "topology.external.host 169.254.169.254 is a link-local address",
        ),
        (
            "::ffff:169.254.169.254",
            "topology.external.host 169.254.169.254 is a link-local",
        ),
        (
            "10.96.0.1",
            "topology.external.host 10.96.0.1 is in the cluster's own range 10.0.0.0/8",
        ),
        (
            "2001:db8::1",
            "topology.external.host 2001:db8::1 is not in policy.externalTargets: ask",
        ),
    ] {
        let spec = outside(host);
        let (reason, message) = under(lab(), &spec).expect_err(host);
        assert_eq!(reason, Reason::NotPermitted, "{message}");
        assert!(message.starts_with(says), "{message}");
    }
    refused(
        PolicyText::default(),
        &outside("iperf.example.net"),
        "topology.external.host iperf.example.net is outside of the cluster, and no address there is permitted",
    );
}

#[test]
fn nodes_and_taints() {
    let racks = || PolicyText {
        node_selector_keys: list(&["rack"]),
        tolerations: list(&["dedicated"]),
        ..PolicyText::default()
    };
    for allowed in [
        "{client: {nodeSelector: {rack: a}, tolerations: [{key: dedicated, value: net}]}}",
        "{topology: {type: Mesh, mesh: {nodeSelector: {rack: a}}}}",
    ] {
        assert!(under(racks(), allowed).is_ok(), "{allowed}");
    }
    for (spec, says) in [
        (
            "{client: {nodeName: worker-1}}",
            "client.nodeName by the label kubernetes.io/hostname is not permitted: ask the operator's administrator to add it to policy.nodeSelectorKeys",
        ),
        (
            "{server: {nodeSelector: {rack: a, team: b}}}",
            "server.nodeSelector by the label team is not permitted",
        ),
        (
            "{topology: {type: Mesh, mesh: {nodeSelector: {team: b}}}}",
            "topology.mesh.nodeSelector by the label team is not permitted",
        ),
        (
            "{server: {tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]}}",
            "server.tolerations of the taint node-role.kubernetes.io/control-plane is not permitted: ask the operator's administrator to add the key to policy.tolerations",
        ),
    ] {
        refused(racks(), spec, says);
    }
    // Without a policy: any label, no taint.
    assert!(under(PolicyText::default(), "{client: {nodeName: worker-1}}").is_ok());
    refused(
        PolicyText::default(),
        "{client: {tolerations: [{key: dedicated}]}}",
        "client.tolerations of the taint dedicated is not permitted",
    );
}

#[test]
fn control_plane_nodes() {
    for (spec, says) in [
        (
            "{topology: {type: Mesh, mesh: {includeControlPlane: true}}}",
            "topology.mesh.includeControlPlane is not permitted: ask the operator's administrator to set policy.controlPlane",
        ),
        (
            "{topology: {type: Star, star: {includeControlPlane: true}}}",
            "topology.star.includeControlPlane is not permitted",
        ),
    ] {
        refused(PolicyText::default(), spec, says);
        let open = PolicyText {
            control_plane: true,
            ..PolicyText::default()
        };
        assert!(under(open, spec).is_ok(), "{spec}");
    }
}

#[test]
fn ceilings() {
    let pairs = || PolicyText {
        max_pairs: Some(4),
        ..PolicyText::default()
    };
    refused(
        pairs(),
        "{topology: {type: Mesh}}",
        "topology.mesh.maxConcurrentPairs is 8, and policy.maxPairs permits 4 at a time: set 4 or less, or ask",
    );
    refused(
        pairs(),
        "{topology: {type: Star, star: {concurrency: Simultaneous, maxClients: 5}}}",
        "topology.star.maxClients is 5, and policy.maxPairs permits 4 at a time",
    );
    for fits in [
        "{topology: {type: Mesh, mesh: {maxConcurrentPairs: 4}}}",
        // One at a time.
        "{topology: {type: Star, star: {maxClients: 50}}}",
    ] {
        assert!(under(pairs(), fits).is_ok(), "{fits}");
    }

    let rate = || PolicyText {
        max_bitrate: Some("1G".to_owned()),
        ..PolicyText::default()
    };
    for (spec, says) in [
        (
            "{}",
            "traffic.bitrate is unlimited, and policy.maxBitrate permits 1.00 Gbit/s: set limits.maxBitrate to that or less, or ask",
        ),
        (
            "{traffic: {bitrate: 0}}",
            "traffic.bitrate is unlimited, and policy.maxBitrate",
        ),
        (
            "{traffic: {bitrate: 300M, parallelStreams: 4}}",
            "traffic.bitrate of all streams together is 1.20 Gbit/s, and policy.maxBitrate permits 1.00 Gbit/s: ask for less, or ask",
        ),
        (
            "{limits: {maxBitrate: 2G}}",
            "traffic.bitrate of all streams together is 2.00 Gbit/s",
        ),
    ] {
        refused(rate(), spec, says);
    }
    for fits in [
        "{limits: {maxBitrate: 1G}}",
        "{traffic: {protocol: UDP}}",
        "{traffic: {bitrate: 250M, parallelStreams: 4}}",
    ] {
        assert!(under(rate(), fits).is_ok(), "{fits}");
    }

    let time = || PolicyText {
        max_duration: Some("1m".to_owned()),
        ..PolicyText::default()
    };
    for (spec, says) in [
        (
            "{traffic: {duration: 30s}}",
            "traffic.duration with all variants and repeats is 1m32s, and policy.maxDuration permits 1m: ask for less, or ask",
        ),
        (
            "{sweep: {parallelStreams: [1, 2]}}",
            "traffic.duration with all variants and repeats is 1m5s, and policy.maxDuration permits 1m",
        ),
        (
            "{repeats: {maxSpreadPercent: 5, maxCount: 6}}",
            "traffic.duration with all variants and repeats is 1m5s",
        ),
        (
            "{traffic: {bytes: 1G}, limits: {runTimeout: 2m}}",
            "limits.runTimeout is 2m, and policy.maxDuration permits 1m",
        ),
    ] {
        refused(time(), spec, says);
    }
    assert!(under(time(), "{}").is_ok());
    // Of bytes nobody knows the time: the ceiling ends them.
    let bytes = under(time(), "{traffic: {bytes: 1T}}").unwrap();
    assert_eq!(bytes.limits.run_timeout.as_secs(), 60);
}
