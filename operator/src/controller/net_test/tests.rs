//! Whole passes, by the requests they make.

mod cleanup;
mod schedule;

use super::{reconcile, reconcile_at};
use crate::{
    controller::{context::Context, error::PassError},
    metrics::Metrics,
    scenario::{Asked, Expect, play},
};
use kube::runtime::controller::Action;
use nettest_api::NetTest;
use serde_json::json;
use std::{sync::Arc, time::Duration};

const TEST: &str = r"
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: rack, namespace: default, uid: test-uid, generation: 2}
spec: {}
";
const READ: &str = "/namespaces/default/nettests/rack";
const STATUS: &str = "/namespaces/default/nettests/rack/status";
const RUNS: &str = "/namespaces/default/nettestruns";

fn run(generation: i64, status: &str) -> String {
    format!(
        "{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {{name: rack-{generation}, namespace: default, uid: run-{generation}, \
         creationTimestamp: '2026-11-30T16:0{generation}:00Z', ownerReferences: [{{apiVersion: nettest.dev/v1alpha1, kind: NetTest, name: rack, uid: test-uid, controller: true}}]}}, \
         spec: {{testName: rack, testGeneration: {generation}, test: {{}}}}, status: {status}}}"
    )
}

const PASSED: &str = r"{verdict: Passed, finishTime: '2026-11-30T16:05:00Z', pair: {client: {node: node1}, server: {node: node2}}, conditions: [{type: Succeeded, status: 'True', reason: Passed, message: m, lastTransitionTime: '2026-11-30T16:05:00Z'}], results: [{variant: tcp, flow: ClientToServer, throughput: 8 Mbit/s, throughputBitsPerSecond: {median: 8000000, min: 8000000, max: 8000000, spreadPercent: 0}, senderBitsPerSecond: 8000000, receiverBitsPerSecond: 8000000, sentBytes: 1, receivedBytes: 1, repeats: 1}]}";

async fn pass(script: Vec<Expect>) -> (Result<Action, PassError>, Asked, Arc<Metrics>) {
    let ((mut outcomes, metrics), asked) = passes(1, script).await;
    (outcomes.remove(0), asked, metrics)
}

/// A pass at a moment over a test as it is stored.
async fn pass_at(now: &str, script: Vec<Expect>) -> (Action, Asked) {
    let now = now.parse().unwrap();
    let (outcome, asked) = play(script, |context: Arc<Context>| async move {
        let test: NetTest = serde_yaml::from_str(TEST).unwrap();
        reconcile_at(Arc::new(test), context, now).await
    })
    .await;
    (outcome.unwrap(), asked)
}

type Outcomes = Vec<Result<Action, PassError>>;

/// Some passes in a row, by one operator.
async fn passes(count: usize, script: Vec<Expect>) -> ((Outcomes, Arc<Metrics>), Asked) {
    play(script, |context: Arc<Context>| async move {
        let mut outcomes = Vec::new();
        for _ in 0..count {
            let test: NetTest = serde_yaml::from_str(TEST).unwrap();
            outcomes.push(reconcile(Arc::new(test), context.clone()).await);
        }
        (outcomes, context.metrics.clone())
    })
    .await
}

#[tokio::test]
async fn a_new_generation_gets_a_run_with_a_copy_of_the_spec() {
    let (outcome, asked, _) = pass(vec![
        Expect::get(READ, TEST),
        Expect::list(RUNS, &[]),
        Expect::post(RUNS),
        Expect::patch(STATUS, TEST),
    ])
    .await;
    // The run's watch tells sooner; should it miss something, half a minute is the longest.
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::from_secs(30)));
    let run = asked.body("POST");
    assert_eq!(run["metadata"]["name"], "rack-2");
    assert_eq!(run["metadata"]["ownerReferences"][0]["uid"], "test-uid");
    assert_eq!(
        run["metadata"]["ownerReferences"][0]["blockOwnerDeletion"],
        false
    );
    assert!(run["metadata"].get("finalizers").is_none());
    assert_eq!(run["spec"]["testGeneration"], 2);
    assert_eq!(run["spec"]["test"]["traffic"]["protocol"], "TCP");
    assert_eq!(asked.events, ["RunCreated"]);
}

#[tokio::test]
async fn the_result_of_the_run_becomes_the_tests_and_its_metrics() {
    let (outcome, asked, metrics) = pass(vec![
        Expect::get(READ, TEST),
        Expect::list(RUNS, &[&run(2, PASSED)]),
        Expect::patch(STATUS, TEST),
    ])
    .await;
    outcome.unwrap();
    let status = &asked.body("PATCH")["status"];
    assert_eq!(
        (&status["verdict"], &status["latestRun"]),
        (&json!("Passed"), &json!("rack-2"))
    );
    assert_eq!(asked.events, ["Passed"]);
    let text = metrics.render().unwrap();
    assert!(
        text.contains(r#"nettest_throughput_bytes_per_second{client_node="node1",client_zone="",direction="ClientToServer",nettest="rack",nettest_namespace="default",path="PodIP",protocol="TCP",server_node="node2",server_zone="",stat="median",variant="tcp"} 1000000"#),
        "{text}"
    );
    assert!(
        !text.contains("nettest_retransmits{"),
        "unknown is absent\n{text}"
    );
}

/// The pairs of a mesh come from its ConfigMaps, which are read once a run: at once after a restart, too.
#[tokio::test]
async fn the_pairs_of_a_finished_run_are_read_once() {
    let status = PASSED
        .replace("pair: {client: {node: node1}, server: {node: node2}}", "ledger: {prefix: rack-2-pairs, shards: 1}, progress: {pairs: 1, running: 0, measured: 1, failed: 0}")
        .replace("results: [", "suspects: [{node: node2, confirmed: true, badPairs: 1, goodPairs: 0, message: m}], results: [");
    let record = r#"{"0": {"client": "node1", "server": "node2", "clientZone": "east", "lane": {"client": "Pod", "server": "Pod"}, "state": "Measured", "attempt": 1, "results": [{"variant": "tcp", "flow": "ClientToServer", "throughput": "8 Mbit/s", "throughputBitsPerSecond": {"median": 8000000, "min": 8000000, "max": 8000000, "spreadPercent": 0}, "senderBitsPerSecond": 8000000, "receiverBitsPerSecond": 8000000, "sentBytes": 1, "receivedBytes": 1, "repeats": 1}]}}"#;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, record.as_bytes()).unwrap();
    let map = json!({
        "metadata": {"name": "rack-2-pairs-0", "resourceVersion": "1", "ownerReferences": [{"apiVersion": "nettest.dev/v1alpha1", "kind": "NetTestRun", "name": "rack-2", "uid": "run-2", "controller": true}]},
        "binaryData": {"pairs.json.gz": k8s_openapi::ByteString(gzip.finish().unwrap())},
    });
    let ((outcomes, metrics), _) = passes(
        2,
        vec![
            Expect::get(READ, TEST),
            Expect::list(RUNS, &[&run(2, &status)]),
            Expect::get(
                "/namespaces/default/configmaps/rack-2-pairs-0",
                &map.to_string(),
            ),
            Expect::patch(STATUS, TEST),
            Expect::get(READ, TEST),
            Expect::list(RUNS, &[&run(2, &status)]),
            Expect::patch(STATUS, TEST),
        ],
    )
    .await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let text = metrics.render().unwrap();
    for line in [
        r#"nettest_throughput_bytes_per_second{client_node="node1",client_zone="east",direction="ClientToServer",nettest="rack",nettest_namespace="default",path="PodIP",protocol="TCP",server_node="node2",server_zone="",stat="median",variant="tcp"} 1000000"#,
        r#"nettest_pairs{nettest="rack",nettest_namespace="default",state="measured"} 1"#,
        r#"nettest_suspect{confirmed="true",nettest="rack",nettest_namespace="default",node="node2"} 1"#,
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
}

/// Metrics are no reason to keep a test from its runs.
#[tokio::test]
async fn pairs_that_cannot_be_read_keep_a_test_from_nothing() {
    let status = PASSED.replace(
        "pair: {client: {node: node1}, server: {node: node2}}",
        "ledger: {prefix: rack-2-pairs, shards: 1}, progress: {pairs: 1, running: 0, measured: 1, failed: 0}",
    );
    let map = "/namespaces/default/configmaps/rack-2-pairs-0";
    let ((outcomes, metrics), _) = passes(
        2,
        vec![
            Expect::get(READ, TEST),
            Expect::list(RUNS, &[&run(2, &status)]),
            Expect::refusal("GET", map, 403, "Forbidden", "no"),
            Expect::patch(STATUS, TEST),
            // Asked again.
            Expect::get(READ, TEST),
            Expect::list(RUNS, &[&run(2, &status)]),
            Expect::refusal("GET", map, 403, "Forbidden", "no"),
            Expect::patch(STATUS, TEST),
        ],
    )
    .await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let text = metrics.render().unwrap();
    assert!(
        text.contains(r#"nettest_success{nettest="rack",nettest_namespace="default"} 1"#),
        "{text}"
    );
    assert!(
        !text.contains("nettest_throughput_bytes_per_second{"),
        "{text}"
    );
}

#[tokio::test]
async fn a_run_of_an_older_spec_is_stopped_before_the_new_one_starts() {
    let (outcome, asked, _) = pass(vec![
        Expect::get(READ, TEST),
        Expect::list(RUNS, &[&run(1, "{}")]),
        Expect::delete("/nettestruns/rack-1"),
        Expect::patch(STATUS, TEST),
    ])
    .await;
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));
    assert_eq!(
        asked.body("DELETE")["preconditions"],
        json!({"uid": "run-1"})
    );
}

#[tokio::test]
async fn a_measured_test_whose_run_was_deleted_is_not_measured_again() {
    let settled = format!(
        "{TEST}status: {{verdict: Failed, conditions: [{{type: Succeeded, status: 'False', reason: ThresholdNotMet, message: m, observedGeneration: 2, lastTransitionTime: '2026-11-30T16:05:00Z'}}]}}\n"
    );
    let (outcome, asked, metrics) =
        pass(vec![Expect::get(READ, &settled), Expect::list(RUNS, &[])]).await;
    outcome.unwrap();
    assert_eq!(asked.events, [""; 0]);
    let text = metrics.render().unwrap();
    assert!(
        text.contains(r#"nettest_success{nettest="rack",nettest_namespace="default"} 0"#),
        "{text}"
    );
}

#[tokio::test]
async fn the_run_of_an_earlier_test_of_this_name_is_waited_for() {
    let foreign = run(2, PASSED).replace("test-uid", "earlier");
    let (outcome, asked, metrics) = pass(vec![
        Expect::get(READ, TEST),
        Expect::list(RUNS, &[&foreign]),
        Expect::refusal("POST", RUNS, 409, "AlreadyExists", "exists"),
        Expect::get("/nettestruns/rack-2", &foreign),
    ])
    .await;
    assert_eq!(outcome.unwrap_err().reason(), "NameTaken");
    assert_eq!(asked.lines.len(), 4);
    assert_eq!(asked.events, ["RunNotCreated"]);
    assert!(!metrics.render().unwrap().contains("nettest=\"rack\""));
}

#[tokio::test]
async fn a_run_that_lost_its_label_is_found_by_its_name_and_not_announced_again() {
    let (outcome, asked, _) = pass(vec![
        Expect::get(READ, TEST),
        Expect::list(RUNS, &[]),
        Expect::refusal("POST", RUNS, 409, "AlreadyExists", "exists"),
        Expect::get("/nettestruns/rack-2", &run(2, PASSED)),
        Expect::patch(STATUS, TEST),
    ])
    .await;
    outcome.unwrap();
    assert_eq!(asked.body("PATCH")["status"]["verdict"], "Passed");
    assert_eq!(asked.events, ["Passed"]);
}

#[tokio::test]
async fn a_new_test_does_not_show_the_figures_of_an_earlier_one_of_its_name() {
    let new = TEST.replace("test-uid", "another-uid");
    let ((outcomes, metrics), _) = passes(
        2,
        vec![
            Expect::get(READ, TEST),
            Expect::list(RUNS, &[&run(2, PASSED)]),
            Expect::patch(STATUS, TEST),
            // Deleted and made again between two scrapes: nobody saw it gone.
            Expect::get(READ, &new),
            Expect::list(RUNS, &[]),
            Expect::post(RUNS),
            Expect::patch(STATUS, &new),
        ],
    )
    .await;
    for outcome in outcomes {
        outcome.unwrap();
    }
    assert!(!metrics.render().unwrap().contains("nettest=\"rack\""));
}
