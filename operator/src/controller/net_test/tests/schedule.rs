//! Tests with a schedule, and spec.rerun.

use super::*;
use serde_json::Value;

const NEXT: &str = "{observedGeneration: 2, lastScheduleTime: '2026-11-30T16:00:00Z', nextRunTime: '2026-11-30T17:00:00Z'}";
const AFTER: &str = "2026-11-30T17:00:00.3Z";
/// 2026-11-30T17:00:00Z in minutes.
const SCHEDULED: &str = "rack-29934300";
const HOURLY: &str = "cron: '@hourly'";

fn test(schedule: &str, more: &str, status: &str) -> String {
    format!(
        "{{apiVersion: nettest.dev/v1alpha1, kind: NetTest, metadata: {{name: rack, namespace: default, uid: test-uid, generation: 2, \
         creationTimestamp: '2026-11-30T16:10:00Z'}}, spec: {{schedule: {{{schedule}}}{more}}}, status: {status}}}"
    )
}

/// A run that the schedule made at 16:00.
fn earlier(status: &str) -> String {
    run(2, status).replace("rack-2", "rack-29934240").replace(
        "{testName:",
        "{scheduledTime: '2026-11-30T16:00:00Z', testName:",
    )
}

fn succeeded(status: &Value) -> (&str, &str) {
    let conditions = status["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|one| one["type"] == "Succeeded");
    let text = |name: &str| found.unwrap()[name].as_str().unwrap();
    (text("reason"), text("message"))
}

#[tokio::test]
async fn applying_it_runs_nothing_and_says_when_the_first_run_is_due() {
    let new = test(HOURLY, "", "null");
    let (action, asked) = pass_at(
        "2026-11-30T16:10:01Z",
        vec![
            Expect::get(READ, &new),
            Expect::list(RUNS, &[]),
            Expect::patch(STATUS, &new),
        ],
    )
    .await;
    assert_eq!(action, Action::requeue(Duration::from_secs(1800)));
    let status = &asked.body("PATCH")["status"];
    assert_eq!(status["nextRunTime"], "2026-11-30T17:00:00Z");
    assert_eq!(
        succeeded(status),
        ("Pending", "the first run is due at 2026-11-30T17:00:00Z")
    );
    assert_eq!(asked.events, [""; 0]);

    // Looked at again shortly before: it comes back at the very moment, and writes nothing.
    let known = test(HOURLY, "", &status.to_string());
    let script = vec![Expect::get(READ, &known), Expect::list(RUNS, &[])];
    let (action, _) = pass_at("2026-11-30T16:59:58.5Z", script).await;
    assert_eq!(action, Action::requeue(Duration::from_millis(1500)));
}

#[tokio::test]
async fn it_fires_at_its_time_and_again_at_the_next() {
    let due = test(HOURLY, "", NEXT);
    let (action, asked) = pass_at(
        AFTER,
        vec![
            Expect::get(READ, &due),
            Expect::list(RUNS, &[]),
            Expect::post(RUNS),
            Expect::patch(STATUS, &due),
        ],
    )
    .await;
    assert_eq!(action, Action::requeue(Duration::from_secs(30)));
    let made = asked.body("POST").clone();
    assert_eq!(made["metadata"]["name"], SCHEDULED);
    assert_eq!(made["spec"]["scheduledTime"], "2026-11-30T17:00:00Z");
    let status = asked.body("PATCH")["status"].clone();
    assert_eq!(status["lastScheduleTime"], "2026-11-30T17:00:00Z");
    assert_eq!(status["nextRunTime"], "2026-11-30T18:00:00Z");
    assert_eq!(asked.events, ["RunCreated"]);

    // The first has passed meanwhile.
    let mut first = made;
    first["status"] = serde_yaml::from_str(PASSED).unwrap();
    let known = test(HOURLY, "", &status.to_string());
    let (_, asked) = pass_at(
        "2026-11-30T18:00:00Z",
        vec![
            Expect::get(READ, &known),
            Expect::list(RUNS, &[&first.to_string()]),
            Expect::post(RUNS),
            Expect::patch(STATUS, &known),
        ],
    )
    .await;
    let second = &asked.body("POST")["metadata"]["name"];
    assert_eq!(second, "rack-29934360");
    let status = &asked.body("PATCH")["status"];
    assert_eq!(status["lastScheduleTime"], "2026-11-30T18:00:00Z");
    assert_eq!(status["history"][0]["run"], SCHEDULED);
    assert_eq!(status["history"][0]["throughput"], "8 Mbit/s");
}

#[tokio::test]
async fn an_operator_that_died_between_run_and_status_makes_no_second_run() {
    let due = test(HOURLY, "", NEXT);
    let made = run(2, "{}").replace("rack-2", SCHEDULED).replace(
        "{testName:",
        "{scheduledTime: '2026-11-30T17:00:00Z', testName:",
    );
    // The list has it.
    let script = vec![
        Expect::get(READ, &due),
        Expect::list(RUNS, &[&made]),
        Expect::patch(STATUS, &due),
    ];
    let (_, asked) = pass_at("2026-11-30T17:00:20Z", script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(status["lastScheduleTime"], "2026-11-30T17:00:00Z");
    assert_eq!(status["nextRunTime"], "2026-11-30T18:00:00Z");
    assert_eq!(asked.events, [""; 0]);
    // Somebody took its label away: its name has it.
    let script = vec![
        Expect::get(READ, &due),
        Expect::list(RUNS, &[]),
        Expect::refusal("POST", RUNS, 409, "AlreadyExists", "exists"),
        Expect::get("/nettestruns/rack-29934300", &made),
        Expect::patch(STATUS, &due),
    ];
    let (_, asked) = pass_at("2026-11-30T17:00:20Z", script).await;
    assert_eq!(
        asked.body("PATCH")["status"]["lastScheduleTime"],
        "2026-11-30T17:00:00Z"
    );
    assert_eq!(asked.events, [""; 0]);
}

#[tokio::test]
async fn while_a_run_goes_on_the_policy_decides() {
    let policy = |policy: &str| {
        test(
            &format!("cron: '@hourly', concurrencyPolicy: {policy}"),
            "",
            NEXT,
        )
    };
    let running = earlier("{}");

    let forbid = policy("Forbid");
    let script = vec![
        Expect::get(READ, &forbid),
        Expect::list(RUNS, &[&running]),
        Expect::patch(STATUS, &forbid),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(status["nextRunTime"], "2026-11-30T18:00:00Z");
    assert_eq!(status["lastScheduleTime"], "2026-11-30T16:00:00Z");
    assert_eq!(asked.events, ["RunSkipped"]);

    let allow = policy("Allow");
    let script = vec![
        Expect::get(READ, &allow),
        Expect::list(RUNS, &[&running]),
        Expect::post(RUNS),
        Expect::patch(STATUS, &allow),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    assert_eq!(asked.body("POST")["metadata"]["name"], SCHEDULED);

    let replace = policy("Replace");
    let script = vec![
        Expect::get(READ, &replace),
        Expect::list(RUNS, &[&running]),
        Expect::delete("/nettestruns/rack-29934240"),
        Expect::patch(STATUS, &replace),
    ];
    let (action, asked) = pass_at(AFTER, script).await;
    assert_eq!(action, Action::requeue(Duration::ZERO));
    assert_eq!(
        asked.body("DELETE")["preconditions"],
        json!({"uid": "run-2"})
    );
    assert_eq!(asked.events, ["RunReplaced"]);
    let status = asked.body("PATCH")["status"].clone();
    assert_eq!(status["nextRunTime"], "2026-11-30T17:00:00Z");
    // It is gone: the new one's turn.
    let replace = test(
        "cron: '@hourly', concurrencyPolicy: Replace",
        "",
        &status.to_string(),
    );
    let script = vec![
        Expect::get(READ, &replace),
        Expect::list(RUNS, &[]),
        Expect::post(RUNS),
        Expect::patch(STATUS, &replace),
    ];
    let (_, asked) = pass_at("2026-11-30T17:00:00.9Z", script).await;
    assert_eq!(asked.body("POST")["metadata"]["name"], SCHEDULED);
    assert_eq!(
        asked.body("PATCH")["status"]["nextRunTime"],
        "2026-11-30T18:00:00Z"
    );
}

#[tokio::test]
async fn what_was_missed_is_told_once() {
    let late = test("cron: '@hourly', startingDeadline: 1m", "", NEXT);
    let script = vec![
        Expect::get(READ, &late),
        Expect::list(RUNS, &[]),
        Expect::patch(STATUS, &late),
    ];
    let (_, asked) = pass_at("2026-11-30T17:05:00Z", script).await;
    assert_eq!(asked.events, ["MissedSchedule"]);
    let status = asked.body("PATCH")["status"].to_string();
    let known = test("cron: '@hourly', startingDeadline: 1m", "", &status);
    let script = vec![Expect::get(READ, &known), Expect::list(RUNS, &[])];
    let (_, asked) = pass_at("2026-11-30T17:05:01Z", script).await;
    assert_eq!(asked.events, [""; 0]);
}

#[tokio::test]
async fn suspended_it_waits_and_keeps_its_result_and_makes_nothing_good() {
    let suspend = "cron: '@hourly', suspend: true";
    let status = "{observedGeneration: 1, nextRunTime: '2026-11-30T17:00:00Z'}";
    let suspended = test(suspend, "", status);
    // The run was made before the schedule was changed: what it measured is still what is asked for.
    let passed = earlier(PASSED).replace("testGeneration: 2", "testGeneration: 1");
    let script = vec![
        Expect::get(READ, &suspended),
        Expect::list(RUNS, &[&passed]),
        Expect::patch(STATUS, &suspended),
    ];
    let (action, asked) = pass_at("2026-11-30T17:05:00Z", script).await;
    assert_eq!(action, Action::requeue(Duration::from_secs(1800)));
    let status = asked.body("PATCH")["status"].clone();
    assert_eq!(status.get("nextRunTime"), None);
    assert_eq!(
        (&status["verdict"], &status["observedGeneration"]),
        (&json!("Passed"), &json!(2))
    );
    // A run that goes on is not ended by it.
    let script = vec![
        Expect::get(READ, &suspended),
        Expect::list(
            RUNS,
            &[&passed.replace("status: {verdict", "statu: {verdict")],
        ),
        Expect::patch(STATUS, &suspended),
    ];
    let (_, asked) = pass_at("2026-11-30T16:05:00Z", script).await;
    assert_eq!(succeeded(&asked.body("PATCH")["status"]).0, "Pending");

    let again = test(HOURLY, "", &status.to_string());
    let script = vec![
        Expect::get(READ, &again),
        Expect::list(RUNS, &[&passed]),
        Expect::patch(STATUS, &again),
    ];
    let (_, asked) = pass_at("2026-11-30T17:10:00Z", script).await;
    let next = &asked.body("PATCH")["status"]["nextRunTime"];
    assert_eq!(next, "2026-11-30T18:00:00Z");

    let never = test(suspend, "", "null");
    let script = vec![
        Expect::get(READ, &never),
        Expect::list(RUNS, &[]),
        Expect::patch(STATUS, &never),
    ];
    let (_, asked) = pass_at("2026-11-30T17:10:00Z", script).await;
    assert_eq!(
        succeeded(&asked.body("PATCH")["status"]),
        ("Pending", "no run is made while schedule.suspend is true")
    );
}

#[tokio::test]
async fn a_new_spec_ends_the_run_of_the_old_one_and_waits_for_its_time() {
    let changed = test(HOURLY, ", repeats: {count: 2}", NEXT);
    let running = earlier("{}").replace("testGeneration: 2", "testGeneration: 1");
    let script = vec![
        Expect::get(READ, &changed),
        Expect::list(RUNS, &[&running]),
        Expect::delete("/nettestruns/rack-29934240"),
        Expect::patch(STATUS, &changed),
    ];
    let (_, asked) = pass_at("2026-11-30T16:30:00Z", script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(succeeded(status).0, "Pending");
    assert_eq!(status["nextRunTime"], "2026-11-30T17:00:00Z");
    // The same at the very time of the next run, which is not lost.
    let script = vec![
        Expect::get(READ, &changed),
        Expect::list(RUNS, &[&running]),
        Expect::delete("/nettestruns/rack-29934240"),
        Expect::patch(STATUS, &changed),
    ];
    let (action, asked) = pass_at(AFTER, script).await;
    assert_eq!(action, Action::requeue(Duration::ZERO));
    let status = asked.body("PATCH")["status"].clone();
    assert_eq!(status["nextRunTime"], "2026-11-30T17:00:00Z");
    let known = test(HOURLY, ", repeats: {count: 2}", &status.to_string());
    let script = vec![
        Expect::get(READ, &known),
        Expect::list(RUNS, &[]),
        Expect::post(RUNS),
        Expect::patch(STATUS, &known),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    assert_eq!(asked.body("POST")["spec"]["test"]["repeats"]["count"], 2);
}

#[tokio::test]
async fn a_schedule_that_cannot_be_is_refused_when_it_is_applied() {
    let bad = test("cron: '@daily', timeZone: Europe/Atlantis", "", "null");
    let script = vec![
        Expect::get(READ, &bad),
        Expect::list(RUNS, &[]),
        Expect::patch(STATUS, &bad),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    let status = asked.body("PATCH")["status"].clone();
    let (reason, message) = succeeded(&status);
    assert_eq!(
        (reason, &status["verdict"]),
        ("InvalidSpec", &json!("Error"))
    );
    assert!(
        message.starts_with("schedule.timeZone \"Europe/Atlantis\""),
        "{message}"
    );
    assert_eq!(asked.events, ["InvalidSpec"]);

    let known = test(
        "cron: '@daily', timeZone: Europe/Atlantis",
        "",
        &status.to_string(),
    );
    let script = vec![Expect::get(READ, &known), Expect::list(RUNS, &[])];
    assert_eq!(
        pass_at("2026-11-30T19:00:00Z", script).await.1.events,
        [""; 0]
    );

    // So is a test that could not run at its time: at once, not then.
    let bad = test(
        HOURLY,
        ", traffic: {protocol: UDP, congestionControl: bbr}",
        "null",
    );
    let script = vec![
        Expect::get(READ, &bad),
        Expect::list(RUNS, &[]),
        Expect::patch(STATUS, &bad),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(
        (succeeded(status).0, status.get("nextRunTime")),
        ("InvalidSpec", None)
    );
    // An administrator allowed it since: the test waits for its time.
    let allowed = test(HOURLY, "", &status.to_string());
    let script = vec![
        Expect::get(READ, &allowed),
        Expect::list(RUNS, &[]),
        Expect::patch(STATUS, &allowed),
    ];
    let (_, asked) = pass_at(AFTER, script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(
        (succeeded(status).0, status.get("verdict")),
        ("Pending", None)
    );
    assert_eq!(status["nextRunTime"], "2026-11-30T18:00:00Z");
}

#[tokio::test]
async fn a_rerun_token_starts_one_run_beside_the_schedule() {
    let asked_for = test(HOURLY, ", rerun: a", NEXT);
    let script = vec![
        Expect::get(READ, &asked_for),
        Expect::list(RUNS, &[&earlier(PASSED)]),
        Expect::post(RUNS),
        Expect::patch(STATUS, &asked_for),
    ];
    let (_, asked) = pass_at("2026-11-30T16:20:00Z", script).await;
    let made = asked.body("POST").clone();
    assert_eq!(made["metadata"]["name"], "rack-2");
    assert_eq!(
        (&made["spec"]["rerun"], made["spec"].get("scheduledTime")),
        (&json!("a"), None)
    );
    let status = asked.body("PATCH")["status"].clone();
    assert_eq!(
        (&status["lastRerun"], &status["nextRunTime"]),
        (&json!("a"), &json!("2026-11-30T17:00:00Z"))
    );
    // Neither when its run is gone nor after another change: the token is the same.
    let known =
        test(HOURLY, ", rerun: a", &status.to_string()).replace("generation: 2", "generation: 3");
    let script = vec![
        Expect::get(READ, &known),
        Expect::list(RUNS, &[&earlier(PASSED)]),
        Expect::patch(STATUS, &known),
    ];
    let (_, asked) = pass_at("2026-11-30T16:40:00Z", script).await;
    assert_eq!(asked.body("PATCH")["status"]["lastRerun"], "a");
    // The operator died before it could tell, and the test was changed again.
    let untold = test(HOURLY, ", rerun: a", NEXT).replace("generation: 2", "generation: 4");
    let mut other = made;
    other["spec"]["testGeneration"] = json!(3);
    let script = vec![
        Expect::get(READ, &untold),
        Expect::list(RUNS, &[&other.to_string()]),
        Expect::patch(STATUS, &untold),
    ];
    let (_, asked) = pass_at("2026-11-30T16:40:00Z", script).await;
    assert_eq!(asked.body("PATCH")["status"]["lastRerun"], "a");
}

#[tokio::test]
async fn without_a_schedule_a_new_token_is_a_new_generation_and_starts_one_run() {
    let settled = "status: {observedGeneration: 1, lastRerun: a, verdict: Failed, conditions: [{type: Succeeded, status: 'False', reason: ThresholdNotMet, message: m, observedGeneration: 1, lastTransitionTime: '2026-11-30T16:05:00Z'}]}";
    for (token, carried) in [("b", json!("b")), ("a", Value::Null)] {
        let changed = format!(
            "{}{settled}\n",
            TEST.replace("spec: {}", &format!("spec: {{rerun: {token}}}"))
        );
        let script = vec![
            Expect::get(READ, &changed),
            Expect::list(RUNS, &[&run(1, PASSED)]),
            Expect::post(RUNS),
            Expect::patch(STATUS, &changed),
        ];
        let (_, asked) = pass_at(AFTER, script).await;
        let made = asked.body("POST").clone();
        assert_eq!(
            (&made["metadata"]["name"], &made["spec"]["rerun"]),
            (&json!("rack-2"), &carried)
        );
        let status = &asked.body("PATCH")["status"];
        assert_eq!(status["lastRerun"], token);
        // An identical apply changes nothing, and nothing is written.
        let known = TEST.replace("spec: {}", &format!("spec: {{rerun: {token}}}"));
        let known = format!("{known}status: {status}\n");
        let script = vec![
            Expect::get(READ, &known),
            Expect::list(RUNS, &[&run(1, PASSED), &made.to_string()]),
        ];
        pass_at(AFTER, script).await;
    }
}
