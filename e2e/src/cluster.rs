//! Where the cluster is. `e2e/run` sets all of it; `eval "$(e2e/cluster/env)"` and NETTEST_E2E=1 do by hand.

use crate::command::Command;
use anyhow::{Context, Result};
use std::{io::Write, path::PathBuf};

/// The nodes of `e2e/cluster`.
pub const NODES: [&str; 3] = ["node1", "node2", "node3"];

/// The cluster under test.
#[derive(Clone)]
pub struct Cluster {
    pub client: kube::Client,
    /// `e2e/cluster`: its scripts.
    scripts: PathBuf,
    /// The running cluster's own folder.
    pub state: PathBuf,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Ends the whole program, in one line, when `make e2e` did not start it: without a cluster nothing may look passed.
    pub async fn connect() -> Result<Cluster> {
        if std::env::var_os("NETTEST_E2E").is_none() {
            let line = "the scenarios need the cluster with the chart installed: run `make e2e` (it sets NETTEST_E2E)";
            // Past libtest's capture.
            let _ = writeln!(std::io::stderr(), "{line}");
            std::process::exit(1);
        }
        let client = kube::Client::try_default()
            .await
            .context("no cluster at KUBECONFIG: run `make e2e`")?;
        Ok(Cluster {
            client,
            scripts: path("NETTEST_CLUSTER_BIN")?,
            state: path("NETTEST_CLUSTER_DIR")?,
        })
    }

    /// One of the scripts of `e2e/cluster`.
    pub fn script(&self, name: &str) -> Command {
        Command::new(&self.scripts.join(name).to_string_lossy())
    }

    /// A file of the repository.
    pub fn repository(&self, file: &str) -> PathBuf {
        self.scripts.join("../..").join(file)
    }
}

/// A path from the environment that `e2e/cluster/env` prints.
pub fn path(variable: &str) -> Result<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .with_context(|| format!("{variable} is not set: run `make e2e`"))
}
