//! Between whom, and what contradicts it.

use super::*;
use crate::{
    testing::valid,
    valid::{NodeChoice, ValidExternal, ValidTopology},
};
use nettest_api::topology::{MeshSelection, Placement, SecondPass, StarConcurrency};

#[test]
fn each_kind_with_its_defaults() {
    let topology = |spec: &str| valid(&manifest(spec)).topology;
    assert_eq!(
        topology("{}"),
        ValidTopology::Pair {
            placement: Placement::DifferentNode
        }
    );
    for placement in ["SameNode", "DifferentNode", "DifferentZone", "Any"] {
        let spec = format!("{{topology: {{pair: {{placement: {placement}}}}}}}");
        assert!(
            format!("{:?}", topology(&spec)).contains(placement),
            "{placement}"
        );
    }
    let ValidTopology::Mesh(mesh) = topology("{topology: {type: Mesh}}") else {
        panic!("a mesh");
    };
    assert_eq!(
        (mesh.selection, mesh.second_pass),
        (MeshSelection::Full, SecondPass::SuspectsOnly)
    );
    assert_eq!((mesh.pairs_per_node, mesh.max_concurrent), (3, 8));
    assert!(mesh.node_selector.is_empty() && !mesh.include_control_plane);
    let ValidTopology::Star(star) = topology("{topology: {type: Star}}") else {
        panic!("a star");
    };
    assert_eq!(
        (star.concurrency, star.max_clients),
        (StarConcurrency::OneByOne, 50)
    );
}

#[test]
fn a_star_has_a_server_and_clients_that_fit() {
    let test = valid(&manifest(
        "{topology: {type: Star, star: {concurrency: Simultaneous, maxClients: 128}}, server: {nodeName: worker-1}, client: {nodeSelector: {rack: a}}}",
    ));
    assert_eq!(test.server.node, NodeChoice::Named("worker-1".into()));
    assert!(matches!(test.client.node, NodeChoice::Labelled(_)));
}

#[test]
fn servers_outside_are_names_or_addresses() {
    let local = crate::policy::Policy::everything();
    let external = |topology: &str| {
        let test: nettest_api::NetTest = serde_yaml::from_str(&manifest(&format!(
            "{{topology: {{type: External, external: {{{topology}}}}}}}"
        )))
        .unwrap();
        crate::validate::validate(&test.spec, "default", &local).map(|test| test.topology)
    };
    for (written, host, port) in [
        ("host: iperf.example.net", "iperf.example.net", 5201),
        ("host: Lab-7, port: 9000", "lab-7", 9000),
        ("host: 192.0.2.7", "192.0.2.7", 5201),
        ("host: \"2001:DB8::7\"", "2001:db8::7", 5201),
        // An IPv4 address in IPv6 clothes is what it is: the policy judges no other.
        ("host: \"0::ffff:192.0.2.7\"", "192.0.2.7", 5201),
        ("host: 127.0.0.1", "127.0.0.1", 5201),
    ] {
        let host = host.to_owned();
        assert_eq!(
            external(written),
            Ok(ValidTopology::External(ValidExternal { host, port })),
            "{written}"
        );
    }
    for host in [
        "-F /etc/passwd",
        "--version",
        "a b",
        "a\\nb",
        "a;reboot",
        "$(id)",
        "",
        "a..b",
        "iperf.example.net:5201",
        "192.0.2.7:5201",
        "[::1]",
        "fe80::1%eth0",
        "user@host",
        "http://host",
        "a_b",
        // What some resolvers take for an address.
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "\u{ff11}27.0.0.1",
    ] {
        let refusal = external(&format!("host: \"{host}\"")).expect_err(host);
        assert_eq!(refusal.reason(), Reason::InvalidSpec, "{host}");
        assert!(
            refusal.to_string().starts_with("topology.external.host"),
            "{refusal}"
        );
    }
    let long = format!("host: {}.net", "a".repeat(64));
    assert!(external(&long).is_err());
    assert!(external("host: a, port: 0").is_err());
    assert!(external("host: a, port: 65536").is_err());
}

#[test]
fn what_contradicts_a_topology() {
    for (spec, says) in [
        (
            "{topology: {mesh: {}}}",
            "topology.mesh is for topology.type Mesh: remove it, or set the type",
        ),
        (
            "{topology: {type: Mesh, pair: {}}}",
            "topology.pair is for topology.type Pair: remove it, or set the type",
        ),
        (
            "{topology: {type: External}}",
            "topology.external and topology.type External need each other: set both, or neither",
        ),
        (
            "{topology: {external: {host: a}}}",
            "topology.external is for topology.type External",
        ),
        (
            "{topology: {type: Mesh}, traffic: {direction: Reverse}}",
            "traffic.direction Reverse is not for topology.type Mesh, which measures each pair both ways: use Forward",
        ),
        (
            "{topology: {type: Mesh}, client: {nodeName: a}}",
            "topology.type Mesh takes its nodes by topology.mesh.nodeSelector: remove nodeName and nodeSelector",
        ),
        (
            "{topology: {type: Mesh}, server: {nodeSelector: {a: b}}}",
            "topology.type Mesh takes its nodes by topology.mesh.nodeSelector",
        ),
        (
            "{topology: {type: Mesh, mesh: {nodeSelector: {\"a b\": c}}}}",
            "topology.mesh.nodeSelector has \"a b\": \"c\", which is not a label",
        ),
        (
            "{topology: {type: Mesh, mesh: {pairsPerNode: 0}}}",
            "topology.mesh.pairsPerNode is 0: set 1 to 100",
        ),
        (
            "{topology: {type: Mesh, mesh: {maxConcurrentPairs: 501}}}",
            "topology.mesh.maxConcurrentPairs is 501: set 1 to 500",
        ),
        (
            "{topology: {type: Star}, client: {nodeName: a}}",
            "client.nodeName is one node and topology.type Star has many clients: use client.nodeSelector",
        ),
        (
            "{topology: {type: Star, star: {maxClients: 201}}}",
            "topology.star.maxClients is 201: set 1 to 200",
        ),
        (
            "{topology: {type: Star, star: {maxClients: 129, concurrency: Simultaneous}}}",
            "topology.star.maxClients is at most 128 with concurrency Simultaneous",
        ),
        (
            "{topology: {type: External, external: {host: a}}, path: {type: ClusterIP}}",
            "topology.type External has one way to its server: remove path.type and sweep.paths",
        ),
        (
            "{topology: {type: External, external: {host: a}}, sweep: {paths: [PodIP]}}",
            "topology.type External has one way to its server",
        ),
        (
            "{topology: {type: External, external: {host: a}}, server: {cpu: {count: 2}}}",
            "topology.type External has no server pod: remove server",
        ),
        (
            "{topology: {type: External, external: {host: 192.0.2.7}}, path: {ipFamily: IPv6}}",
            "path.ipFamily contradicts topology.external.host, an IPv4 address: remove it",
        ),
        (
            "{topology: {pair: {placement: DifferentZone}}, client: {nodeName: a}, server: {nodeName: a}}",
            "topology.pair.placement DifferentZone contradicts client.nodeName and server.nodeName, which are the same",
        ),
        (
            "{path: {type: ClusterIP}, server: {network: Host}}",
            "server.network Host needs path.type Host",
        ),
        (
            "{client: {tolerations: [{key: \"a b\", operator: Exists}]}}",
            "client.tolerations[0].key \"a b\" is not a taint's key",
        ),
        (
            "{server: {tolerations: [{key: a}, {key: a, operator: Exists, value: b}]}}",
            "server.tolerations[1] with operator Exists has no value",
        ),
        (
            "{server: {tolerations: [{key: a, value: \"-F x\"}]}}",
            "server.tolerations[0].value \"-F x\" is not a taint's value",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec, "{spec}: {message}");
        assert!(message.starts_with(says), "{spec}: {message}");
    }
}
