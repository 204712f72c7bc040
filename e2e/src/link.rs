//! The wire of a node: its rate, and what goes over it.

use crate::{
    cluster::Cluster,
    until::{Seen, until},
};
use anyhow::Result;
use std::time::{Duration, Instant};

/// Runs `body` while the link of a node is limited to `rate` (tc's way to write it).
pub async fn shaped(
    cluster: &Cluster,
    node: &str,
    rate: &str,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    let _limit = Limit(cluster.clone(), node.to_owned());
    cluster.script("shape").args([node, rate]).run().await?;
    body().await
}

/// Runs `body` while what comes to the pods of a node is limited to `rate`, and what comes to the node itself is not.
pub async fn pods_shaped(
    cluster: &Cluster,
    node: &str,
    rate: &str,
    body: impl AsyncFnOnce() -> Result<()>,
) -> Result<()> {
    /// The bridge of a node's pods: what is routed to them leaves by it.
    const PODS: &str = "cni0";
    struct Limit(Cluster, String);
    impl Drop for Limit {
        fn drop(&mut self) {
            let script = self.0.repository("e2e/cluster/on");
            let off = ["tc", "qdisc", "delete", "dev", PODS, "root"];
            let ended = std::process::Command::new(script)
                .arg(&self.1)
                .args(off)
                .status();
            if !ended.as_ref().is_ok_and(|status| status.success()) {
                eprintln!("cannot unshape the pods of {}: {ended:?}", self.1);
            }
        }
    }
    let on =
        format!("{node} tc qdisc replace dev {PODS} root tbf rate {rate} burst 64kb latency 50ms");
    cluster.script("on").args(on.split(' ')).run().await?;
    let _limit = Limit(cluster.clone(), node.to_owned());
    body().await
}

/// Takes the limit away however the body ends, panics included: the next scenario wants the whole link.
struct Limit(Cluster, String);

impl Drop for Limit {
    fn drop(&mut self) {
        let script = self.0.repository("e2e/cluster/unshape");
        if let Err(error) = std::process::Command::new(script).arg(&self.1).status() {
            eprintln!("cannot unshape {}: {error}", self.1);
        }
    }
}

/// Bytes that went to a node over its wire since the cluster started.
async fn bytes_to(cluster: &Cluster, node: &str) -> Result<u64> {
    let count = cluster
        .script("on")
        .args([
            "cp".to_owned(),
            "cat".to_owned(),
            format!("/sys/class/net/veth-{node}/statistics/tx_bytes"),
        ])
        .run()
        .await?;
    Ok(count.trim().parse()?)
}

/// Waits until what goes to a node is below `megabits` a second; how long that took.
pub async fn quiet(
    cluster: &Cluster,
    node: &str,
    megabits: f64,
    deadline: Duration,
) -> Result<Duration> {
    let begun = Instant::now();
    until(
        &format!("traffic to {node} has stopped"),
        deadline,
        async || {
            let rate = megabits_to(cluster, node).await?;
            Ok(Seen::when(rate < megabits, || format!("{rate:.1} Mbit/s")))
        },
    )
    .await?;
    Ok(begun.elapsed())
}

/// What goes to a node, in Mbit/s over half a second.
pub async fn megabits_to(cluster: &Cluster, node: &str) -> Result<f64> {
    let begun = Instant::now();
    let before = bytes_to(cluster, node).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let after = bytes_to(cluster, node).await?;
    Ok(after.saturating_sub(before) as f64 * 8.0 / 1e6 / begun.elapsed().as_secs_f64())
}
