//! Which runs go, and what stays of them.

use super::*;
use serde_json::Value;

/// Settled at generation 2 by a run of minute 9.
fn test(cleanup: &str, history: &str) -> String {
    format!(
        "{}status: {{observedGeneration: 2, verdict: Passed, latestRun: rack-9, lastRunTime: '2026-11-30T16:09:30Z', history: {history}, \
         conditions: [{{type: Succeeded, status: 'True', reason: Passed, message: m, observedGeneration: 2, lastTransitionTime: '2026-11-30T16:09:30Z'}}]}}\n",
        TEST.replace("spec: {}", &format!("spec: {{cleanup: {cleanup}}}"))
    )
}

/// A run of generation 2 that was made in a minute, 1 to 9, and took half of one.
fn done(minute: i64, verdict: &str) -> String {
    let ended = PASSED
        .replace("verdict: Passed", &format!("verdict: {verdict}"))
        .replace("16:05:00Z", &format!("16:0{minute}:30Z"));
    run(minute, &ended).replace(&format!("testGeneration: {minute}"), "testGeneration: 2")
}

/// What the status remembers of them once it was written.
async fn remembered(cleanup: &str, runs: &[&str]) -> Value {
    let untold = test(cleanup, "[]");
    let script = vec![
        Expect::get(READ, &untold),
        Expect::list(RUNS, runs),
        // Nothing is deleted before the status tells of it.
        Expect::patch(STATUS, &untold),
    ];
    let (_, asked) = pass_at("2026-11-30T16:10:00Z", script).await;
    asked.body("PATCH")["status"]["history"].clone()
}

#[tokio::test]
async fn past_the_limits_runs_go_after_the_status_remembers_them() {
    let cleanup = "{successfulRunsHistoryLimit: 1, failedRunsHistoryLimit: 1}";
    let runs = [
        done(3, "Passed"),
        done(4, "Failed"),
        done(5, "Error"),
        done(9, "Passed"),
    ];
    let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
    let history = remembered(cleanup, &runs).await;
    let names: Vec<&str> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|past| past["run"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["rack-9", "rack-5", "rack-4", "rack-3"]);

    let told = test(cleanup, &history.to_string());
    let script = vec![
        Expect::get(READ, &told),
        Expect::list(RUNS, &runs),
        Expect::delete("/nettestruns/rack-3"),
        Expect::delete("/nettestruns/rack-4"),
        Expect::patch(STATUS, &told),
    ];
    let (_, asked) = pass_at("2026-11-30T16:10:00Z", script).await;
    let status = &asked.body("PATCH")["status"];
    assert_eq!(
        (&status["history"], &status["latestRun"]),
        (&history, &json!("rack-9"))
    );
}

#[tokio::test]
async fn with_limits_of_none_the_tests_status_alone_has_the_result() {
    let cleanup = "{successfulRunsHistoryLimit: 0, failedRunsHistoryLimit: 3}";
    let (failed, passed) = (done(3, "Failed"), done(9, "Passed"));
    let history = remembered(cleanup, &[&failed, &passed]).await;
    let told = test(cleanup, &history.to_string());
    // The run is gone; the older one that is kept does not take its place, in the status or in the metrics.
    let ((outcomes, metrics), asked) = play(
        vec![Expect::get(READ, &told), Expect::list(RUNS, &[&failed])],
        |context: Arc<Context>| async move {
            let test: NetTest = serde_yaml::from_str(TEST).unwrap();
            let now = "2026-11-30T16:10:00Z".parse().unwrap();
            let outcome = reconcile_at(Arc::new(test), context.clone(), now).await;
            (outcome, context.metrics.clone())
        },
    )
    .await;
    outcomes.unwrap();
    assert_eq!(asked.lines.len(), 2);
    let text = metrics.render().unwrap();
    assert!(
        text.contains(r#"nettest_success{nettest="rack",nettest_namespace="default"} 1"#),
        "{text}"
    );
}

#[tokio::test]
async fn a_finished_run_goes_when_its_time_is_over_and_not_before() {
    let cleanup = "{ttlAfterFinished: 1h}";
    let passed = done(9, "Passed");
    let history = remembered(cleanup, &[&passed]).await;
    let told = test(cleanup, &history.to_string());
    let script = |deleted: bool| {
        let mut script = vec![Expect::get(READ, &told), Expect::list(RUNS, &[&passed])];
        script.extend(deleted.then(|| Expect::delete("/nettestruns/rack-9")));
        script.push(Expect::patch(STATUS, &told));
        script
    };
    let (action, _) = pass_at("2026-11-30T17:09:25Z", script(false)).await;
    assert_eq!(action, Action::requeue(Duration::from_secs(5)));
    let (action, _) = pass_at("2026-11-30T17:09:30Z", script(true)).await;
    assert_eq!(action, Action::requeue(Duration::from_secs(1800)));
}

/// A page of a list, as the API server gives it.
fn page(runs: &[String], next: &str) -> Expect {
    let items: Vec<Value> = runs
        .iter()
        .map(|run| serde_yaml::from_str(run).unwrap())
        .collect();
    let list =
        json!({"kind": "List", "apiVersion": "v1", "metadata": {"continue": next}, "items": items});
    Expect::get(RUNS, &list.to_string())
}

#[tokio::test]
async fn ten_thousand_finished_runs_are_listed_in_pages_and_go_a_hundred_at_a_time() {
    let runs: Vec<String> = (0..10_000)
        .map(|number| {
            let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
            run(2, PASSED)
                .replace("name: rack-2,", &format!("name: rack-{number},"))
                .replace("16:02:00Z", &format!("{hour:02}:{minute:02}:{second:02}Z"))
        })
        .collect();
    // The status remembers the newest twenty.
    let mut newest: Vec<_> = (0..10_000).map(|n| format!("rack-{n}")).collect();
    newest.sort_by(|one, other| other.cmp(one));
    let history: Vec<String> = newest
        .iter()
        .take(20)
        .map(|name| format!("{{run: {name}, verdict: Passed, reason: Passed, finishTime: '2026-11-30T16:05:00Z', throughput: 8 Mbit/s}}"))
        .collect();
    let told = test("{}", &format!("[{}]", history.join(", ")));
    let mut script = vec![Expect::get(READ, &told)];
    let pages = runs.chunks(100).count();
    script.extend(
        runs.chunks(100)
            .enumerate()
            .map(|(index, runs)| page(runs, if index + 1 < pages { "more" } else { "" })),
    );
    script.extend((0..100).map(|_| Expect::delete("")));
    let (action, asked) = pass_at("2026-11-30T16:10:00Z", script).await;
    assert_eq!(action, Action::requeue(Duration::ZERO));
    assert!(asked.lines[1].contains("limit=100"), "{}", asked.lines[1]);
    assert!(
        asked.lines[2].contains("continue=more"),
        "{}",
        asked.lines[2]
    );
    assert!(
        asked.lines[101].contains("/nettestruns/rack-0"),
        "{}",
        asked.lines[101]
    );
}
