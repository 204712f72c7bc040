//! One pair a node at a time, whoever asks.

use anyhow::{Result, ensure};
use kube::ResourceExt;
use nettest_api::{condition, labels};
use nettest_e2e::{
    Namespace, engine_pod::is_terminated, manifest::short, net_test::state, seconds,
};
use std::{collections::BTreeSet, time::Instant};

#[tokio::test]
async fn pairs_on_the_same_nodes_wait_for_each_other() -> Result<()> {
    Namespace::with("queue", async |ns| {
        let names = ["one", "two", "three"];
        let manifests: Vec<String> = names.iter().map(|name| short(name, 2)).collect();
        ns.apply(&manifests.join("---\n")).await?;
        let begun = Instant::now();
        let mut queued = BTreeSet::new();
        loop {
            // Engines of two runs that are not over at one moment would share a node. A pod's own phase lags behind
            // its container's end.
            let pods = ns.engine_pods().await?;
            let live: BTreeSet<_> = pods
                .iter()
                .filter(|pod| !is_terminated(pod))
                .filter_map(|pod| pod.labels().get(labels::RUN_UID))
                .collect();
            ensure!(
                live.len() <= 1,
                "two pairs at once on the same two nodes: {live:?}"
            );
            let mut over = 0;
            for name in names {
                let seen = state(&ns.test(name).await?, condition::SUCCEEDED);
                if seen.starts_with("Unknown/Queued") {
                    queued.insert(name);
                }
                ensure!(!seen.starts_with("False"), "{name}: {seen}");
                over += usize::from(seen.starts_with("True"));
            }
            if over == names.len() {
                break;
            }
            ensure!(
                begun.elapsed() < seconds(90),
                "{over} of 3 are over after 90 s"
            );
        }
        ensure!(queued.len() >= 2, "two should have said Queued: {queued:?}");
        Ok(())
    })
    .await
}
