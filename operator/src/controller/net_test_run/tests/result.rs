//! From a client's end to the stored result.

use super::{READ, RUN, STATUS, client_with, condition, measured, observed, pass, script, server};
use crate::scenario::Expect;
use kube::runtime::controller::Action;
use serde_json::{Value, json};
use std::{io::Read, time::Duration};

#[tokio::test]
async fn a_result_is_kept_whole_and_its_status_is_the_last_write() {
    let (line, mut digest) = measured();
    digest["document"]["sha256"] = json!(SUM);
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&server(), &client_with(&digest)]),
        vec![
            Expect::text("/pods/rack-1-a1-client/log", &format!("noise\n{line}\n")),
            Expect::post("/api/v1/namespaces/default/configmaps"),
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
    assert_eq!(asked.events, ["Passed", "PodsRunning"]);
}

/// SHA-256 of the line of `measured` with its newline, by sha256sum.
const SUM: &str = "402e2d29bc8a95365662d37d826904628f0d673f84e21fe74376fb6633eb4b43";

fn unzip(map: &Value) -> String {
    let map: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(map.clone()).unwrap();
    let data = map.binary_data.unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(data["documents.jsonl.gz"].0.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[tokio::test(start_paused = true)]
async fn a_log_that_cannot_be_read_costs_the_documents_only() {
    let (_, digest) = measured();
    let broken = || {
        Expect::refusal(
            "GET",
            "/pods/rack-1-a1-client/log",
            500,
            "InternalError",
            "the kubelet is away",
        )
    };
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[&server(), &client_with(&digest)]),
        vec![broken(), broken(), Expect::patch(STATUS, RUN)],
    ]))
    .await;
    outcome.unwrap();
    let status = asked.body("PATCH");
    assert_eq!(status["status"]["verdict"], "Passed");
    assert_eq!(status["status"]["documents"], json!({"truncated": true}));
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
