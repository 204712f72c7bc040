//! The Helm release under test.

use crate::{cluster::Cluster, command::Command, operator::Operator, seconds};
use anyhow::Result;

/// Release and namespace that `e2e/install` uses.
pub const NAME: &str = "nettest";
pub const NAMESPACE: &str = "nettest-system";

/// `helm LINE` in the release's namespace, split at blanks.
pub fn helm(line: &str) -> Command {
    Command::line(&format!("helm --namespace {NAMESPACE} {line}")).deadline(seconds(90))
}

/// Installs it as `make e2e` does.
pub async fn install(cluster: &Cluster) -> Result<()> {
    Command::new(&cluster.repository("e2e/install").to_string_lossy())
        .deadline(seconds(120))
        .run()
        .await?;
    Ok(())
}

/// Runs `body` while the chart has other values (`policy.maxPairs=2`), which go through `helm upgrade` as an administrator's would.
pub async fn with_values(
    cluster: &Cluster,
    values: &[&str],
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let chart = cluster.repository("charts/nettest");
    let changed = helm(&format!("upgrade {NAME}"))
        .arg(chart.to_string_lossy())
        .args(["--reuse-values", "--wait", "--timeout=60s"])
        .args(values.iter().map(|value| format!("--set={value}")))
        .run()
        .await;
    let ended = match changed {
        Ok(_) => {
            // The old one's last moments are not what this is about.
            Operator::ready(cluster).await?;
            body().await
        }
        Err(error) => Err(error),
    };
    // Whatever came of it: the other scenarios want the chart as it was.
    install(cluster).await?;
    Operator::ready(cluster).await?;
    ended
}
