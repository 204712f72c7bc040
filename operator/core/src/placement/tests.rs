use super::*;
use crate::testing::{HOST_NETWORK, PAIR_TCP, node, valid};

/// The first pair, and the one after it when the first one's client is busy.
fn told(manifest: &str, nodes: &[NodeFacts]) -> [String; 2] {
    let test = valid(manifest);
    let say = |pair: &Option<NodePair>| match pair {
        Some(pair) => format!("{}>{}", pair.client, pair.server),
        None => "none".to_owned(),
    };
    let first = first_pair(&test, nodes);
    let busy = first.iter().map(|pair| pair.client.clone()).collect();
    [say(&first), say(&free_pair(&test, nodes, &busy))]
}

fn placed(placement: &str) -> String {
    PAIR_TCP.replace(
        "spec:",
        &format!("spec:\n  topology: {{type: Pair, pair: {{placement: {placement}}}}}"),
    )
}

#[test]
fn by_placement_and_name() {
    let zoned = |name: &str, zone: &str| {
        let mut node = node(name);
        node.labels
            .insert(node_facts::ZONE.to_owned(), zone.to_owned());
        node
    };
    let nodes = [node("c"), zoned("b", "x"), zoned("a", "x"), zoned("d", "y")];
    for (placement, is) in [
        ("DifferentNode", ["a>b", "b>c"]),
        ("SameNode", ["a>a", "b>b"]),
        ("DifferentZone", ["a>d", "b>d"]),
        ("Any", ["a>b", "b>c"]),
    ] {
        assert_eq!(told(&placed(placement), &nodes), is, "{placement}");
    }
    assert_eq!(told(&placed("Any"), &nodes[..2]), ["b>c", "c>c"]);
    // One node: never loopback unless asked for.
    assert_eq!(told(&placed("Any"), &nodes[..1])[0], "c>c");
    assert_eq!(told(&placed("DifferentNode"), &nodes[..1])[0], "none");
    let zones = valid(&placed("DifferentZone"));
    assert_eq!(first_pair(&zones, &nodes[..3]), None);
    assert_eq!(
        why_none(&zones, &nodes[..3]),
        "topology.pair.placement is DifferentZone and no two fitting nodes have different topology.kubernetes.io/zone labels"
    );
}

#[test]
fn by_name_label_and_openness() {
    // client: rack a; server: worker-2
    let mut nodes = [node("worker-1"), node("worker-2"), node("worker-3")];
    assert_eq!(
        told(HOST_NETWORK, &nodes),
        ["worker-1>worker-2", "worker-3>worker-2"]
    );
    nodes[0].labels.clear();
    assert_eq!(told(HOST_NETWORK, &nodes)[0], "worker-3>worker-2");
    nodes[2].closed = Some("is not ready".to_owned());
    assert_eq!(told(HOST_NETWORK, &nodes)[0], "none");
    assert_eq!(
        why_none(&valid(HOST_NETWORK), &nodes),
        "topology.pair.placement is DifferentNode and only worker-2 fits: add a node or use SameNode or Any (worker-1 does not match nodeName or nodeSelector, worker-3 is not ready)"
    );
    assert_eq!(
        why_none(&valid(HOST_NETWORK), &nodes[..1]),
        "no node fits client or server (there is no node worker-2, worker-1 does not match nodeName or nodeSelector)"
    );
}

#[test]
fn a_large_cluster_is_not_listed_whole() {
    let nodes: Vec<NodeFacts> = (0..500)
        .map(|index| NodeFacts {
            closed: Some("is cordoned".to_owned()),
            ..node(&format!("n{index:03}"))
        })
        .collect();
    let why = why_none(&valid(PAIR_TCP), &nodes);
    assert!(
        why.contains("n009 is cordoned") && !why.contains("n010"),
        "{why}"
    );
    assert!(why.ends_with("and 490 more)"), "{why}");
}
