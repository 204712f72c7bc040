//! Stars: many clients, one server.

use anyhow::{Result, ensure};
use nettest_e2e::{Namespace, manifest::net_test, run::measured, seconds, witness::Witness};

#[tokio::test]
async fn one_by_one_and_all_at_a_time() -> Result<()> {
    Namespace::with("star", async |ns| {
        for (name, star, at_once, duration) in [
            ("one-by-one", "{type: Star}", 1, 1),
            ("at-once", "{type: Star, star: {concurrency: Simultaneous}}", 2, 4),
        ] {
            let witness = Witness::of(&[ns]);
            let spec = format!(
                "topology: {star}\nserver: {{nodeName: node2}}\ntraffic: {{duration: {duration}s}}\nrepeats: {{count: 1}}\n"
            );
            ns.apply(&net_test(name, &spec)).await?;
            ns.succeeds(name, seconds(90)).await?;
            let seen = witness.end().await?;
            ensure!(seen.at_once == at_once, "{name}: {} at once", seen.at_once);
            let status = ns.latest(name).await?;
            let rows = measured(&status)?;
            let clients: Vec<&str> = rows.iter().map(|row| row.client.as_str()).collect();
            ensure!(clients == ["node1", "node3"], "{name}: {clients:?}");
            ensure!(rows.iter().all(|row| row.server == "node2"), "{rows:?}");
        }
        Ok(())
    })
    .await
}
