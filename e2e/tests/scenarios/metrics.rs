//! The figures in Prometheus are those of the status, and go with the test.

use anyhow::{Context, Result, ensure};
use nettest_e2e::{
    Namespace,
    command::Command,
    manifest::{net_test, on_nodes, short, short_spec},
    net_test::results,
    operator::Operator,
    prometheus::{Sample, query},
    run::measured,
    seconds,
    until::{Seen, until},
};

#[tokio::test]
async fn prometheus_has_what_the_status_says_until_the_test_is_deleted() -> Result<()> {
    Namespace::with("metrics", async |ns| {
        let spec = format!(
            "{}thresholds: [{{name: floor, metric: Throughput, min: 1M}}]\n",
            short_spec(2)
        );
        ns.apply(&net_test("measured", &on_nodes("node1", "node2", &spec)))
            .await?;
        let test = ns.succeeds("measured", seconds(60)).await?;
        let result = results(&test)?[0].clone();

        let median = throughput(ns).await?;
        let bits = result.throughput_bits_per_second.median as f64;
        ensure!(
            (median.value * 8.0 - bits).abs() <= 8.0,
            "{} bytes/s, {bits} bits/s",
            median.value
        );
        for (label, value) in [
            ("client_node", "node1"),
            ("server_node", "node2"),
            ("protocol", "TCP"),
            ("path", "PodIP"),
        ] {
            ensure!(
                median.labels.get(label).is_some_and(|v| v == value),
                "{label}: {:?}",
                median.labels
            );
        }
        for (metric, value) in [
            ("nettest_success", 1.0),
            ("nettest_threshold_met", 1.0),
            (
                "nettest_retransmits",
                result.retransmits.context("no retransmits")? as f64,
            ),
        ] {
            let found = await_one(&of(ns, metric, "")).await?;
            ensure!(
                found.value == value,
                "{metric} is {}, not {value}",
                found.value
            );
        }
        for (role, milli) in [
            ("client", result.client_cpu_milli),
            ("server", result.server_cpu_milli),
        ] {
            let found = await_one(&of(
                ns,
                "nettest_engine_cpu_seconds_per_second",
                &format!(",role=\"{role}\""),
            ))
            .await?;
            let milli = milli.context("no CPU in the status")? as f64;
            ensure!(
                (found.value * 1000.0 - milli).abs() <= 1.0,
                "{role}: {} against {milli}",
                found.value
            );
        }
        // UDP's, and unknown here: absent, not 0.
        let loss = query(&of(ns, "nettest_datagram_loss_ratio", "")).await?;
        ensure!(loss.is_empty(), "loss of a TCP test: {loss:?}");

        // A new operator knows them too: from the status, without measuring again.
        Operator::ready(&ns.cluster)
            .await?
            .replaced(&ns.cluster)
            .await?;
        tokio::time::sleep(seconds(2)).await;
        let again = throughput(ns).await?;
        ensure!(
            again.value == median.value,
            "after a restart {} instead of {}",
            again.value,
            median.value
        );

        ns.kubectl("delete nettest measured --timeout=20s")
            .run()
            .await?;
        until("its series are gone", seconds(15), async || {
            let all = format!(
                "{{__name__=~\"nettest_.*\",nettest_namespace=\"{}\"}}",
                ns.name
            );
            let left = query(&all).await?;
            Ok(Seen::when(left.is_empty(), || format!("{left:?}")))
        })
        .await
    })
    .await
}

/// Each pair of a mesh, both ways, as the ConfigMaps have them: also for an operator that has just started.
#[tokio::test]
async fn each_pair_of_a_mesh_has_its_own_series() -> Result<()> {
    Namespace::with("metrics-mesh", async |ns| {
        let spec = "topology: {type: Mesh}\ntraffic: {duration: 1s}\nrepeats: {count: 1}\n";
        ns.apply(&net_test("measured", spec)).await?;
        ns.succeeds("measured", seconds(90)).await?;
        let status = ns.latest("measured").await?;
        let rows = measured(&status)?;
        let check = async || {
            for row in &rows {
                for figures in &row.figures {
                    let more = format!(
                        ",stat=\"median\",client_node=\"{}\",server_node=\"{}\",direction=\"{:?}\"",
                        row.client, row.server, figures.flow
                    );
                    let found =
                        await_one(&of(ns, "nettest_throughput_bytes_per_second", &more)).await?;
                    let bits = figures.throughput_bits_per_second as f64;
                    ensure!(
                        (found.value * 8.0 - bits).abs() <= 8.0,
                        "{row:?}: {found:?}"
                    );
                }
            }
            anyhow::Ok(())
        };
        ensure!(rows.len() == 3, "{rows:?}");
        check().await?;
        let pairs = await_one(&of(ns, "nettest_pairs", ",state=\"measured\"")).await?;
        ensure!(pairs.value == 3.0, "{pairs:?}");
        let node = of(
            ns,
            "nettest_node_throughput_bytes_per_second",
            ",node=\"node1\",role=\"client\",direction=\"ClientToServer\",stat=\"min\"",
        );
        await_one(&node).await?;
        Operator::ready(&ns.cluster)
            .await?
            .replaced(&ns.cluster)
            .await?;
        tokio::time::sleep(seconds(2)).await;
        check().await
    })
    .await
}

/// A failed test has no throughput, rather than one of 0; that it failed is a figure of its own.
#[tokio::test]
async fn a_test_that_could_not_be_measured_has_no_figures() -> Result<()> {
    Namespace::with("no-figures", async |ns| {
        let spec = format!(
            "server: {{nodeName: node9}}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        ns.apply(&net_test("measured", &spec)).await?;
        ns.fails("measured", "Unschedulable", seconds(30)).await?;
        let success = await_one(&of(ns, "nettest_success", "")).await?;
        ensure!(success.value == 0.0, "{success:?}");
        let figures = query(&of(ns, "nettest_throughput_bytes_per_second", "")).await?;
        ensure!(figures.is_empty(), "{figures:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn promtool_has_nothing_to_say() -> Result<()> {
    Namespace::with("promtool", async |ns| {
        ns.apply(&short("measured", 1)).await?;
        ns.succeeds("measured", seconds(60)).await?;
        let operator = Operator::ready(&ns.cluster).await?;
        let text = until("the test's metrics", seconds(10), async || {
            let text = operator.get("/metrics").await?;
            Ok(Seen::some(
                text.contains(&ns.name).then_some(text.clone()),
                || text,
            ))
        })
        .await?;
        let checked = Command::line("promtool check metrics")
            .input(text)
            .output()
            .await?;
        ensure!(
            checked.success && checked.stderr.is_empty(),
            "{}{}",
            checked.stdout,
            checked.stderr
        );
        Ok(())
    })
    .await
}

async fn throughput(ns: &Namespace) -> Result<Sample> {
    await_one(&of(
        ns,
        "nettest_throughput_bytes_per_second",
        ",stat=\"median\"",
    ))
    .await
}

/// A metric of the test here; `more` are further matchers.
fn of(ns: &Namespace, metric: &str, more: &str) -> String {
    format!(
        "{metric}{{nettest_namespace=\"{}\",nettest=\"measured\"{more}}}",
        ns.name
    )
}

/// Prometheus scrapes once a second.
async fn await_one(expression: &str) -> Result<Sample> {
    until(
        &format!("one series {expression}"),
        seconds(15),
        async || {
            let mut found = query(expression).await?;
            let seen = format!("{found:?}");
            Ok(Seen::some(
                (found.len() == 1).then(|| found.remove(0)),
                || seen,
            ))
        },
    )
    .await
}
