//! The operator is killed (SIGKILL) in the middle of a run: one result, no second measurement, nothing left.

use anyhow::{Result, ensure};
use nettest_e2e::{
    Namespace, audit,
    engine_pod::{Role, is_running, is_terminated},
    manifest::short,
    net_test::results,
    operator::Operator,
    seconds,
};

#[tokio::test]
async fn while_the_server_starts() -> Result<()> {
    Namespace::with("crash-start", async |ns| {
        let operator = Operator::fresh(&ns.cluster).await?.process()?;
        ns.apply(&short("crash", 2)).await?;
        let server = ns
            .engine_pod_when("crash", Role::Server, "is there", seconds(30), |_| true)
            .await?;
        operator.kill().await?;
        ensure!(!is_running(&server), "too late: the server runs already");
        ensure!(
            ns.engine_pod("crash", Role::Client).await?.is_none(),
            "too late: there is a client"
        );
        one_result(ns, "crash").await
    })
    .await
}

#[tokio::test]
async fn while_the_client_runs() -> Result<()> {
    Namespace::with("crash-run", async |ns| {
        let operator = Operator::fresh(&ns.cluster).await?.process()?;
        ns.apply(&short("crash", 4)).await?;
        ns.engine_runs("crash", Role::Client, seconds(60)).await?;
        operator.kill().await?;
        let client = ns.engine_pod("crash", Role::Client).await?;
        ensure!(
            client.is_some_and(|pod| is_running(&pod)),
            "too late: the client has ended"
        );
        one_result(ns, "crash").await
    })
    .await
}

/// Stopped before the client ends and killed after it has: whatever its speed, it cannot have read the result.
#[tokio::test]
async fn right_after_the_client_ended() -> Result<()> {
    Namespace::with("crash-end", async |ns| {
        let operator = Operator::fresh(&ns.cluster).await?.process()?;
        ns.apply(&short("crash", 2)).await?;
        ns.engine_runs("crash", Role::Client, seconds(60)).await?;
        operator.signal("STOP").await?;
        let ended = ns
            .engine_pod_when(
                "crash",
                Role::Client,
                "has ended",
                seconds(30),
                is_terminated,
            )
            .await;
        // Whatever came of it: a stopped operator must not outlive this test.
        operator.kill().await?;
        ended?;
        one_result(ns, "crash").await
    })
    .await
}

/// Everything at once: the operator is killed again and again while it works.
#[tokio::test]
async fn again_and_again() -> Result<()> {
    Namespace::with("crash-often", async |ns| {
        ns.apply(&short("crash", 2)).await?;
        for _ in 0..2 {
            let operator = Operator::fresh(&ns.cluster).await?;
            operator.process()?.kill().await?;
            operator.restarted(&ns.cluster).await?;
        }
        one_result(ns, "crash").await
    })
    .await
}

async fn one_result(ns: &Namespace, name: &str) -> Result<()> {
    let test = ns.succeeds(name, seconds(90)).await?;
    ensure!(results(&test)?.len() == 1, "{:?}", test.status);
    for role in [Role::Server, Role::Client] {
        let created = audit::engine_pod_creates(&ns.name, role)?;
        ensure!(created.len() == 1, "more than one measurement: {created:?}");
    }
    let runs = ns.runs(name).await?;
    let attempts: Vec<_> = runs
        .iter()
        .filter_map(|run| run.status.as_ref()?.attempt)
        .collect();
    ensure!(attempts == [1], "one run, one attempt: {attempts:?}");
    ns.settled(name, 1, seconds(3)).await?;
    ns.kubectl(&format!("delete nettest {name} --timeout=20s"))
        .run()
        .await?;
    ns.nothing_left(seconds(30)).await
}
