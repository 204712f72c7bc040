//! Meshes: each pair once, both ways, and no node in two measurements at a time.

use anyhow::{Context, Result, ensure};
use nettest_api::{condition, result::Flow};
use nettest_core::names::documents_name;
use nettest_e2e::{
    Namespace, audit,
    engine_pod::Role,
    link::shaped,
    manifest::{net_test, short},
    net_test::{is, results, state},
    node::zoned,
    operator::Operator,
    run::{measured, of_variant},
    seconds,
    witness::Witness,
};

/// A mesh of one-second measurements.
fn mesh(name: &str, mesh: &str, more: &str) -> String {
    net_test(
        name,
        &format!(
            "topology: {{type: Mesh{mesh}}}\ntraffic: {{duration: 1s}}\nrepeats: {{count: 1}}\n{more}"
        ),
    )
}

fn pairs(of: &[[&str; 2]]) -> Vec<[String; 2]> {
    let mut pairs: Vec<[String; 2]> = of.iter().map(|pair| pair.map(str::to_owned)).collect();
    pairs.sort();
    pairs
}

#[tokio::test]
async fn full_measures_each_pair_once_and_both_ways() -> Result<()> {
    Namespace::with("mesh", async |ns| {
        let witness = Witness::of(&[ns]);
        ns.apply(&mesh("mesh", "", "")).await?;
        let test = ns.succeeds("mesh", seconds(90)).await?;
        let seen = witness.end().await?;
        seen.one_at_a_time()?;
        let all = pairs(&[["node1", "node2"], ["node1", "node3"], ["node2", "node3"]]);
        ensure!(seen.pairs() == all, "{:?}", seen.pairs());
        for flow in [Flow::ClientToServer, Flow::ServerToClient] {
            let summary = results(&test)?.iter().find(|result| result.flow == flow);
            ensure!(summary.is_some(), "no summary of {flow:?}: {test:?}");
        }
        let status = ns.latest("mesh").await?;
        let rows = measured(&status)?;
        ensure!(rows.len() == 3, "{rows:?}");
        ensure!(
            rows.iter().all(|row| row.figures.len() == 2),
            "both ways: {rows:?}"
        );
        let ledger = status.ledger.context("no ledger")?;
        let map = format!("get configmap {}-0 -o name", ledger.prefix);
        ns.kubectl(&map).run().await?;
        // The documents of each pair, both ways, as its client wrote them.
        let kept = status.documents.context("no documents")?;
        ensure!(
            kept.pairs == Some(3) && !kept.truncated && kept.config_map.is_none(),
            "{kept:?}"
        );
        let run = test.status.as_ref().and_then(|s| s.latest_run.as_deref());
        let run = run.context("no run")?;
        for number in 0..3 {
            let documents = ns.documents(&documents_name(run, Some(number))).await?;
            let variants: Vec<&str> = documents.iter().map(|d| d.variant.as_str()).collect();
            ensure!(
                variants.len() == 2 && variants[0] != variants[1],
                "{variants:?}"
            );
            for document in &documents {
                let bytes = &document.report["end"]["sum_received"]["bytes"];
                ensure!(
                    bytes.as_u64().is_some_and(|bytes| bytes > 0),
                    "{document:?}"
                );
            }
        }
        ensure!(
            is(&test, condition::COMPLETE, "True/Passed"),
            "{}",
            state(&test, condition::COMPLETE)
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn ring_and_zones_measure_what_they_say() -> Result<()> {
    Namespace::with("mesh-some", async |ns| {
        // node1 in zone a; node2 and node3 in zone b.
        zoned(&[], async || {
            ns.apply(&mesh(
                "zones",
                ", mesh: {selection: PerZonePair, pairsPerNode: 1}",
                "",
            ))
            .await?;
            ns.succeeds("zones", seconds(90)).await?;
            Ok(())
        })
        .await?;
        let status = ns.latest("zones").await?;
        let rows = measured(&status)?;
        ensure!(rows.len() == 2, "one pair across, one within b: {rows:?}");
        let within = rows
            .iter()
            .filter(|row| ![&row.client, &row.server].contains(&&"node1".to_owned()));
        ensure!(within.count() == 1, "{rows:?}");
        ns.apply(&mesh(
            "random",
            ", mesh: {selection: RandomPairs, pairsPerNode: 1}",
            "",
        ))
        .await?;
        ns.succeeds("random", seconds(90)).await?;
        let once = pair_names(ns, "random").await?;
        ns.kubectl("patch nettest random --type merge -p {\"spec\":{\"rerun\":\"again\"}}")
            .run()
            .await?;
        ns.succeeds("random", seconds(90)).await?;
        ensure!(
            once == pair_names(ns, "random").await?,
            "the same pairs in each run"
        );
        Ok(())
    })
    .await
}

async fn pair_names(ns: &Namespace, test: &str) -> Result<Vec<[String; 2]>> {
    let status = ns.latest(test).await?;
    let rows = measured(&status)?;
    Ok(rows
        .iter()
        .map(|row| [row.client.clone(), row.server.clone()])
        .collect())
}

#[tokio::test]
async fn a_second_pass_names_the_slow_node_and_no_other() -> Result<()> {
    Namespace::with("suspect", async |ns| {
        shaped(&ns.cluster, "node3", "10mbit", async || {
            ns.apply(&mesh(
                "suspect",
                "",
                "thresholds: [{name: rate, metric: Throughput, min: 50M}]\n",
            ))
            .await?;
            let message = ns.fails("suspect", "ThresholdNotMet", seconds(120)).await?;
            ensure!(
                message.contains("node3 failed against 2 of 2 nodes"),
                "{message}"
            );
            Ok(())
        })
        .await?;
        let status = ns.latest("suspect").await?;
        let [suspect] = status.suspects.as_slice() else {
            anyhow::bail!("suspects: {:?}", status.suspects);
        };
        ensure!(suspect.node == "node3" && suspect.confirmed, "{suspect:?}");
        let again = status.pairs.iter().filter(|pair| pair.second_pass).count();
        ensure!(again == 1, "{:?}", status.pairs);
        let [threshold] = status.thresholds.as_slice() else {
            anyhow::bail!("thresholds: {:?}", status.thresholds);
        };
        ensure!(
            threshold.missed_pairs == Some(2) && threshold.wanted == Some(50_000_000),
            "{threshold:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn of_one_node_is_refused_with_the_others_named() -> Result<()> {
    Namespace::with("mesh-one", async |ns| {
        let one = ", mesh: {nodeSelector: {kubernetes.io/hostname: node2}}";
        ns.apply(&mesh("one", one, "limits: {scheduleTimeout: 5s}\n"))
            .await?;
        let message = ns.fails("one", "Unschedulable", seconds(30)).await?;
        ensure!(
            message.contains("only node2 fits") && message.contains("node1"),
            "{message}"
        );
        ensure!(audit::pod_creates(&ns.name)?.is_empty(), "pods were made");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_small_test_gets_its_turn_while_a_mesh_runs() -> Result<()> {
    Namespace::with("fair-mesh", async |large| {
        Namespace::with("fair-pair", async |small| {
            let witness = Witness::of(&[large, small]);
            large
                .apply(&mesh("mesh", "", "").replace("duration: 1s", "duration: 4s"))
                .await?;
            large.engine_runs("mesh", Role::Client, seconds(60)).await?;
            small.apply(&short("pair", 1)).await?;
            small.succeeds("pair", seconds(90)).await?;
            let ended = large.test("mesh").await?;
            ensure!(
                !is(&ended, condition::SUCCEEDED, "True/Passed"),
                "the pair had to wait for the mesh's end"
            );
            large.succeeds("mesh", seconds(120)).await?;
            witness.end().await?.one_at_a_time()
        })
        .await
    })
    .await
}

#[tokio::test]
async fn survives_the_operator_and_its_deletion_stops_it() -> Result<()> {
    Namespace::with("mesh-crash", async |ns| {
        let operator = Operator::fresh(&ns.cluster).await?.process()?;
        ns.apply(&mesh("mesh", "", "")).await?;
        ns.pairs_done("mesh", 1).await?;
        operator.kill().await?;
        ns.succeeds("mesh", seconds(120)).await?;
        let status = ns.latest("mesh").await?;
        ensure!(measured(&status)?.len() == 3, "{:?}", status.pairs);
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(clients.len() == 3, "each pair once: {clients:?}");
        ns.apply(&mesh("long", "", "").replace("duration: 1s", "duration: 120s"))
            .await?;
        ns.engine_runs("long", Role::Client, seconds(60)).await?;
        ns.kubectl("delete nettests --all --timeout=20s")
            .run()
            .await?;
        ns.nothing_left(seconds(30)).await
    })
    .await
}

#[tokio::test]
async fn a_sweep_of_a_mesh_has_a_summary_for_each_variant() -> Result<()> {
    Namespace::with("mesh-sweep", async |ns| {
        let nodes = ", mesh: {nodeSelector: {topology.kubernetes.io/zone: b}}";
        ns.apply(&mesh("sweep", nodes, "sweep: {parallelStreams: [1, 2]}\n"))
            .await?;
        let test = ns.succeeds("sweep", seconds(90)).await?;
        for variant in ["tcp-p1", "tcp-p2"] {
            of_variant(results(&test)?, variant)?;
        }
        ensure!(
            results(&test)?.len() == 4,
            "two variants, both ways: {test:?}"
        );
        Ok(())
    })
    .await
}
