//! `kubectl nettest report` of what a cluster keeps: every form has the figures of the status, and a page is of all that
//! was measured.

use anyhow::{Context, Result, ensure};
use nettest_api::NetTest;
use nettest_e2e::{
    Namespace,
    command::kubectl,
    manifest::{net_test, on_nodes, short_spec},
    net_test::results,
    seconds,
};
use serde_json::Value;

#[tokio::test]
async fn a_sweep_is_the_same_in_every_form() -> Result<()> {
    Namespace::with("report", async |ns| {
        let spec = "sweep: {parallelStreams: [1, 2]}\ntraffic: {duration: 1s}\nrepeats: {count: 2, pause: 0s}\n\
                    thresholds: [{name: much, metric: Throughput, min: 900G}]\n";
        ns.apply(&net_test("sweep", &on_nodes("node1", "node2", spec))).await?;
        ns.fails("sweep", "ThresholdNotMet", seconds(60)).await?;
        let test = ns.test("sweep").await?;
        let rates = rates(&test)?;

        let json: Value = serde_json::from_str(&report(ns, "sweep -o json").await?)?;
        let of_json = json["run"]["status"]["results"].as_array().context("no results")?;
        let of_json: Vec<i64> = of_json
            .iter()
            .filter_map(|result| result["throughputBitsPerSecond"]["median"].as_i64())
            .collect();
        ensure!(of_json == rates, "{of_json:?}, not {rates:?}");
        let documents = json["documents"].as_array().map_or(0, Vec::len);
        ensure!(documents == 4, "2 variants, twice each, and {documents} documents");

        let csv = report(ns, "sweep -o csv").await?;
        for (line, rate) in csv.lines().skip(1).zip(&rates) {
            let cells: Vec<&str> = line.split(',').collect();
            ensure!(cells.contains(&rate.to_string().as_str()) && cells.contains(&"node1"), "{rate}: {line}");
        }
        ensure!(csv.lines().count() == 1 + rates.len(), "{csv}");

        let junit = report(ns, "sweep -o junit").await?;
        ensure!(
            junit.contains(r#"tests="2" failures="1""#) && junit.contains("900 Gbit/s"),
            "{junit}"
        );

        let printed: Vec<&str> = results(&test)?.iter().map(|result| result.throughput.as_str()).collect();
        for form in ["md", "html"] {
            let text = report(ns, &format!("sweep -o {form}")).await?;
            for words in printed.iter().chain(&["much", "FAILED", "node2"]) {
                ensure!(text.contains(words), "no {words} in {form}: {text}");
            }
        }
        let html = report(ns, "sweep -o html").await?;
        for section in ["Throughput over time", "Throughput against streams", "Round-trip time", "Environment"] {
            ensure!(html.contains(section), "no {section}: {html}");
        }
        for outside in ["src=\"http", "href=\"http", "url(", "@import"] {
            ensure!(!html.contains(outside), "{outside} in {html}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_mesh_has_every_pair_and_their_documents() -> Result<()> {
    Namespace::with("report-mesh", async |ns| {
        let spec = format!("topology: {{type: Mesh}}\n{}", short_spec(1));
        ns.apply(&net_test("mesh", &spec)).await?;
        ns.succeeds("mesh", seconds(90)).await?;
        // A pair measures both ways: three pairs, six ways.
        let csv = report(ns, "mesh -o csv").await?;
        ensure!(csv.lines().count() == 1 + 6, "{csv}");
        let html = report(ns, "mesh -o html").await?;
        for section in [
            "Every node against every other",
            "Throughput over time",
            "Environment",
        ] {
            ensure!(html.contains(section), "no {section}: {html}");
        }
        let json: Value = serde_json::from_str(&report(ns, "mesh -o json").await?)?;
        let documents = json["documents"].as_array().context("no documents")?;
        let mut pairs: Vec<u64> = documents
            .iter()
            .filter_map(|document| document["pair"].as_u64())
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        ensure!(pairs == [0, 1, 2], "documents of the pairs {pairs:?}");
        Ok(())
    })
    .await
}

fn rates(test: &NetTest) -> Result<Vec<i64>> {
    let results = results(test)?.iter();
    Ok(results
        .map(|result| result.throughput_bits_per_second.median)
        .collect())
}

async fn report(ns: &Namespace, line: &str) -> Result<String> {
    kubectl(&format!("nettest report {line} -n {}", ns.name))
        .run()
        .await
}
