//! Labels and taints of nodes, for as long as a scenario wants them.

use crate::command::kubectl;
use anyhow::Result;

/// The label that says a node's zone.
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// What the kubelets say of themselves (e2e/cluster/lib/addresses.bash).
const ZONES: [(&str, &str); 3] = [("node1", "a"), ("node2", "b"), ("node3", "b")];

/// Runs `body` while nodes have other zones; `None` takes a node's zone away.
pub async fn zoned(
    zones: &[(&str, Option<&str>)],
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let changes = zones
        .iter()
        .map(|(node, zone)| {
            let change = zone.map_or(format!("{ZONE}-"), |zone| format!("{ZONE}={zone}"));
            format!("label --overwrite node {node} {change}")
        })
        .collect();
    let back = ZONES
        .iter()
        .map(|(node, zone)| format!("label --overwrite node {node} {ZONE}={zone}"))
        .collect();
    changed(changes, back, body).await
}

/// Runs `body` while a node has a label (`key=value`).
pub async fn labelled(
    node: &str,
    label: &str,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let key = label.split('=').next().unwrap_or_default();
    let (on, off) = (
        format!("label --overwrite node {node} {label}"),
        format!("label node {node} {key}-"),
    );
    changed(vec![on], vec![off], body).await
}

/// Runs `body` while a node has a taint (`key=value:effect`).
pub async fn tainted(
    node: &str,
    taint: &str,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let (on, off) = (
        format!("taint --overwrite node {node} {taint}"),
        format!("taint node {node} {taint}-"),
    );
    changed(vec![on], vec![off], body).await
}

async fn changed(
    changes: Vec<String>,
    back: Vec<String>,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let _back = Back(back);
    for change in changes {
        kubectl(&change).run().await?;
    }
    body().await
}

/// Undoes it however the body ends, panics included: the next scenario wants the nodes as they were.
struct Back(Vec<String>);

impl Drop for Back {
    fn drop(&mut self) {
        for change in &self.0 {
            let words = change.split_whitespace();
            let ended = std::process::Command::new("kubectl")
                .args(words)
                .stdout(std::process::Stdio::null())
                .status();
            if !ended.as_ref().is_ok_and(|status| status.success()) {
                eprintln!("cannot undo by `kubectl {change}`: {ended:?}");
            }
        }
    }
}
