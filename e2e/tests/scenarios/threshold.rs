//! A threshold that is missed is a result: said once, never measured again.

use anyhow::{Result, ensure};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, ListParams};
use nettest_api::{condition, result::Verdict};
use nettest_e2e::{
    Namespace, audit,
    engine_pod::Role,
    manifest::{net_test, short_spec},
    net_test::{is, results, state},
    seconds,
    until::{Seen, until},
};

#[tokio::test]
async fn a_missed_threshold_fails_the_test_and_is_not_measured_again() -> Result<()> {
    Namespace::with("threshold", async |ns| {
        let thresholds = "thresholds:\n\
             - {name: too-much, metric: Throughput, min: 900G}\n\
             - {name: easy, metric: Throughput, min: 1M}\n";
        ns.apply(&net_test(
            "threshold",
            &format!("{}{thresholds}", short_spec(2)),
        ))
        .await?;
        ns.kubectl("wait --for=condition=Succeeded=False --timeout=60s nettest/threshold")
            .deadline(seconds(70))
            .run()
            .await?;

        let test = ns.test("threshold").await?;
        for (kind, expected) in [
            (condition::SUCCEEDED, "False/ThresholdNotMet"),
            (condition::WITHIN_THRESHOLDS, "False/ThresholdNotMet"),
            (condition::MEASURED, "True/MeasurementComplete"),
        ] {
            ensure!(
                is(&test, kind, expected),
                "{kind} is {}",
                state(&test, kind)
            );
        }
        let message = state(&test, condition::SUCCEEDED);
        ensure!(
            message.contains("too-much") && message.contains("900 Gbit/s"),
            "what was missed: {message}"
        );
        results(&test)?;
        let status = test.status.unwrap_or_default();
        ensure!(
            status.verdict == Some(Verdict::Failed),
            "{:?}",
            status.verdict
        );
        let met: Vec<_> = status
            .thresholds
            .iter()
            .map(|t| (t.name.as_str(), t.met))
            .collect();
        ensure!(
            met == [("too-much", false), ("easy", true)],
            "{:?}",
            status.thresholds
        );

        let events: Api<Event> = ns.api();
        until("an event says so", seconds(10), async || {
            let events = events.list(&ListParams::default()).await?;
            let reasons: Vec<_> = events.iter().filter_map(|e| e.reason.clone()).collect();
            Ok(Seen::when(
                reasons.iter().any(|r| r == "ThresholdNotMet"),
                || reasons.join(", "),
            ))
        })
        .await?;

        ns.settled("threshold", 1, seconds(8)).await?;
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(clients.len() == 1, "measured more than once: {clients:?}");
        Ok(())
    })
    .await
}
