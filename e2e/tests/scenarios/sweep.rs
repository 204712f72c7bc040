//! Variants, repeats and what they must reach.

use anyhow::{Context, Result, ensure};
use nettest_api::{condition, threshold::Severity, traffic::Protocol};
use nettest_e2e::{
    Namespace, audit,
    engine_pod::Role,
    link,
    manifest::{net_test, on_nodes},
    net_test::{is, results, state},
    run::of_variant,
    seconds,
};

#[tokio::test]
async fn one_client_measures_every_combination() -> Result<()> {
    Namespace::with("sweep", async |ns| {
        let spec = "sweep: {parallelStreams: [1, 4], messageSizes: [1400, 8Ki], protocols: [TCP, UDP]}\n\
             traffic: {duration: 1s, bitrate: 20M}\nrepeats: {count: 1, pause: 0s}\n";
        ns.apply(&net_test("sweep", spec)).await?;
        let test = ns.succeeds("sweep", seconds(90)).await?;
        ensure!(results(&test)?.len() == 8, "{:?}", results(&test)?);
        let udp = of_variant(results(&test)?, "udp-p4-l1400")?;
        ensure!(udp.protocol == Protocol::UDP && udp.datagrams.is_some(), "{udp:?}");
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(clients.len() == 1, "{clients:?}");
        Ok(())
    })
    .await
}

/// 64 variants do not fit a termination message: their figures come from the log.
#[tokio::test]
async fn sixty_four_variants_are_all_in_the_result() -> Result<()> {
    Namespace::with("sweep-64", async |ns| {
        let spec = "sweep: {parallelStreams: [1, 2, 3, 4], windowSizes: [64Ki, 128Ki, 256Ki, 512Ki], messageSizes: [1Ki, 4Ki, 16Ki, 64Ki]}\n\
             traffic: {bytes: 1M, direction: Bidirectional}\nrepeats: {count: 2, pause: 0s}\n";
        ns.apply(&net_test("many", spec)).await?;
        let test = ns.succeeds("many", seconds(120)).await?;
        ensure!(results(&test)?.len() == 128, "{} results", results(&test)?.len());
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_does_not_hold_still_is_unstable() -> Result<()> {
    Namespace::with("unstable", async |ns| {
        let spec = "traffic: {duration: 1s}\nrepeats: {count: 4, pause: 2s, maxSpreadPercent: 50, maxCount: 5}\n";
        let manifest = net_test("unstable", &on_nodes("node1", "node2", spec));
        ns.apply(&manifest).await?;
        ns.engine_runs("unstable", Role::Client, seconds(60)).await?;
        tokio::time::sleep(seconds(4)).await;
        let mut message = String::new();
        link::shaped(&ns.cluster, "node2", "20mbit", async || {
            message = ns.fails("unstable", "Unstable", seconds(90)).await?;
            Ok(())
        })
        .await?;
        ensure!(message.contains("over 5 repeats"), "extra repeats: {message}");
        let test = ns.test("unstable").await?;
        ensure!(is(&test, condition::MEASURED, "True/MeasurementComplete"), "{}", state(&test, condition::MEASURED));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_warning_passes_and_history_is_compared_with() -> Result<()> {
    Namespace::with("history", async |ns| {
        let spec = "traffic: {duration: 1s, bitrate: 50M}\nrepeats: {count: 1}\nthresholds:\n\
             - {name: wish, metric: Throughput, min: 900M, severity: Warn}\n\
             - {name: regression, metric: Throughput, relativeTo: {kind: History, percent: 80, runs: 3}}\n";
        ns.apply(&net_test("history", spec)).await?;
        let first = ns.succeeds("history", seconds(60)).await?;
        let thresholds = first.status.context("a status")?.thresholds;
        ensure!(!thresholds[0].met && thresholds[0].severity == Severity::Warn, "{thresholds:?}");
        ensure!(thresholds[1].met && thresholds[1].message.contains("no earlier run"), "{thresholds:?}");
        ns.apply(&net_test("history", &spec.replace("50M", "20M"))).await?;
        let message = ns.fails("history", "ThresholdNotMet", seconds(60)).await?;
        ensure!(message.contains("80 % of the 5"), "{message}");
        Ok(())
    })
    .await
}
