//! The chart's alerts in the real Prometheus: they are evaluated without an error, come for a test that is not well, name
//! it, and go with it.

use anyhow::{Result, ensure};
use nettest_e2e::{
    Namespace,
    manifest::{net_test, short, short_spec},
    prometheus::{query, rules},
    seconds,
    until::{Seen, until},
};

#[tokio::test]
async fn an_alert_comes_for_what_is_wrong_and_goes_with_it() -> Result<()> {
    Namespace::with("alerts", async |ns| {
        let missed = format!(
            "{}thresholds: [{{name: much, metric: Throughput, min: 900G}}]\n",
            short_spec(1)
        );
        let nowhere = format!(
            "server: {{nodeName: node9}}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        ns.apply(&short("well", 1)).await?;
        ns.apply(&net_test("missed", &missed)).await?;
        ns.apply(&net_test("nowhere", &nowhere)).await?;
        ns.succeeds("well", seconds(60)).await?;
        ns.fails("missed", "ThresholdNotMet", seconds(60)).await?;
        ns.fails("nowhere", "Unschedulable", seconds(60)).await?;

        // Pending: how long they must hold is the chart's value, and promtool's tests are of that.
        let wanted = [
            ("missed", "NetTestThroughputBelowThreshold"),
            ("nowhere", "NetTestFailed"),
        ];
        let wanted = wanted.map(|(test, alert)| (test.to_owned(), alert.to_owned()));
        until("the alerts of this namespace", seconds(30), async || {
            let seen = alerts(ns).await?;
            Ok(Seen::when(seen == wanted, || format!("{seen:?}")))
        })
        .await?;

        let rules = rules().await?;
        let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        ensure!(names.len() == 6, "{names:?}");
        for rule in &rules {
            // Not yet evaluated is a group's interval; an error is a fault of ours.
            ensure!(rule.health != "err", "{rule:?}");
        }
        let evaluated = rules.iter().filter(|rule| rule.health == "ok").count();
        ensure!(evaluated >= 5, "{rules:?}");

        ns.kubectl("delete nettest missed nowhere --timeout=20s")
            .run()
            .await?;
        until("the alerts are gone", seconds(30), async || {
            let seen = alerts(ns).await?;
            Ok(Seen::when(seen.is_empty(), || format!("{seen:?}")))
        })
        .await
    })
    .await
}

/// Test and alert, of this namespace's tests.
async fn alerts(ns: &Namespace) -> Result<Vec<(String, String)>> {
    let all = query(&format!("ALERTS{{nettest_namespace=\"{}\"}}", ns.name)).await?;
    let label = |sample: &nettest_e2e::prometheus::Sample, name: &str| {
        sample.labels.get(name).cloned().unwrap_or_default()
    };
    let mut all: Vec<_> = all
        .iter()
        .map(|sample| (label(sample, "nettest"), label(sample, "alertname")))
        .collect();
    all.sort();
    Ok(all)
}
