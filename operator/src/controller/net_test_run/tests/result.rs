//! From a client's end to the stored result.

use super::{READ, RUN, STATUS, client_with, condition, measured, observed, pass, script, server};
use crate::{
    controller::{context::Context, error::PassError, net_test_run::reconcile},
    scenario::{Asked, Expect, play},
};
use kube::runtime::controller::Action;
use nettest_api::NetTestRun;
use serde_json::{Value, json};
use std::{io::Read, sync::Arc, time::Duration};

#[tokio::test]
async fn a_result_is_kept_whole_and_its_status_is_the_last_write() {
    let (line, mut digest) = measured();
    digest["document"]["sha256"] = json!(SUM);
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&server(), &client_with(&digest)]),
        vec![
            Expect::text(LOG, &format!("noise\n{line}\n")),
            Expect::post(CONFIG_MAPS),
            Expect::patch(STATUS, RUN),
        ],
    ]))
    .await;
    // The pods are removed by the next pass, at once.
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));
    let map = asked.body("POST");
    assert_eq!(map["metadata"]["name"], "rack-1-documents");
    assert_eq!(map["metadata"]["ownerReferences"][0]["kind"], "NetTestRun");
    assert_eq!(unzip(map), format!("{line}\n"));
    let status = asked.body("PATCH");
    assert_eq!(status["status"]["verdict"], "Passed");
    assert_eq!(
        status["status"]["documents"],
        json!({"configMap": "rack-1-documents", "truncated": false})
    );
    assert_eq!(
        status["status"]["results"][0]["receiverBitsPerSecond"],
        190_000_000
    );
    assert_eq!(condition(status, "Succeeded")["reason"], "Passed");
    assert_eq!(asked.events, ["Passed"]);
}

/// SHA-256 of the line of `measured` with its newline, by sha256sum.
const SUM: &str = "33489866d386712a9b4e46635a959f1f88fbf6e9fab6517c2b3e8d08a0577e06";

fn unzip(map: &Value) -> String {
    let map: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(map.clone()).unwrap();
    let data = map.binary_data.unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(data["documents.jsonl.gz"].0.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    text
}

const LOG: &str = "/pods/rack-1-a1-client/log";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A pass over a run that has its result, after as many that failed.
async fn collected(failures: u32, answers: Vec<Expect>) -> (Result<Action, PassError>, Asked) {
    let (_, digest) = measured();
    let script = script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&server(), &client_with(&digest)]),
        answers,
    ]);
    play(script, |context: Arc<Context>| async move {
        let run: NetTestRun = serde_yaml::from_str(RUN).unwrap();
        for _ in 0..failures {
            context.backoff.failed("NetTestRun default/rack-1");
        }
        reconcile(Arc::new(run), context).await
    })
    .await
}

fn away(method: &'static str, path: &'static str) -> Expect {
    Expect::refusal(method, path, 500, "InternalError", "away for a moment")
}

#[tokio::test]
async fn what_may_come_with_another_pass_is_waited_for_while_the_pod_is_there() {
    let (outcome, asked) = collected(0, vec![away("GET", LOG)]).await;
    assert_eq!(outcome.unwrap_err().reason(), "ServerError");
    assert!(!asked.lines.iter().any(|line| line.starts_with("PATCH")));

    let (line, _) = measured();
    let log = || Expect::text(LOG, &format!("{line}\n"));
    let (outcome, _) = collected(3, vec![log(), away("POST", CONFIG_MAPS)]).await;
    assert_eq!(outcome.unwrap_err().reason(), "ServerError");
}

#[tokio::test]
async fn a_log_that_cannot_be_read_costs_the_documents_only() {
    let (line, _) = measured();
    let log = || Expect::text(LOG, &format!("{line}\n"));
    let quota = || Expect::refusal("POST", CONFIG_MAPS, 403, "Forbidden", "exceeded quota");
    for (failures, mut answers) in [
        (4, vec![away("GET", LOG)]),
        (4, vec![log(), away("POST", CONFIG_MAPS)]),
        // No other pass would bring these.
        (0, vec![log(), quota()]),
        (0, vec![Expect::refusal("GET", LOG, 403, "Forbidden", "no")]),
    ] {
        answers.push(Expect::patch(STATUS, RUN));
        let (outcome, asked) = collected(failures, answers).await;
        outcome.unwrap();
        let status = asked.body("PATCH");
        assert_eq!(status["status"]["verdict"], "Passed");
        assert_eq!(status["status"]["documents"], json!({"truncated": true}));
    }
}

#[tokio::test]
async fn the_digest_of_another_run_is_no_result() {
    let (_, mut digest) = measured();
    digest["run"] = json!("another");
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&server(), &client_with(&digest)]),
        vec![Expect::patch(STATUS, RUN)],
    ]))
    .await;
    outcome.unwrap();
    let status = asked.body("PATCH");
    assert_eq!(status["status"]["verdict"], "Error");
    assert_eq!(condition(status, "Succeeded")["reason"], "EngineCrashed");
}
