//! The cluster's own components: stopped for as long as a scenario wants to see what nettest does without one.

use crate::{
    cluster::Cluster,
    command::kubectl,
    seconds,
    until::{Seen, until},
};
use anyhow::Result;

/// Runs `body` while a component (`kube-scheduler`, `kubelet-node3`) is stopped.
pub async fn stopped(
    cluster: &Cluster,
    name: &str,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let again = Again(cluster.clone(), name.to_owned());
    cluster
        .script("component")
        .args(["stop", name])
        .run()
        .await?;
    let ended = body().await;
    drop(again);
    if let Some(node) = name.strip_prefix("kubelet-") {
        node_is_open(node).await?;
    }
    ended
}

/// Waits until a node is Ready and takes pods: the taints of a lost node go a moment after its condition has changed.
async fn node_is_open(node: &str) -> Result<()> {
    let look = format!(
        "get node {node} -o jsonpath={{.status.conditions[?(@.type==\"Ready\")].status}}/{{.spec.taints[*].key}}"
    );
    until(
        &format!("{node} takes pods again"),
        seconds(60),
        async || {
            let seen = kubectl(&look).run().await?;
            Ok(Seen::when(seen == "True/", || seen))
        },
    )
    .await
}

/// Starts it however the body ends, panics included: the next scenario wants the whole cluster.
struct Again(Cluster, String);

impl Drop for Again {
    fn drop(&mut self) {
        let script = self.0.repository("e2e/cluster/component");
        let started = std::process::Command::new(script)
            .args(["start", &self.1])
            .status();
        if !started.as_ref().is_ok_and(|status| status.success()) {
            eprintln!("cannot start {}: {started:?}", self.1);
        }
    }
}
