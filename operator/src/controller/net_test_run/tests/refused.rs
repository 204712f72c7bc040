//! Specs that we refuse, and pods that the API server refuses.

use super::{PODS, READ, RUN, STATUS, condition, observed, pass, script, server};
use crate::scenario::Expect;
use kube::runtime::controller::Action;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn pod_security_ends_the_run_with_the_servers_words() {
    let words = r#"pods "x" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)"#;
    let (outcome, asked) = pass(script(vec![
        vec![Expect::get(READ, RUN)],
        observed(&[]),
        observed(&[]),
        vec![
            Expect::refusal("POST", PODS, 403, "Forbidden", words),
            Expect::patch(STATUS, RUN),
        ],
    ]))
    .await;
    outcome.unwrap();
    let succeeded = condition(asked.body("PATCH"), "Succeeded");
    assert_eq!(succeeded["status"], "False");
    assert_eq!(succeeded["reason"], "PodSecurityDenied");
    assert!(
        succeeded["message"].as_str().unwrap().contains(words),
        "{succeeded}"
    );
    assert_eq!(asked.events, ["PodSecurityDenied"]);
}

#[tokio::test]
async fn a_refused_spec_makes_no_pod() {
    let bad = RUN.replace("{repeats: {count: 1}}", "{traffic: {duration: 99h}}");
    let (outcome, asked) = pass(vec![Expect::get(READ, &bad), Expect::patch(STATUS, &bad)]).await;
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));
    let accepted = condition(asked.body("PATCH"), "Accepted");
    assert_eq!(
        (&accepted["status"], &accepted["reason"]),
        (&json!("False"), &json!("InvalidSpec"))
    );
    assert!(
        accepted["message"]
            .as_str()
            .unwrap()
            .contains("traffic.duration"),
        "{accepted}"
    );
    assert_eq!(asked.events, ["InvalidSpec"]);
}

#[tokio::test]
async fn a_run_that_is_no_longer_permitted_loses_its_pods_once_its_status_says_so() {
    let refused = format!(
        "{}status: {{conditions: [{{type: Succeeded, status: 'False', reason: NotPermitted, message: m, lastTransitionTime: '2026-11-30T16:01:00Z'}}]}}\n",
        RUN.replace("{repeats: {count: 1}}", "{traffic: {duration: 99h}}")
    );
    let (outcome, _) = pass(script(vec![
        vec![Expect::get(READ, &refused)],
        observed(&[&server()]),
        vec![Expect::delete("/pods/rack-1-a1-server")],
    ]))
    .await;
    assert_eq!(outcome.unwrap(), Action::requeue(Duration::ZERO));
    // Then nothing is left to do, and a finished run asks for nothing until something changes.
    let (outcome, _) = pass(script(vec![
        vec![Expect::get(READ, &refused)],
        observed(&[]),
    ]))
    .await;
    assert_eq!(outcome.unwrap(), Action::await_change());
}
