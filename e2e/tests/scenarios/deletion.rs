//! Deleting in the middle of a run stops traffic, leaves nothing and never hangs.

use anyhow::{Result, ensure};
use nettest_api::{condition, result::Flow};
use nettest_e2e::{
    Namespace,
    command::kubectl,
    engine_pod::Role,
    link,
    manifest::{net_test, on_nodes, short, short_spec},
    net_test::results,
    seconds,
};
use std::time::Instant;

/// Long enough that no test of it could end by itself.
const LONG: u32 = 120;

#[tokio::test]
async fn of_a_running_test_stops_its_traffic_within_seconds() -> Result<()> {
    Namespace::with("delete", async |ns| {
        let spec =
            format!("traffic: {{duration: {LONG}s, bitrate: 200M}}\nrepeats: {{count: 1}}\n");
        ns.apply(&net_test("long", &on_nodes("node1", "node2", &spec)))
            .await?;
        ns.engine_runs("long", Role::Client, seconds(60)).await?;
        tokio::time::sleep(seconds(2)).await;
        let rate = link::megabits_to(&ns.cluster, "node2").await?;
        ensure!(rate > 100.0, "no traffic to stop: {rate:.1} Mbit/s");

        ns.kubectl("delete nettest long --timeout=20s")
            .run()
            .await?;
        link::quiet(&ns.cluster, "node2", 10.0, seconds(10)).await?;
        ns.nothing_left(seconds(20)).await
    })
    .await
}

#[tokio::test]
async fn while_the_server_starts_leaves_nothing() -> Result<()> {
    Namespace::with("delete-early", async |ns| {
        ns.apply(&short("early", LONG)).await?;
        ns.engine_pod_when("early", Role::Server, "is there", seconds(30), |_| true)
            .await?;
        ns.kubectl("delete nettest early --timeout=20s")
            .run()
            .await?;
        ns.nothing_left(seconds(30)).await
    })
    .await
}

#[tokio::test]
async fn of_the_run_alone_stops_it() -> Result<()> {
    Namespace::with("delete-run", async |ns| {
        ns.apply(&short("long", LONG)).await?;
        ns.engine_runs("long", Role::Client, seconds(60)).await?;
        ns.kubectl("delete nettestruns --all --timeout=20s")
            .run()
            .await?;
        // The test is still there: it may say so or run again, but it must not hang on to what is gone.
        ns.kubectl("delete nettest long --timeout=20s")
            .run()
            .await?;
        ns.nothing_left(seconds(30)).await
    })
    .await
}

#[tokio::test]
async fn of_the_namespace_never_hangs() -> Result<()> {
    Namespace::with("delete-ns", async |ns| {
        ns.apply(&short("long", LONG)).await?;
        ns.engine_runs("long", Role::Client, seconds(60)).await?;
        let begun = Instant::now();
        kubectl(&format!("delete namespace {} --timeout=50s", ns.name))
            .run()
            .await?;
        let took = begun.elapsed();
        ensure!(took < seconds(40), "took {took:?}");
        // The operator has noticed and goes on with others.
        Namespace::with("after-delete-ns", async |ns| {
            ns.apply(&short("next", 1)).await?;
            ns.succeeds("next", seconds(60)).await.map(drop)
        })
        .await
    })
    .await
}

/// Under the same name at once: what the old one measured is never taken for the new one's.
#[tokio::test]
async fn and_again_under_the_same_name() -> Result<()> {
    Namespace::with("recreate", async |ns| {
        ns.apply(&short("again", 4)).await?;
        ns.engine_runs("again", Role::Client, seconds(60)).await?;
        ns.kubectl("delete nettest again --wait=false")
            .run()
            .await?;
        let reverse = format!(
            "{}topology: {{pair: {{placement: SameNode}}}}\n",
            short_spec(1)
        );
        let reverse = reverse.replace("traffic: {", "traffic: {direction: Reverse, ");
        ns.apply(&net_test("again", &reverse)).await?;
        let test = ns.succeeds("again", seconds(60)).await?;
        let flows: Vec<Flow> = results(&test)?.iter().map(|r| r.flow).collect();
        ensure!(
            flows == [Flow::ServerToClient],
            "results of the old test: {flows:?}"
        );
        let pair = test.status.as_ref().and_then(|s| s.pair.clone());
        ensure!(
            pair.as_ref()
                .is_some_and(|p| p.client.node == p.server.node),
            "nodes of the old test: {pair:?}"
        );
        ensure!(
            ns.runs("again").await?.len() == 1,
            "the old run is still there"
        );
        ensure!(
            nettest_e2e::net_test::is(&test, condition::SUCCEEDED, "True/Passed"),
            "{test:?}"
        );
        Ok(())
    })
    .await
}
