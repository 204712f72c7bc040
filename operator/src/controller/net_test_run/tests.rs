//! Whole passes, by the requests they make.

mod exclusive;
mod expired;
mod refused;
mod result;

use super::reconcile;
use crate::{
    controller::{context::Context, error::PassError},
    scenario::{Asked, Expect, play},
};
use kube::runtime::controller::Action;
use nettest_api::NetTestRun;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const RUN: &str = r"
apiVersion: nettest.dev/v1alpha1
kind: NetTestRun
metadata: {name: rack-1, namespace: default, uid: run-uid, generation: 1, creationTimestamp: '2026-11-30T16:00:00Z'}
spec: {testName: rack, testGeneration: 1, test: {repeats: {count: 1}}}
";
const READ: &str = "/namespaces/default/nettestruns/rack-1";
const STATUS: &str = "/namespaces/default/nettestruns/rack-1/status";
const NODES: &str = "/api/v1/nodes";
const ALL_PODS: &str = "/api/v1/pods";
const PODS: &str = "/api/v1/namespaces/default/pods";

const NODE1: &str =
    "{metadata: {name: node1}, status: {conditions: [{type: Ready, status: 'True'}]}}";
const NODE2: &str =
    "{metadata: {name: node2}, status: {conditions: [{type: Ready, status: 'True'}]}}";

async fn pass(script: Vec<Expect>) -> (Result<Action, PassError>, Asked) {
    let run: NetTestRun = serde_yaml::from_str(RUN).unwrap();
    play(script, |context: Arc<Context>| {
        reconcile(Arc::new(run), context)
    })
    .await
}

fn pod(role: &str, attempt: u32, status: &str) -> String {
    format!(
        "{{metadata: {{name: rack-1-a{attempt}-{role}, namespace: default, uid: {role}-uid, creationTimestamp: '2026-11-30T16:00:00Z', \
         labels: {{app.kubernetes.io/managed-by: nettest-operator, nettest.dev/run-uid: run-uid, nettest.dev/role: {role}, \
         nettest.dev/attempt: '{attempt}', nettest.dev/client-node: node1, nettest.dev/server-node: node2}}}}, \
         spec: {{containers: [{{name: engine, env: [{{name: NETTEST_RUN_TOKEN, value: abcdefghijklmnopqrst}}]}}]}}, status: {status}}}"
    )
}

fn server() -> String {
    pod(
        "server",
        1,
        "{phase: Running, podIP: 10.244.2.5, hostIP: 172.31.0.12, containerStatuses: [{name: engine, ready: true, started: true, image: i, imageID: i, restartCount: 0, state: {running: {startedAt: '2026-11-30T16:00:01Z'}}}]}",
    )
}

fn client_with(digest: &Value) -> String {
    let message = serde_json::to_string(&digest.to_string()).unwrap();
    pod(
        "client",
        1,
        &format!(
            "{{phase: Succeeded, podIP: 10.244.1.5, containerStatuses: [{{name: engine, ready: false, started: false, image: i, imageID: i, restartCount: 0, state: {{terminated: {{exitCode: 0, message: {message}}}}}}}]}}"
        ),
    )
}

/// The document line of repeat 1 and the digest that counts it.
fn measured() -> (String, Value) {
    let line = r#"{"event":"measurement","data":{"run":"run-uid","attempt":1,"variant":"tcp-p1","repeat":1,"thinned":false,"report":{"start":{}}}}"#;
    let digest = json!({
        "version": 1, "run": "run-uid", "attempt": 1, "outcome": "Complete",
        "document": {"sha256": "SUM", "bytes": line.len() + 1},
        "figures": [{
            "variant": "tcp-p1", "flow": "ClientToServer",
            "sentBitsPerSecond": [191_000_000], "receivedBitsPerSecond": [190_000_000],
            "sentBytes": [238_000_000], "receivedBytes": [237_000_000], "retransmits": [3],
        }],
    });
    (line.to_owned(), digest)
}

fn condition<'a>(status: &'a Value, type_: &str) -> &'a Value {
    let all = status["status"]["conditions"].as_array().unwrap();
    all.iter().find(|one| one["type"] == type_).unwrap()
}

fn observed(pods: &[&str]) -> Vec<Expect> {
    vec![
        Expect::list(ALL_PODS, pods),
        Expect::list(NODES, &[NODE1, NODE2]),
    ]
}

fn script(parts: Vec<Vec<Expect>>) -> Vec<Expect> {
    parts.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_fresh_run_claims_its_nodes_under_the_barrier_and_makes_the_server() {
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[]),
        // Again, under the barrier.
        observed(&[]),
        vec![Expect::post(PODS), Expect::patch(STATUS, RUN)],
    ]))
    .await;
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));

    let pod = asked.body("POST");
    assert_eq!(pod["spec"]["automountServiceAccountToken"], false);
    assert_eq!(
        pod["spec"]["containers"][0]["image"],
        "localhost/nettest:dev"
    );
    assert_eq!(pod["metadata"]["labels"]["nettest.dev/role"], "server");
    assert_eq!(pod["metadata"]["ownerReferences"][0]["uid"], "run-uid");
    let status = asked.body("PATCH");
    assert_eq!(
        status["metadata"],
        json!({"name": "rack-1", "uid": "run-uid"})
    );
    assert_eq!(status["status"]["conditions"].as_array().unwrap().len(), 7);
    assert_eq!(condition(status, "Accepted")["status"], "True");
    assert_eq!(condition(status, "Succeeded")["reason"], "Starting");
    assert!(
        asked
            .lines
            .last()
            .unwrap()
            .contains("fieldManager=nettest-operator"),
        "{asked:#?}"
    );
    assert_eq!(asked.events, ["Starting"]);
}

#[tokio::test]
async fn a_pod_of_an_earlier_pass_is_as_good_as_a_new_one() {
    let server = server();
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[]),
        observed(&[]),
        vec![
            Expect::refusal("POST", PODS, 409, "AlreadyExists", "pods already exists"),
            Expect::get("-server-7551298f", &server),
            Expect::patch(STATUS, RUN),
        ],
    ]))
    .await;
    outcome.unwrap();
    assert_eq!(
        condition(asked.body("PATCH"), "Succeeded")["reason"],
        "Starting"
    );
}

#[tokio::test]
async fn a_foreign_pod_of_that_name_is_an_error_and_not_taken_over() {
    let foreign = server().replace("run-uid: run-uid", "run-uid: another");
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[]),
        observed(&[]),
        vec![
            Expect::refusal("POST", PODS, 409, "AlreadyExists", "pods already exists"),
            Expect::get("-server-7551298f", &foreign),
        ],
    ]))
    .await;
    assert_eq!(outcome.unwrap_err().reason(), "NameTaken");
    assert_eq!(asked.events, [""; 0]);
}

#[tokio::test]
async fn a_server_that_is_ready_gets_its_client_without_the_barrier() {
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, &placed())],
        observed(&[&server()]),
        vec![Expect::post(PODS), Expect::patch(STATUS, RUN)],
    ]))
    .await;
    outcome.unwrap();
    let args = asked.body("POST")["spec"]["containers"][0]["args"].to_string();
    assert!(args.contains("10.244.2.5"), "{args}");
}

/// Left the queue a moment ago.
fn placed() -> String {
    format!(
        "{RUN}status: {{attempt: 1, placementTime: '{}'}}\n",
        jiff::Timestamp::now()
    )
}

#[tokio::test]
async fn a_finished_run_removes_its_very_pods_and_leaves_the_status() {
    let finished = format!(
        "{RUN}status: {{verdict: Passed, conditions: [{{type: Succeeded, status: 'True', reason: Passed, message: m, lastTransitionTime: '2026-11-30T16:01:00Z'}}]}}\n"
    );
    let (_, digest) = measured();
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, &finished)],
        observed(&[&server(), &client_with(&digest)]),
        vec![Expect::delete("/pods/rack-1-a1-client")],
    ]))
    .await;
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));
    assert_eq!(
        asked.body("DELETE")["preconditions"],
        json!({"uid": "client-uid"})
    );
    assert_eq!(asked.events, [""; 0]);
}

#[tokio::test]
async fn a_status_that_others_wrote_meanwhile_is_not_written_over() {
    let read = |version: &str, status: &str| {
        format!(
            "{}{status}",
            RUN.replace(
                "uid: run-uid",
                &format!("uid: run-uid, resourceVersion: '{version}'")
            )
        )
    };
    let conflict = || Expect::refusal("PATCH", STATUS, 409, "Conflict", "has been modified");
    let until_conflict = || {
        script(vec![
            vec![Expect::get(READ, &read("7", ""))],
            observed(&[]),
            observed(&[]),
            vec![Expect::post(PODS), conflict()],
        ])
    };
    // An annotation: what was judged still stands.
    let mut annotated = until_conflict();
    annotated.push(Expect::get(READ, &read("8", "")));
    annotated.push(Expect::patch(STATUS, RUN));
    let (outcome, asked) = pass(annotated).await;
    outcome.unwrap();
    let versions: Vec<&Value> = asked
        .bodies
        .iter()
        .filter(|body| body.get("status").is_some() && body["kind"] == "NetTestRun")
        .map(|body| &body["metadata"]["resourceVersion"])
        .collect();
    assert_eq!(versions, ["7", "8"]);
    // A status: another leader's. Ours is of yesterday.
    let mut judged = until_conflict();
    judged.push(Expect::get(READ, &read("8", "status: {verdict: Passed}\n")));
    let (outcome, asked) = pass(judged).await;
    assert_eq!(outcome.unwrap_err().reason(), "Conflict");
    assert_eq!(asked.events, [""; 0]);
}

#[tokio::test]
async fn a_run_that_is_gone_or_going_is_left_alone() {
    let (outcome, _) = pass(vec![Expect::refusal(
        "GET",
        READ,
        404,
        "NotFound",
        "not found",
    )])
    .await;
    assert_eq!(outcome.unwrap(), Action::await_change());
    let going = RUN.replace(
        "uid: run-uid",
        "uid: run-uid, deletionTimestamp: '2026-11-30T16:00:05Z'",
    );
    let (outcome, _) = pass(vec![Expect::get(READ, &going)]).await;
    assert_eq!(outcome.unwrap(), Action::await_change());
}

#[tokio::test]
async fn a_run_whose_nodes_are_taken_waits_and_names_the_holder() {
    let other = server()
        .replace("run-uid: run-uid", "run-uid: other-uid")
        .replace("rack-1-a1", "other-1-a1");
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&other]),
        vec![Expect::patch(STATUS, RUN)],
    ]))
    .await;
    outcome.unwrap();
    let succeeded = condition(asked.body("PATCH"), "Succeeded");
    assert_eq!(succeeded["reason"], "Queued");
    assert!(
        succeeded["message"]
            .as_str()
            .unwrap()
            .contains("default/other-1-a1-server"),
        "{succeeded}"
    );
}
