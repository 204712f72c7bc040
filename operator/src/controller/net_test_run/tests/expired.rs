//! Runs that a user made alone, and cleanup.ttlAfterFinished.

use super::{READ, observed, pass, script};
use crate::scenario::Expect;
use jiff::{SignedDuration, Timestamp};
use kube::runtime::controller::Action;
use serde_json::json;
use std::time::Duration;

/// A run that ended so many minutes ago and is to stay an hour.
fn ended(minutes: i64, owner: &str) -> String {
    let finished = Timestamp::now() - SignedDuration::from_mins(minutes);
    format!(
        "{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {{name: rack-1, namespace: default, uid: run-uid, generation: 1, \
         creationTimestamp: '2026-11-30T16:00:00Z'{owner}}}, spec: {{test: {{cleanup: {{ttlAfterFinished: 1h}}}}}}, \
         status: {{verdict: Passed, finishTime: '{finished}', conditions: [{{type: Succeeded, status: 'True', reason: Passed, message: m, \
         lastTransitionTime: '2026-11-30T16:05:00Z'}}]}}}}"
    )
}

#[tokio::test]
async fn it_goes_when_its_time_is_over() {
    let (outcome, asked) = pass(vec![
        Expect::get(READ, &ended(60, "")),
        Expect::delete(READ),
    ])
    .await;
    assert_eq!(outcome.unwrap(), Action::await_change());
    assert_eq!(
        asked.body("DELETE")["preconditions"],
        json!({"uid": "run-uid"})
    );
}

#[tokio::test]
async fn until_then_it_is_looked_at_again_at_that_time() {
    let (outcome, _) = pass(script(vec![
        vec![Expect::get(READ, &ended(59, ""))],
        observed(&[]),
    ]))
    .await;
    let action = outcome.unwrap();
    assert_ne!(action, Action::await_change());
    assert_ne!(action, Action::requeue(Duration::ZERO));
}

#[tokio::test]
async fn the_runs_of_a_test_are_the_tests() {
    let owner = ", ownerReferences: [{apiVersion: nettest.dev/v1alpha1, kind: NetTest, name: rack, uid: u, controller: true}]";
    let (outcome, _) = pass(script(vec![
        vec![Expect::get(READ, &ended(600, owner))],
        observed(&[]),
    ]))
    .await;
    assert_eq!(outcome.unwrap(), Action::await_change());
}
