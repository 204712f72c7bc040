//! Exclusive CPUs: granted by the kubelet, used by the engine, and never done without in silence.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use nettest_api::{condition, result::EndpointStatus};
use nettest_e2e::{
    Namespace, audit,
    container::Container,
    engine_pod::Role,
    manifest::{net_test, pinned},
    net_test::{is, results, state},
    seconds,
    until::{Seen, until},
};
use std::collections::BTreeSet;

const PINNED: &str = "True/ExclusiveConfirmed";

#[tokio::test]
async fn engines_run_on_the_cpus_that_the_kubelet_granted() -> Result<()> {
    Namespace::with("pinned", async |ns| {
        ns.apply(&pinned("pinned", 4, "")).await?;
        let client = ns.engine_runs("pinned", Role::Client, seconds(60)).await?;
        let server = ns.engine_runs("pinned", Role::Server, seconds(5)).await?;
        // The engine pins its data threads when they start, a moment after the container.
        tokio::time::sleep(seconds(1)).await;
        let granted = [exclusive_cpu(ns, &client)?, exclusive_cpu(ns, &server)?];

        let test = ns.succeeds("pinned", seconds(60)).await?;
        ensure!(
            is(&test, condition::CPU_PINNED, PINNED),
            "{}",
            state(&test, condition::CPU_PINNED)
        );
        let pair = test
            .status
            .and_then(|s| s.pair)
            .context("no pair in the status")?;
        ensure!(
            [reported(&pair.client), reported(&pair.server)] == granted,
            "the status says {pair:?}, the kubelet granted {granted:?}"
        );
        Ok(())
    })
    .await
}

/// The CPU that a pod's engine has to itself, by everybody's account.
fn exclusive_cpu(ns: &Namespace, pod: &Pod) -> Result<String> {
    let container = Container::of(pod, "engine")?;
    let granted = container
        .exclusive_cpus(&ns.cluster)?
        .context("the kubelet granted no exclusive CPU")?;
    let cgroup = container.cpuset()?;
    ensure!(
        cgroup == granted,
        "granted {granted}, but the cgroup has {cgroup}"
    );
    ensure!(
        cgroup.parse::<u32>().is_ok(),
        "one CPU was asked for, not {cgroup}"
    );
    let process = container.process("nettest-engine")?;
    let only = BTreeSet::from([cgroup.clone()]);
    ensure!(
        process.allowed_cpus()? == only,
        "threads may use {:?}",
        process.allowed_cpus()?
    );
    ensure!(
        process.last_cpus()? == only,
        "threads ran on {:?}",
        process.last_cpus()?
    );
    Ok(cgroup)
}

fn reported(end: &EndpointStatus) -> String {
    end.allowed_cpus.clone().unwrap_or_default()
}

#[tokio::test]
async fn a_second_pinned_test_waits_for_the_first() -> Result<()> {
    Namespace::with("pinned-twice", async |ns| {
        ns.apply(&pinned("first", 4, "")).await?;
        ns.engine_pod_when("first", Role::Server, "is there", seconds(30), |_| true)
            .await?;
        ns.apply(&pinned("second", 2, "")).await?;
        let queued = ns
            .becomes(
                "second",
                condition::SUCCEEDED,
                "Unknown/Queued",
                seconds(20),
            )
            .await?;
        ensure!(
            state(&queued, condition::SUCCEEDED).contains("first"),
            "the holder is not named: {}",
            state(&queued, condition::SUCCEEDED)
        );
        ns.engine_runs("first", Role::Client, seconds(60)).await?;
        ensure!(
            audit::engine_pod_creates(&ns.name, Role::Server)?.len() == 1,
            "the second did not wait"
        );
        for name in ["first", "second"] {
            let test = ns.succeeds(name, seconds(90)).await?;
            ensure!(
                is(&test, condition::CPU_PINNED, PINNED),
                "{name}: {}",
                state(&test, condition::CPU_PINNED)
            );
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn without_an_exclusive_cpu_left_it_fails_and_never_runs_unpinned() -> Result<()> {
    Namespace::with("no-cpu", async |ns| {
        ns.take_exclusive_cpu("neighbour", "node2").await?;
        ns.apply(&pinned("no-cpu", 2, "limits: {scheduleTimeout: 8s}\n"))
            .await?;
        until("it says what it waits for", seconds(8), async || {
            let seen = state(&ns.test("no-cpu").await?, condition::SCHEDULED);
            Ok(Seen::when(seen.contains("Insufficient cpu"), || seen))
        })
        .await?;
        let message = ns
            .fails("no-cpu", "ExclusiveCPUNotGranted", seconds(30))
            .await?;
        ensure!(
            message.contains("Insufficient cpu"),
            "not the scheduler's own message: {message}"
        );
        let test = ns.test("no-cpu").await?;
        ensure!(
            is(&test, condition::CPU_PINNED, "False/Refused"),
            "{}",
            state(&test, condition::CPU_PINNED)
        );
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(
            clients.is_empty(),
            "a client was started all the same: {clients:?}"
        );
        Ok(())
    })
    .await
}

/// With Preferred it is measured all the same, and says that it was not as asked.
#[tokio::test]
async fn without_an_exclusive_cpu_left_preferred_runs_in_the_shared_pool_and_says_so() -> Result<()>
{
    Namespace::with("fallback", async |ns| {
        // node2 has its exclusive CPU and nothing else: node3 has room beside a taken one.
        ns.take_exclusive_cpu("neighbour", "node3").await?;
        let spec = "client: {nodeName: node1, cpu: {mode: Exclusive, enforcement: Preferred}}\n\
             server: {nodeName: node3, cpu: {mode: Exclusive, enforcement: Preferred}}\n\
             traffic: {duration: 2s}\nrepeats: {count: 1}\nlimits: {scheduleTimeout: 1m}\n";
        ns.apply(&net_test("fallback", spec)).await?;
        let test = ns.succeeds("fallback", seconds(120)).await?;
        results(&test)?;
        let pinned = state(&test, condition::CPU_PINNED);
        ensure!(
            pinned.starts_with("False/Refused: ") && pinned.contains("server"),
            "which end ran without: {pinned}"
        );
        Ok(())
    })
    .await
}
