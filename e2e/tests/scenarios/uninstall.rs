//! `helm uninstall` in the middle of a run.

use anyhow::{Result, ensure};
use nettest_e2e::{
    Namespace,
    command::kubectl,
    engine_pod::Role,
    manifest::short,
    operator::Operator,
    release::{self, helm},
    seconds,
};

#[tokio::test]
async fn in_the_middle_of_a_run_never_hangs() -> Result<()> {
    Namespace::with("uninstall", async |ns| {
        ns.apply(&short("long", 60)).await?;
        ns.engine_runs("long", Role::Client, seconds(60)).await?;
        let body = uninstalled(ns).await;
        // Whatever came of it: the other scenarios need the chart.
        release::install(&ns.cluster).await?;
        body?;

        Operator::ready(&ns.cluster).await?;
        ns.apply(&short("after", 1)).await?;
        ns.succeeds("after", seconds(60)).await.map(drop)
    })
    .await
}

async fn uninstalled(ns: &Namespace) -> Result<()> {
    helm("uninstall nettest --wait --timeout 60s").run().await?;
    let left = kubectl(
        "get clusterroles,clusterrolebindings -l app.kubernetes.io/instance=nettest -o name",
    );
    let left = left.run().await?;
    ensure!(left.trim().is_empty(), "left behind: {left}");
    // The kinds are kept, and with them what users made; it goes away without an operator: there is no finalizer.
    ns.test("long").await?;
    ns.kubectl("delete nettest long --timeout=20s")
        .run()
        .await?;
    ns.nothing_left(seconds(30)).await
}
