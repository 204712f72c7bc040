//! What goes wrong while it measures: one end, soon, with the reason that it had.

use anyhow::{Context, Result, ensure};
use kube::ResourceExt;
use nettest_api::condition;
use nettest_e2e::{
    Namespace, audit,
    component::stopped,
    container::Container,
    engine_pod::Role,
    manifest::{net_test, on_nodes, short, short_spec},
    net_test::{is, state},
    process::Process,
    seconds,
    until::{Seen, until},
};
use std::time::Instant;

/// Killed from outside: nobody measures on in the hope of better luck.
#[tokio::test]
async fn a_killed_engine_is_a_crash() -> Result<()> {
    Namespace::with("killed", async |ns| {
        for (name, role) in [("client", Role::Client), ("server", Role::Server)] {
            ns.apply(&short(name, 20)).await?;
            ns.engine_runs(name, Role::Client, seconds(60)).await?;
            engine(ns, name, role).await?.kill().await?;
            let message = ns.fails(name, "EngineCrashed", seconds(40)).await?;
            ensure!(message.contains(role.as_str()), "{message}");
        }
        Ok(())
    })
    .await
}

/// 128 receivers of large datagrams, each with room for many, do not fit into the least memory that an engine can have.
#[tokio::test]
async fn too_little_memory_for_its_streams() -> Result<()> {
    Namespace::with("memory", async |ns| {
        let spec = "topology: {pair: {placement: SameNode}}\nclient: {memory: 32Mi}\nrepeats: {count: 1}\n\
             traffic: {protocol: UDP, direction: Reverse, parallelStreams: 128, messageSize: 60000, bitrate: \"0\", windowSize: 4Mi, duration: 8s}\n";
        ns.apply(&net_test("memory", spec)).await?;
        let message = ns.fails("memory", "EngineOutOfMemory", seconds(60)).await?;
        ensure!(
            message.contains("client") && message.contains("client.memory"),
            "which end, and what to raise: {message}"
        );
        Ok(())
    })
    .await
}

/// A client that hangs, traffic and control both.
#[tokio::test]
async fn a_client_that_hangs_ends_at_the_run_timeout() -> Result<()> {
    Namespace::with("hangs", async |ns| {
        let spec = format!("limits: {{runTimeout: 12s}}\n{}", short_spec(2));
        ns.apply(&net_test("hangs", &spec)).await?;
        ns.engine_runs("hangs", Role::Client, seconds(60)).await?;
        let begun = Instant::now();
        engine(ns, "hangs", Role::Client)
            .await?
            .signal("STOP")
            .await?;
        let message = ns.fails("hangs", "RunTimeout", seconds(60)).await?;
        ensure!(message.contains("limits.runTimeout"), "{message}");
        ensure!(begun.elapsed() < seconds(30), "after {:?}", begun.elapsed());
        let test = ns.test("hangs").await?;
        ensure!(
            is(&test, condition::WITHIN_THRESHOLDS, "Unknown/NotMeasured"),
            "{}",
            state(&test, condition::WITHIN_THRESHOLDS)
        );
        Ok(())
    })
    .await
}

/// A pod that somebody deletes is made again, but not for ever.
#[tokio::test]
async fn a_client_that_is_always_deleted_is_interrupted() -> Result<()> {
    Namespace::with("interrupted", async |ns| {
        ns.apply(&short("again", 20)).await?;
        let mut before = String::new();
        for attempt in 1..=3 {
            let client = ns
                .engine_pod_when("again", Role::Client, "runs anew", seconds(60), |pod| {
                    nettest_e2e::engine_pod::is_running(pod) && pod.name_any() != before
                })
                .await?;
            before = client.name_any();
            ensure!(
                before.contains(&format!("-a{attempt}-")),
                "attempt {attempt}: {before}"
            );
            // The operator must have seen it run: what it never saw is no attempt.
            ns.becomes(
                "again",
                condition::SUCCEEDED,
                "Unknown/Running",
                seconds(20),
            )
            .await?;
            ns.kubectl(&format!(
                "delete pod {before} --grace-period=0 --force --wait=false"
            ))
            .run()
            .await?;
        }
        ns.fails("again", "Interrupted", seconds(60)).await?;
        let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
        ensure!(
            clients.len() == 3,
            "three attempts and no more: {clients:?}"
        );
        Ok(())
    })
    .await
}

/// The kubelet of the server's node is gone: nobody can say how the measurement goes on.
#[tokio::test]
async fn a_node_that_is_lost_in_the_middle_of_a_run() -> Result<()> {
    Namespace::with("node-lost", async |ns| {
        let spec = on_nodes("node1", "node3", &short_spec(150));
        ns.apply(&net_test("lost", &spec)).await?;
        ns.engine_runs("lost", Role::Client, seconds(60)).await?;
        stopped(&ns.cluster, "kubelet-node3", async || {
            let message = ns.fails("lost", "NodeLost", seconds(120)).await?;
            ensure!(message.contains("node3"), "which node: {message}");
            // The other nodes are free at once: the pod that nobody can remove holds its own alone.
            let spec = on_nodes("node1", "node2", &short_spec(1));
            ns.apply(&net_test("others", &spec)).await?;
            ns.succeeds("others", seconds(60)).await.map(drop)
        })
        .await
    })
    .await
}

/// Nobody says why the pods do not start: there is no scheduler.
#[tokio::test]
async fn a_cluster_without_a_scheduler() -> Result<()> {
    Namespace::with("no-scheduler", async |ns| {
        stopped(&ns.cluster, "kube-scheduler", async || {
            let spec = format!("limits: {{scheduleTimeout: 5s}}\n{}", short_spec(1));
            ns.apply(&net_test("waits", &spec)).await?;
            let message = ns.fails("waits", "ScheduleTimeout", seconds(40)).await?;
            ensure!(message.contains("limits.scheduleTimeout"), "{message}");
            Ok(())
        })
        .await
    })
    .await
}

/// Each condition says at each moment where it is; and nothing goes backwards.
#[tokio::test]
async fn a_run_says_what_it_is_doing() -> Result<()> {
    Namespace::with("says", async |ns| {
        let threshold = "thresholds: [{name: usable, metric: Throughput, min: 1M}]\n";
        ns.apply(&net_test("says", &format!("{threshold}{}", short_spec(3))))
            .await?;
        let mut seen: Vec<String> = Vec::new();
        until("it has ended", seconds(60), async || {
            let test = ns.test("says").await?;
            let words = |kind: &str| {
                let state = state(&test, kind);
                state.split(':').next().unwrap_or_default().to_owned()
            };
            let now = [
                condition::ACCEPTED,
                condition::SCHEDULED,
                condition::MEASURED,
                condition::WITHIN_THRESHOLDS,
                condition::SUCCEEDED,
            ]
            .map(words)
            .join(" ");
            if seen.last() != Some(&now) {
                seen.push(now.clone());
            }
            Ok(Seen::when(now.ends_with("True/Passed"), || now))
        })
        .await?;
        let order = [
            "True/Valid Unknown/Starting Unknown/Starting Unknown/Pending Unknown/Starting",
            "True/Valid True/PodsRunning Unknown/Running Unknown/Pending Unknown/Running",
            "True/Valid True/PodsRunning True/MeasurementComplete True/ThresholdsMet True/Passed",
        ];
        let places: Option<Vec<usize>> = order
            .iter()
            .map(|line| seen.iter().position(|at| at == line))
            .collect();
        let places = places.with_context(|| format!("not all of {order:#?} in {seen:#?}"))?;
        ensure!(places.is_sorted(), "{seen:#?}");
        Ok(())
    })
    .await
}

/// The engine of a role, as this machine sees it.
async fn engine(ns: &Namespace, test: &str, role: Role) -> Result<Process> {
    let pod = ns.engine_pod(test, role).await?;
    let pod = pod.with_context(|| format!("no {} of {test}", role.as_str()))?;
    Container::of(&pod, "engine")?.process("nettest-engine")
}
