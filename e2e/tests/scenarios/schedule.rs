//! A schedule, its history, and what is kept of both.

use anyhow::{Result, ensure};
use nettest_e2e::{
    Namespace,
    manifest::{net_test, short_spec},
    seconds,
    until::{Seen, until},
};

#[tokio::test]
async fn it_fires_twice_and_keeps_what_it_should() -> Result<()> {
    Namespace::with("schedule", async |ns| {
        let spec = format!(
            "schedule: {{cron: '* * * * *'}}\ncleanup: {{successfulRunsHistoryLimit: 1}}\n{}",
            short_spec(1)
        );
        ns.apply(&net_test("minutely", &spec)).await?;
        until("the next run is known", seconds(30), async || {
            let status = ns.test("minutely").await?.status.unwrap_or_default();
            Ok(Seen::when(status.next_run_time.is_some(), || {
                format!("{status:?}")
            }))
        })
        .await?;
        ensure!(
            ns.runs("minutely").await?.is_empty(),
            "it runs at its times only"
        );
        until("two runs have ended", seconds(150), async || {
            let status = ns.test("minutely").await?.status.unwrap_or_default();
            let ended = status.history.len();
            Ok(Seen::when(ended >= 2, || {
                format!("{ended} in the history: {status:?}")
            }))
        })
        .await?;
        until("one run is kept", seconds(20), async || {
            let runs = ns.runs("minutely").await?;
            Ok(Seen::when(runs.len() == 1, || {
                format!("{} runs", runs.len())
            }))
        })
        .await?;
        let status = ns.test("minutely").await?.status.unwrap_or_default();
        let times: std::collections::BTreeSet<_> =
            status.history.iter().map(|past| past.run.clone()).collect();
        ensure!(
            times.len() == status.history.len(),
            "one run for one time: {:?}",
            status.history
        );
        ns.kubectl(
            "patch nettest minutely --type merge -p {\"spec\":{\"schedule\":{\"suspend\":true}}}",
        )
        .run()
        .await?;
        until("there is no next run", seconds(20), async || {
            let status = ns.test("minutely").await?.status.unwrap_or_default();
            Ok(Seen::when(status.next_run_time.is_none(), || {
                format!("{:?}", status.next_run_time)
            }))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn ttl_takes_runs_away_and_pods_are_kept_where_asked() -> Result<()> {
    Namespace::with("cleanup", async |ns| {
        let spec = format!("cleanup: {{ttlAfterFinished: 5s}}\n{}", short_spec(1));
        ns.apply(&net_test("short-lived", &spec)).await?;
        ns.succeeds("short-lived", seconds(60)).await?;
        until("its run is gone", seconds(30), async || {
            let runs = ns.runs("short-lived").await?;
            Ok(Seen::when(runs.is_empty(), || format!("{} runs", runs.len())))
        })
        .await?;
        let verdict = ns.test("short-lived").await?.status.and_then(|status| status.verdict);
        ensure!(verdict.is_some(), "the result went with it");
        let spec = format!("cleanup: {{pods: OnSuccess}}\nthresholds: [{{name: x, metric: Throughput, min: 900T}}]\n{}", short_spec(1));
        ns.apply(&net_test("kept", &spec)).await?;
        ns.fails("kept", "ThresholdNotMet", seconds(60)).await?;
        until("the client is kept, the server is not", seconds(20), async || {
            let pods = ns.engine_pods().await?;
            let phases: Vec<_> = pods.iter().map(nettest_e2e::engine_pod::phase).collect();
            Ok(Seen::when(phases == ["Succeeded"], || format!("{phases:?}")))
        })
        .await?;
        ns.kubectl("delete nettest kept --timeout=20s").run().await?;
        ns.kubectl("delete nettest short-lived --timeout=20s").run().await?;
        ns.nothing_left(seconds(30)).await
    })
    .await
}
