//! An engine's pod is taken away in the middle of a run: one outcome, soon, that says so.

use anyhow::{Result, ensure};
use kube::ResourceExt;
use nettest_api::condition;
use nettest_e2e::{
    Namespace,
    engine_pod::Role,
    manifest::short,
    net_test::{is, state},
    seconds,
};

#[tokio::test]
async fn the_client() -> Result<()> {
    lost("lost-client", Role::Client).await
}

#[tokio::test]
async fn the_server() -> Result<()> {
    lost("lost-server", Role::Server).await
}

async fn lost(title: &str, role: Role) -> Result<()> {
    Namespace::with(title, async |ns| {
        ns.apply(&short("lost", 4)).await?;
        ns.engine_runs("lost", Role::Client, seconds(60)).await?;
        let Some(pod) = ns.engine_pod("lost", role).await? else {
            anyhow::bail!("no {} to take away", role.as_str());
        };
        ns.kubectl(&format!(
            "delete pod {} --grace-period=0 --force",
            pod.name_any()
        ))
        .run()
        .await?;
        let test = ns.finished("lost", seconds(60)).await?;
        let attempt = ns
            .runs("lost")
            .await?
            .first()
            .and_then(|run| run.status.as_ref()?.attempt);
        let ended = state(&test, condition::SUCCEEDED);
        // A new numbered attempt, or an end that says why; never a result of half a measurement.
        let again = is(&test, condition::SUCCEEDED, "True/Passed") && attempt == Some(2);
        let failed = ["Interrupted", "PeerUnreachable", "NodeLost"]
            .iter()
            .any(|reason| is(&test, condition::SUCCEEDED, &format!("False/{reason}")));
        ensure!(again || failed, "attempt {attempt:?}: {ended}");
        ns.settled("lost", 1, seconds(3)).await
    })
    .await
}
