//! Where the two pods go.

use anyhow::{Context, Result, ensure};
use nettest_e2e::{
    Namespace,
    manifest::{net_test, short_spec},
    seconds,
};

#[tokio::test]
async fn on_one_node_by_label_and_by_name() -> Result<()> {
    Namespace::with("placement", async |ns| {
        for (name, where_to, nodes) in [
            (
                "same",
                "topology: {pair: {placement: SameNode}}\nserver: {nodeName: node2}\n",
                [&["node2"][..], &["node2"]],
            ),
            (
                "label",
                "server: {nodeSelector: {topology.kubernetes.io/zone: a}}\n",
                // Whichever is free: the pods of the test before may be on their way out.
                [&["node2", "node3"][..], &["node1"]],
            ),
            (
                "any",
                "topology: {pair: {placement: Any}}\nclient: {nodeName: node2}\n",
                [&["node2"][..], &["node1", "node2", "node3"]],
            ),
        ] {
            ns.apply(&net_test(name, &format!("{where_to}{}", short_spec(1))))
                .await?;
            let test = ns.succeeds(name, seconds(60)).await?;
            let pair = test
                .status
                .and_then(|s| s.pair)
                .context("no pair in the status")?;
            let [client, server] = nodes;
            ensure!(
                client.contains(&&*pair.client.node) && server.contains(&&*pair.server.node),
                "{name}: {pair:?}"
            );
        }
        Ok(())
    })
    .await
}

/// A loopback figure must never pass for the network's.
#[tokio::test]
async fn on_two_nodes_where_only_one_fits_never_measures_loopback() -> Result<()> {
    Namespace::with("one-node", async |ns| {
        let zone_a = "{nodeSelector: {topology.kubernetes.io/zone: a}}";
        let spec = format!(
            "client: {zone_a}\nserver: {zone_a}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        ns.apply(&net_test("one-node", &spec)).await?;
        let message = ns.fails("one-node", "Unschedulable", seconds(30)).await?;
        ensure!(
            message.contains("node2"),
            "does not say why node2 does not fit: {message}"
        );
        Ok(())
    })
    .await
}
