//! The Helm release under test.

use crate::{cluster::Cluster, command::Command, seconds};
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
