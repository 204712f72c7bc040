use super::*;

const HEAD: &str = "
metadata:
  name: p
  namespace: default
  uid: u
  labels:
    app.kubernetes.io/managed-by: nettest-operator
    nettest.dev/run-uid: r
    nettest.dev/role: client
    nettest.dev/attempt: \"2\"
    nettest.dev/client-node: worker-1
    nettest.dev/server-node: worker-2
";

/// A pod of ours with this status, as `kubectl get pod -o yaml` shows it.
fn facts(status: &str) -> PodFacts {
    let pod: Pod = serde_yaml::from_str(&format!("{HEAD}\nstatus:{status}")).expect("a pod");
    PodFacts::from_pod(&pod).expect("one of ours")
}

fn ended(status: &str) -> Ended {
    match facts(status).state {
        PodState::Ended(ended) => ended,
        other => panic!("{other:?}"),
    }
}

#[test]
fn on_its_way() {
    assert_eq!(facts(" {}").state, PodState::Pending);
    assert_eq!(facts(" {phase: Pending}").state, PodState::Pending);
    let scheduler = "
  phase: Pending
  conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: 0/2 nodes are available}]";
    assert_eq!(
        facts(scheduler).state,
        PodState::Unscheduled {
            message: "0/2 nodes are available".to_owned()
        }
    );
    let pulling = "
  phase: Pending
  conditions: [{type: PodScheduled, status: \"True\"}]
  containerStatuses:
    - {name: engine, ready: false, restartCount: 0, image: x, imageID: \"\", state: {waiting: {reason: ErrImagePull, message: not found}}}";
    assert_eq!(
        facts(pulling).state,
        PodState::Starting {
            reason: "ErrImagePull".to_owned(),
            message: "not found".to_owned()
        }
    );
}

#[test]
fn running_with_its_addresses() {
    for (started, is) in [("true", true), ("false", false)] {
        let facts = facts(&format!("
  phase: Running
  podIP: fd00::7
  hostIP: 192.0.2.2
  containerStatuses:
    - {{name: sidecar, ready: true, started: true, restartCount: 0, image: x, imageID: \"\", state: {{terminated: {{exitCode: 0}}}}}}
    - {{name: engine, ready: true, started: {started}, restartCount: 0, image: x, imageID: \"\", state: {{running: {{startedAt: \"2026-11-30T16:00:00Z\"}}}}}}"));
        assert_eq!(
            facts.state,
            PodState::Running {
                started: is,
                since: Some("2026-11-30T16:00:00Z".parse().unwrap())
            }
        );
        assert_eq!(facts.address(None), Some("fd00::7".parse().unwrap()));
        assert_eq!(facts.host_address(None), Some([192, 0, 2, 2].into()));
        assert!(facts.live());
    }
}

#[test]
fn ended_in_all_the_ways() {
    // The container's end is enough; the pod's phase follows later.
    let words = ended("
  phase: Running
  containerStatuses:
    - {name: engine, ready: false, restartCount: 0, image: x, imageID: \"\", state: {terminated: {exitCode: 0, reason: Completed, message: words}}}");
    assert_eq!(
        (words.exit_code, words.message.as_str(), words.disrupted),
        (Some(0), "words", false)
    );
    let memory = ended("
  phase: Failed
  containerStatuses:
    - {name: engine, ready: false, restartCount: 0, image: x, imageID: \"\", state: {terminated: {exitCode: 137, reason: OOMKilled}}}");
    assert!(memory.out_of_memory && !memory.disrupted);
    let unknown = ended("
  phase: Failed
  containerStatuses:
    - {name: engine, ready: false, restartCount: 0, image: x, imageID: \"\", state: {terminated: {exitCode: 137, reason: ContainerStatusUnknown}}}");
    assert!(unknown.disrupted && !unknown.out_of_memory);
    let refused =
        ended(" {phase: Failed, reason: UnexpectedAdmissionError, message: not enough cpus}");
    assert_eq!(
        (
            refused.exit_code,
            refused.pod_reason.as_str(),
            refused.pod_message.as_str()
        ),
        (None, "UnexpectedAdmissionError", "not enough cpus")
    );
    assert!(!refused.disrupted);
    assert!(ended(" {phase: Failed, reason: Evicted}").disrupted);
    assert!(
        ended(
            "
  phase: Failed
  conditions: [{type: DisruptionTarget, status: \"True\", reason: EvictionByEvictionAPI}]"
        )
        .disrupted
    );
}

#[test]
fn strangers_are_not_ours() {
    for without in [
        "managed-by: nettest-operator",
        "nettest.dev/run-uid: r",
        "nettest.dev/role: client",
        "nettest.dev/client-node: worker-1",
    ] {
        let pod: Pod = serde_yaml::from_str(&HEAD.replace(without, "x: y")).expect("a pod");
        assert_eq!(PodFacts::from_pod(&pod), None, "{without}");
    }
    let pod: Pod =
        serde_yaml::from_str(&HEAD.replace("role: client", "role: boss")).expect("a pod");
    assert_eq!(PodFacts::from_pod(&pod), None);
}
