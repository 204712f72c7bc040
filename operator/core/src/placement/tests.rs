use super::*;
use crate::testing::{HOST_NETWORK, PAIR_TCP, node, valid};

fn named(pairs: Vec<NodePair>) -> Vec<String> {
    pairs
        .iter()
        .map(|pair| format!("{}>{}", pair.client, pair.server))
        .collect()
}

fn placed(placement: &str) -> String {
    PAIR_TCP.replace(
        "spec:",
        &format!("spec:\n  topology: {{type: Pair, pair: {{placement: {placement}}}}}"),
    )
}

#[test]
fn by_placement_and_name() {
    let nodes = [node("b"), node("a")];
    for (placement, is) in [
        ("DifferentNode", vec!["a>b", "b>a"]),
        ("SameNode", vec!["a>a", "b>b"]),
        ("Any", vec!["a>b", "b>a", "a>a", "b>b"]),
    ] {
        assert_eq!(
            named(pairs(&valid(&placed(placement)), &nodes)),
            is,
            "{placement}"
        );
    }
    // One node: never loopback unless asked for.
    assert_eq!(named(pairs(&valid(&placed("Any")), &nodes[..1])), ["b>b"]);
    assert!(pairs(&valid(&placed("DifferentNode")), &nodes[..1]).is_empty());
}

#[test]
fn by_name_label_and_openness() {
    // client: rack a; server: worker-2
    let mut nodes = [node("worker-1"), node("worker-2"), node("worker-3")];
    assert_eq!(
        named(pairs(&valid(HOST_NETWORK), &nodes)),
        ["worker-1>worker-2", "worker-3>worker-2"]
    );
    nodes[0].labels.clear();
    assert_eq!(
        named(pairs(&valid(HOST_NETWORK), &nodes)),
        ["worker-3>worker-2"]
    );
    nodes[2].closed = Some("is not ready".to_owned());
    assert!(pairs(&valid(HOST_NETWORK), &nodes).is_empty());
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
