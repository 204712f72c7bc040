//! `kubectl nettest run` against the cluster: what a pipeline types, and its exit codes.

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nettest_api::NetTest;
use nettest_e2e::{
    Namespace,
    command::{Output, kubectl},
    manifest::{net_test, short, short_spec},
    net_test::results,
    seconds,
    until::{Seen, until},
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
        // What a shell does at Tab.
        let completed = kubectl("__complete nettest report plugin -o ht")
            .run()
            .await?;
        ensure!(completed.starts_with("html\t"), "{completed}");
        Ok(())
    })
    .await
}

/// What is asked of a mesh after it ran, and of a run while it goes on.
#[tokio::test]
async fn a_run_is_watched_explained_compared_and_cleaned_up() -> Result<()> {
    Namespace::with("plugin-all", async |ns| {
        let mesh = "topology: {type: Mesh}\ntraffic: {duration: 1s}\nrepeats: {count: 1}\nthresholds: [{name: much, metric: Throughput, min: 900G}]\n";
        ns.apply(&net_test("mesh", mesh)).await?;
        ns.apply(&net_test("pair", "traffic: {duration: 3s}\nrepeats: {count: 2, pause: 0s}\n")).await?;
        let watched = say(ns, "watch pair").await?;
        ensure!(watched.code == Some(0), "{watched:?}");
        for words in ["repeat 1, client to server", "Interval ", "repeat 2, client to server", "pair: PASSED"] {
            ensure!(watched.stdout.contains(words), "no {words}: {watched:?}");
        }
        let mesh = say(ns, "watch mesh").await?;
        ensure!(mesh.code == Some(1), "{mesh:?}");

        let matrix = say(ns, "matrix mesh").await?;
        ensure!(
            ["1 node1", "2 node2", "3 node3", "* the lowest"].iter().all(|w| matrix.stdout.contains(w)),
            "{matrix:?}"
        );
        let why = say(ns, "why mesh").await?;
        ensure!(
            why.stdout.contains("much MISSED") && why.stdout.contains("reasons.md#thresholdnotmet"),
            "{why:?}"
        );
        ns.kubectl(r#"patch nettest pair --type=merge -p {"spec":{"rerun":"again"}}"#)
            .run()
            .await?;
        ns.runs_over("pair", 2, seconds(60)).await?;
        let runs = ns.runs("pair").await?;
        let first = runs.first().map(|run| run.name_any()).context("no run")?;
        let compared = say(ns, &format!("compare run/{first} pair")).await?;
        ensure!(compared.stdout.contains("the spread"), "{compared:?}");
        let history = say(ns, "history pair").await?;
        ensure!(history.stdout.lines().count() == 3, "{history:?}");

        let wrong = say(ns, "why pairs").await?;
        ensure!(
            wrong.code == Some(2) && wrong.stderr.contains("did you mean pair?"),
            "{wrong:?}"
        );
        let cleaned = say(ns, "cleanup pair --yes").await?;
        ensure!(cleaned.stdout.contains("2 runs deleted"), "{cleaned:?}");
        until("the runs are gone", seconds(15), async || {
            let left = ns.runs("pair").await?.len();
            Ok(Seen::when(left == 0, || format!("{left} runs")))
        })
        .await?;
        // The test's own status has the result still.
        let why = say(ns, "why pair").await?;
        ensure!(why.stdout.contains("PASSED"), "{why:?}");
        Ok(())
    })
    .await
}

/// `kubectl nettest LINE` in a namespace.
async fn say(ns: &Namespace, line: &str) -> Result<Output> {
    kubectl(&format!("nettest {line} -n {}", ns.name))
        .deadline(seconds(120))
        .output()
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
