//! Applying runs a test; applying the same again does not; a changed spec runs again; a user may make a run.

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nettest_api::{condition, result::Flow};
use nettest_e2e::{
    Namespace, audit,
    engine_pod::Role,
    manifest::{net_test, short, short_spec},
    net_test::{results, state},
    seconds,
};

#[tokio::test]
async fn an_identical_apply_does_nothing_and_a_changed_spec_runs_again() -> Result<()> {
    Namespace::with("rerun", async |ns| {
        let manifest = short("rerun", 1);
        ns.apply(&manifest).await?;
        let first = ns.succeeds("rerun", seconds(60)).await?;
        let said = ns.apply(&manifest).await?;
        ensure!(said.contains("unchanged"), "kubectl apply: {said}");
        ns.settled("rerun", 1, seconds(4)).await?;
        // Labels are no spec: not a new generation, so not a new run.
        ns.kubectl("label nettest rerun team=network").run().await?;
        ns.settled("rerun", 1, seconds(4)).await?;

        let reverse = short_spec(1).replace("traffic: {", "traffic: {direction: Reverse, ");
        ns.apply(&net_test("rerun", &reverse)).await?;
        let second = ns.succeeds("rerun", seconds(60)).await?;
        ensure!(
            second.metadata.generation == Some(2),
            "{:?}",
            second.metadata.generation
        );
        ensure!(
            results(&first)?[0].flow == Flow::ClientToServer,
            "{first:?}"
        );
        ensure!(
            results(&second)?[0].flow == Flow::ServerToClient,
            "the old result stayed: {second:?}"
        );
        let run = second.status.as_ref().and_then(|s| s.latest_run.as_deref());
        ensure!(run == Some("rerun-2"), "latest run: {run:?}");
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(clients.len() == 2, "two measurements: {clients:?}");
        Ok(())
    })
    .await
}

/// A spec that changes while its run goes on: the old run ends, the new one counts.
#[tokio::test]
async fn a_spec_that_changes_in_the_middle_of_a_run() -> Result<()> {
    Namespace::with("change", async |ns| {
        ns.apply(&short("change", 60)).await?;
        ns.engine_runs("change", Role::Client, seconds(60)).await?;
        let reverse = short_spec(1).replace("traffic: {", "traffic: {direction: Reverse, ");
        ns.apply(&net_test("change", &reverse)).await?;
        // Well before the 60 s of the old one are over.
        let test = ns.succeeds("change", seconds(40)).await?;
        ensure!(results(&test)?[0].flow == Flow::ServerToClient, "{test:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_run_of_a_users_own() -> Result<()> {
    Namespace::with("own-run", async |ns| {
        let manifest = "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {generateName: mine-}\n\
             spec: {test: {traffic: {duration: 1s}, repeats: {count: 1}}}\n";
        let created = ns.kubectl("create -o name -f -").input(manifest).run().await?;
        let created = created.trim();
        ns.kubectl(&format!("wait --for=condition=Succeeded --timeout=60s {created}"))
            .deadline(seconds(70))
            .run()
            .await?;
        let table = ns.kubectl("get nettestruns").run().await?;
        ensure!(table.contains("bit/s") && table.contains("Passed"), "kubectl get nettestruns:\n{table}");
        let refused = ns
            .kubectl(&format!("patch {created} --type=merge -p {{\"spec\":{{\"test\":{{\"repeats\":{{\"count\":2}}}}}}}}"))
            .refused()
            .await?;
        ensure!(refused.contains("cannot be changed"), "{refused}");
        Ok(())
    })
    .await
}

/// The documents of all repeats are kept with the run, as iperf3 would print them.
#[tokio::test]
async fn the_full_documents_are_kept_with_the_run() -> Result<()> {
    Namespace::with("documents", async |ns| {
        ns.apply(&net_test(
            "kept",
            "traffic: {duration: 1s}\nrepeats: {count: 2, pause: 0s}\n",
        ))
        .await?;
        let test = ns.succeeds("kept", seconds(60)).await?;
        let runs = ns.runs("kept").await?;
        let run = runs.first().context("no run")?;
        let documents = run.status.as_ref().and_then(|s| s.documents.as_ref());
        let documents = documents
            .with_context(|| format!("no documents: {}", state(&test, condition::MEASURED)))?;
        ensure!(!documents.truncated, "{documents:?}");
        let map = documents.config_map.as_deref().context("no ConfigMap")?;
        let owners = ns
            .kubectl(&format!(
                "get configmap {map} -o jsonpath={{.metadata.ownerReferences[*].name}}"
            ))
            .run()
            .await?;
        ensure!(owners == run.name_any(), "owned by {owners}");
        let documents = ns.documents(map).await?;
        let repeats: Vec<u32> = documents.iter().map(|document| document.repeat).collect();
        ensure!(repeats == [1, 2], "{documents:?}");
        Ok(())
    })
    .await
}
