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
    facts.closed
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
