use super::*;

/// A node as `kubectl get node -o yaml` shows it.
fn closed(spec: &str, labels: &str, ready: &str) -> Option<String> {
    let node: Node = serde_yaml::from_str(&format!(
        "
metadata: {{name: worker-1, labels: {labels}}}
spec: {spec}
status:
  conditions:
    - {{type: MemoryPressure, status: \"False\"}}
    - {{type: Ready, status: \"{ready}\", reason: KubeletReady}}
"
    ))
    .expect("a node");
    let facts = NodeFacts::from_node(&node).expect("a name");
    assert_eq!(facts.name.as_str(), "worker-1");
    assert_eq!(facts.ready, ready == "True");
    facts.closed_to(&[], false)
}

#[test]
fn which_nodes_are_open_and_why_others_are_not() {
    for (spec, labels, ready, why) in [
        ("{}", "{rack: a}", "True", None),
        (
            "{taints: [{key: x, effect: PreferNoSchedule}]}",
            "{}",
            "True",
            None,
        ),
        ("{}", "{}", "False", Some("is not ready")),
        ("{}", "{}", "Unknown", Some("is not ready")),
        ("{unschedulable: true}", "{}", "True", Some("is cordoned")),
        (
            "{taints: [{key: gpu, value: only, effect: NoSchedule}]}",
            "{}",
            "True",
            Some("has the taint gpu=only:NoSchedule"),
        ),
        (
            "{taints: [{key: x, effect: NoExecute}]}",
            "{}",
            "True",
            Some("has the taint x=:NoExecute"),
        ),
        (
            "{}",
            "{node-role.kubernetes.io/control-plane: \"\"}",
            "True",
            Some("is a control-plane node"),
        ),
    ] {
        assert_eq!(
            closed(spec, labels, ready).as_deref(),
            why,
            "{spec} {labels} {ready}"
        );
    }
}

#[test]
fn tolerations_and_the_wish_for_the_control_plane_open_nodes() {
    let node: Node = serde_yaml::from_str(
        "
metadata: {name: cp, labels: {node-role.kubernetes.io/control-plane: \"\"}}
spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}, {key: gpu, value: a, effect: NoExecute}]}
status: {conditions: [{type: Ready, status: \"True\"}]}
",
    )
    .expect("a node");
    let facts = NodeFacts::from_node(&node).expect("a name");
    let toleration = |yaml: &str| serde_yaml::from_str::<Toleration>(yaml).expect("a toleration");
    let gpu = toleration("{key: gpu, value: a}");
    let closed = |tolerations: &[Toleration], control_plane| {
        facts
            .closed_to(tolerations, control_plane)
            .unwrap_or_default()
    };
    assert_eq!(
        closed(std::slice::from_ref(&gpu), false),
        "is a control-plane node"
    );
    assert_eq!(closed(&[], true), "has the taint gpu=a:NoExecute");
    assert_eq!(closed(&[gpu], true), "");
    for (other, open) in [
        ("{key: gpu, operator: Exists}", true),
        ("{key: gpu, operator: Exists, effect: NoExecute}", true),
        ("{key: gpu, operator: Exists, effect: NoSchedule}", false),
        ("{key: gpu, value: b}", false),
    ] {
        assert_eq!(
            closed(&[toleration(other)], true).is_empty(),
            open,
            "{other}"
        );
    }
}
