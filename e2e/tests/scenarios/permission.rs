//! What the operator's policy does not allow is refused before any pod.

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ListParams};
use nettest_api::{NetTestRun, condition, labels};
use nettest_e2e::{
    Namespace, audit,
    engine_pod::Role,
    manifest::{net_test, on_nodes, short_spec},
    net_test::state,
    release, run, seconds,
    until::{Seen, until},
};

#[tokio::test]
async fn each_refusal_names_the_field_and_makes_no_pod() -> Result<()> {
    Namespace::with("permission", async |ns| {
        for (name, spec, field) in [
            (
                "host",
                "path: {type: Host}\nserver: {network: Host}\n",
                "server.network",
            ),
            (
                "host-sweep",
                "sweep: {paths: [PodIP, Host]}\n",
                "sweep.paths",
            ),
            (
                "taint",
                "client: {tolerations: [{key: gpu, operator: Exists}]}\n",
                "client.tolerations",
            ),
            (
                "control-plane",
                "topology: {type: Mesh, mesh: {includeControlPlane: true}}\n",
                "includeControlPlane",
            ),
            (
                "selector",
                "client: {nodeSelector: {secret.example.com/pool: a}}\n",
                "client.nodeSelector",
            ),
            ("long", "traffic: {duration: 3h}\n", "duration"),
        ] {
            ns.apply(&net_test(name, spec)).await?;
            let message = ns.fails(name, "NotPermitted", seconds(30)).await?;
            ensure!(message.contains(field), "{name}: {message}");
        }
        ensure!(audit::pod_creates(&ns.name)?.is_empty(), "pods were made");
        Ok(())
    })
    .await
}

/// What an administrator sets with the chart's values: refused with the value's name, or held in line.
#[tokio::test]
async fn ceilings_of_rate_pairs_time_and_runs() -> Result<()> {
    Namespace::with("ceilings", async |ns| {
        let values = [
            "policy.maxBitrate=200M",
            "policy.maxPairs=2",
            "policy.maxDuration=1m",
            "policy.concurrentRunsPerNamespace=1",
        ];
        release::with_values(&ns.cluster, &values, async || {
            refused_above_the_ceilings(ns).await?;
            paced_at_the_ceiling(ns).await?;
            one_run_at_a_time(ns).await
        })
        .await
    })
    .await
}

async fn refused_above_the_ceilings(ns: &Namespace) -> Result<()> {
    for (name, spec, value) in [
        (
            "unlimited",
            "traffic: {duration: 1s}\n",
            "policy.maxBitrate",
        ),
        (
            "fast",
            "traffic: {bitrate: 100M, parallelStreams: 3}\n",
            "policy.maxBitrate",
        ),
        (
            "own-limit",
            "limits: {maxBitrate: 201M}\n",
            "policy.maxBitrate",
        ),
        (
            "mesh",
            "topology: {type: Mesh, mesh: {maxConcurrentPairs: 3}}\ntraffic: {bitrate: 10M}\n",
            "policy.maxPairs",
        ),
        (
            "star",
            "topology: {type: Star, star: {concurrency: Simultaneous, maxClients: 3}}\ntraffic: {bitrate: 10M}\n",
            "policy.maxPairs",
        ),
        (
            "long",
            "traffic: {bitrate: 10M, duration: 61s}\nrepeats: {count: 1}\n",
            "policy.maxDuration",
        ),
        (
            "timeout",
            "traffic: {bitrate: 10M, bytes: 1M}\nlimits: {runTimeout: 2m}\n",
            "policy.maxDuration",
        ),
    ] {
        ns.apply(&net_test(name, spec)).await?;
        let message = ns.fails(name, "NotPermitted", seconds(30)).await?;
        ensure!(
            message.contains(value),
            "{name} should name {value}: {message}"
        );
    }
    let created = audit::pod_creates(&ns.name)?;
    ensure!(created.is_empty(), "pods were made: {created:?}");
    Ok(())
}

/// At the ceiling it is measured, and no faster.
async fn paced_at_the_ceiling(ns: &Namespace) -> Result<()> {
    let spec = format!("limits: {{maxBitrate: 200M}}\n{}", short_spec(2));
    ns.apply(&net_test("paced", &spec)).await?;
    let test = ns.succeeds("paced", seconds(60)).await?;
    let bits = nettest_e2e::net_test::results(&test)?[0].receiver_bits_per_second;
    ensure!((180_000_000..=206_000_000).contains(&bits), "{bits}");
    Ok(())
}

/// Two runs that a user made by generateName, on nodes of their own, and a NetTest behind them: one after the other.
async fn one_run_at_a_time(ns: &Namespace) -> Result<()> {
    let made = |client: &str, server: &str| {
        format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {{generateName: mine-}}\nspec:\n  test:\n    \
             topology: {{pair: {{placement: Any}}}}\n    client: {{nodeName: {client}}}\n    server: {{nodeName: {server}}}\n    \
             traffic: {{duration: 4s, bitrate: 10M}}\n    repeats: {{count: 1}}\n"
        )
    };
    let mut names = Vec::new();
    for manifest in [made("node1", "node1"), made("node3", "node3")] {
        let created = ns
            .kubectl("create -o name -f -")
            .input(manifest)
            .run()
            .await?;
        names.push(
            created
                .trim()
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    let spec = on_nodes(
        "node3",
        "node1",
        "traffic: {duration: 1s, bitrate: 10M}\nrepeats: {count: 1}\n",
    );
    ns.apply(&net_test("behind", &spec)).await?;
    let held = until("it says for what it waits", seconds(20), async || {
        let seen = state(&ns.test("behind").await?, condition::SUCCEEDED);
        let held =
            seen.starts_with("Unknown/Queued") && seen.contains("concurrentRunsPerNamespace");
        Ok(Seen::when(held, || seen))
    });
    let (runs, pods): (Api<NetTestRun>, Api<Pod>) = (ns.api(), ns.api());
    let one_at_a_time = until("all three are over", seconds(90), async || {
        let pods = pods.list(&ListParams::default()).await?;
        let mut running: Vec<&String> = pods
            .iter()
            .filter(|pod| !nettest_e2e::engine_pod::is_terminated(pod))
            .filter_map(|pod| pod.metadata.labels.as_ref()?.get(labels::RUN_UID))
            .collect();
        running.sort_unstable();
        running.dedup();
        ensure!(running.len() <= 1, "two runs at once: {running:?}");
        let runs = runs.list(&ListParams::default()).await?;
        let over = runs.iter().filter(|run| run::is_over(run)).count();
        Ok(Seen::when(over == runs.items.len(), || {
            format!("{over} of {}", runs.items.len())
        }))
    });
    let (held, one_at_a_time) = tokio::join!(held, one_at_a_time);
    held?;
    one_at_a_time?;
    for name in names {
        let run = runs.get(&name).await?;
        let succeeded = run::condition(&run, condition::SUCCEEDED);
        ensure!(
            succeeded.is_some_and(|c| c.status == "True"),
            "{name}: {succeeded:?}"
        );
    }
    ns.succeeds("behind", seconds(5)).await?;
    let clients = audit::engine_pod_creates(&ns.name, Role::Client)?;
    // "paced" was the first.
    ensure!(clients.len() == 4, "each was measured once: {clients:?}");
    Ok(())
}
