//! Why it is as fast as it is, where the cluster can be made so.

use anyhow::{Context, Result, ensure};
use nettest_e2e::{
    Namespace,
    link::pods_shaped,
    manifest::{net_test, on_nodes},
    namespace::{HOST_NETWORK, Level},
    seconds,
};

/// What comes to a node's pods is limited, what comes to the node is not: as an overlay does.
#[tokio::test]
async fn a_pod_network_that_is_slower_than_its_nodes_own() -> Result<()> {
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        pods_shaped(&ns.cluster, "node2", "400mbit", async || {
            let spec = "sweep: {paths: [PodIP, Host]}\ntraffic: {duration: 2s}\nrepeats: {count: 2, pause: 0s}\n";
            let spec = on_nodes("node1", "node2", spec);
            ns.apply(&net_test("overlay", &spec)).await?;
            let test = ns.succeeds("overlay", seconds(90)).await?;
            let status = test.status.context("a status")?;
            let found = status.diagnosis.iter().find(|found| found.reason == "OverlayOverhead");
            let found = found.with_context(|| format!("not told: {:?} {:?}", status.diagnosis, status.results))?;
            ensure!(
                found.message.contains("from node1 to node2") && found.message.contains("tcp-p1-podip"),
                "{found:?}"
            );
            Ok(())
        })
        .await
    })
    .await
}
