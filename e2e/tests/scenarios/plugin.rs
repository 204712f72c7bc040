//! `kubectl nettest run` against the cluster: what a pipeline types, and its exit codes.

use anyhow::{Context, Result, ensure};
use nettest_api::NetTest;
use nettest_e2e::{
    Namespace,
    command::{Output, kubectl},
    manifest::{net_test, short, short_spec},
    net_test::results,
    seconds,
};

#[tokio::test]
async fn passed_is_0_and_each_call_measures() -> Result<()> {
    Namespace::with("plugin", async |ns| {
        let first = run(ns, &short("plugin", 1), "-o json").await?;
        ensure!(first.code == Some(0), "{first:?}");
        let test: NetTest = serde_json::from_str(&first.stdout).context(first.stdout)?;
        results(&test)?;
        // The same manifest again: a pipeline wants today's figures, not those of last week.
        let second = run(ns, &short("plugin", 1), "").await?;
        ensure!(second.code == Some(0), "{second:?}");
        ensure!(second.stdout.contains("bit/s"), "{second:?}");
        ensure!(ns.runs("plugin").await?.len() == 2, "two calls, two runs");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_missed_threshold_is_1() -> Result<()> {
    Namespace::with("plugin-missed", async |ns| {
        let spec = format!(
            "{}thresholds: [{{name: much, metric: Throughput, min: 900G}}]\n",
            short_spec(1)
        );
        let output = run(ns, &net_test("plugin", &spec), "").await?;
        ensure!(output.code == Some(1), "{output:?}");
        ensure!(
            output.stdout.contains("900 Gbit/s"),
            "what was missed: {output:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_cannot_be_measured_is_2() -> Result<()> {
    Namespace::with("plugin-error", async |ns| {
        let spec = format!(
            "server: {{nodeName: node9}}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        let output = run(ns, &net_test("plugin", &spec), "").await?;
        ensure!(output.code == Some(2), "{output:?}");
        let said = format!("{}{}", output.stdout, output.stderr);
        ensure!(
            said.contains("Unschedulable") && said.contains("node9"),
            "does not say why: {output:?}"
        );
        // The API server's refusal reaches the user, too.
        let refused = run(ns, &net_test("plugin", "traffic: {parallelStreams: 0}"), "").await?;
        ensure!(
            refused.code == Some(2) && refused.stderr.contains("parallelStreams"),
            "{refused:?}"
        );
        Ok(())
    })
    .await
}

async fn run(ns: &Namespace, manifest: &str, flags: &str) -> Result<Output> {
    kubectl(&format!("nettest run --quiet -n {} {flags} -f -", ns.name))
        .input(manifest)
        .deadline(seconds(90))
        .output()
        .await
}
