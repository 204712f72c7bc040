//! Every manifest that users copy is run: by a scenario of its own, or here, as it is but for less time.

use anyhow::{Context, Result, ensure};
use nettest_api::condition;
use nettest_e2e::{
    Namespace,
    namespace::{HOST_NETWORK, Level},
    net_test::{is, results, state},
    node::{labelled, tainted},
    outside::Outside,
    seconds,
    until::{Seen, until},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Run in full length, and looked at closely, in examples.rs.
const IN_FULL: [&str; 6] = [
    "cpu-pinned",
    "fast-paths",
    "host-network",
    "pair-tcp",
    "pair-udp",
    "quickstart",
];

/// In a namespace that enforces Pod Security restricted.
const IN_PODS: [&str; 17] = [
    "cluster-ip",
    "exclusive-preferred",
    "hairpin",
    "ipv6",
    "limits",
    "mesh",
    "mesh-random",
    "mesh-ring",
    "mesh-zones",
    "node-port",
    "stability",
    "star",
    "star-simultaneous",
    "sweep",
    "tcp-options",
    "thresholds",
    "zones",
];

/// In one that may use the host network.
const ON_HOSTS: [&str; 2] = ["pod-to-host", "pod-versus-host"];

/// With a beginning, or an end, of their own.
const IN_THEIR_OWN_WAY: [&str; 6] = [
    "external",
    "link-speed",
    "node-pool",
    "run",
    "schedule",
    "sctp",
];

#[tokio::test]
async fn none_is_forgotten() -> Result<()> {
    Namespace::with("examples", async |ns| {
        let mut files = BTreeSet::new();
        for entry in std::fs::read_dir(ns.cluster.repository("examples"))? {
            let file = entry?.path();
            if file.extension().is_some_and(|end| end == "yaml") {
                let name = file.file_stem().context("a name")?;
                files.insert(name.to_string_lossy().into_owned());
            }
        }
        let run = [&IN_FULL[..], &IN_PODS, &ON_HOSTS, &IN_THEIR_OWN_WAY].concat();
        let run: BTreeSet<String> = run.into_iter().map(str::to_owned).collect();
        ensure!(
            files == run,
            "examples {files:?}, run by a scenario {run:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn between_pods() -> Result<()> {
    Namespace::with("in-pods", async |ns| {
        for name in IN_PODS {
            passes(ns, name).await?;
        }
        let preferred = ns.test("exclusive-preferred").await?;
        let pinned = state(&preferred, condition::CPU_PINNED);
        ensure!(
            is(&preferred, condition::CPU_PINNED, "True/ExclusiveConfirmed"),
            "there were CPUs to have: {pinned}"
        );
        let hairpin = ns.test("hairpin").await?;
        ensure!(
            is(&hairpin, condition::WITHIN_THRESHOLDS, "True/NoThresholds"),
            "{}",
            state(&hairpin, condition::WITHIN_THRESHOLDS)
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn between_nodes() -> Result<()> {
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        for name in ON_HOSTS {
            passes(ns, name).await?;
        }
        Ok(())
    })
    .await
}

/// The speed of a veth is a convention, so no engine tells it: the example fails as its comments say, and passes with a label that has it.
#[tokio::test]
async fn against_the_speed_of_the_link() -> Result<()> {
    const LABEL: &str = "example.com/link-speed";
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        let mut example = short(ns, "link-speed")?;
        ns.apply(&example.to_string()).await?;
        let message = ns
            .fails("link-speed", "ThresholdNotMet", seconds(90))
            .await?;
        ensure!(
            message.contains("the speed of the link is unknown")
                && message.contains("relativeTo.nodeLabel"),
            "{message}"
        );
        let relative = &mut example["spec"]["thresholds"][0]["relativeTo"];
        relative["nodeLabel"] = json!(LABEL);
        let gigabit = format!("{LABEL}=1000000000");
        labelled("node1", &gigabit, async || {
            labelled("node2", &gigabit, async || {
                labelled("node3", &gigabit, async || {
                    ns.apply(&example.to_string()).await?;
                    let test = ns.succeeds("link-speed", seconds(90)).await?;
                    let status = test.status.context("a status")?;
                    let wanted = status
                        .thresholds
                        .first()
                        .and_then(|threshold| threshold.wanted);
                    ensure!(wanted == Some(900_000_000), "{:?}", status.thresholds);
                    Ok(())
                })
                .await
            })
            .await
        })
        .await
    })
    .await
}

/// The policy of the test cluster (e2e/values.yaml) knows its label and its taint.
#[tokio::test]
async fn on_a_pool_of_nodes_past_their_taint() -> Result<()> {
    Namespace::with("pool", async |ns| {
        labelled("node2", "node-pool=gpu", async || {
            labelled("node3", "node-pool=gpu", async || {
                tainted("node3", "dedicated=gpu:NoSchedule", async || {
                    let pair = passes(ns, "node-pool").await?;
                    let pool = [["node2", "node3"], ["node3", "node2"]];
                    ensure!(
                        pool.contains(&pair.each_ref().map(String::as_str)),
                        "{pair:?}"
                    );
                    Ok(())
                })
                .await
            })
            .await
        })
        .await
    })
    .await
}

/// Its host is a name that nobody has: this machine takes its place.
#[tokio::test]
async fn out_of_the_cluster() -> Result<()> {
    let _server = Outside::server("172.31.0.254", 5305)?;
    Namespace::with("out", async |ns| {
        let mut example = short(ns, "external")?;
        example["spec"]["topology"]["external"] = json!({"host": "172.31.0.254", "port": 5305});
        ns.apply(&example.to_string()).await?;
        let test = ns.succeeds("external", seconds(60)).await?;
        let bits = results(&test)?[0].receiver_bits_per_second;
        ensure!(
            bits > 1_000_000 && bits < 1_030_000_000,
            "limits.maxBitrate is 1G: {bits}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_run_by_itself() -> Result<()> {
    Namespace::with("gate", async |ns| {
        let mut example = object(ns, "run")?;
        shorten(&mut example["spec"]["test"]);
        let create = ns.kubectl("create -o name -f -").input(example.to_string());
        let created = create.run().await?;
        let name = created.trim().rsplit('/').next().unwrap_or_default();
        let run = ns.run_is_over(name, seconds(60)).await?;
        let succeeded = nettest_e2e::run::condition(&run, condition::SUCCEEDED);
        ensure!(
            succeeded.is_some_and(|c| c.reason == "Passed"),
            "{succeeded:?}"
        );
        Ok(())
    })
    .await
}

/// At three at night, jitter apart: it is applied by day, and waits. That schedules fire: schedule.rs.
#[tokio::test]
async fn at_night() -> Result<()> {
    Namespace::with("night", async |ns| {
        let example = object(ns, "schedule")?;
        ns.apply(&example.to_string()).await?;
        let next = until("it has a next time", seconds(20), async || {
            let status = ns.test("schedule").await?.status.unwrap_or_default();
            Ok(Seen::some(status.next_run_time, || "none".to_owned()))
        })
        .await?;
        let text = serde_json::to_value(&next)?;
        let text = text.as_str().context("a time")?;
        // Berlin is one or two hours before UTC; the jitter is below ten minutes.
        let hour = text.get(11..13).unwrap_or_default();
        let minute: u32 = text.get(14..16).unwrap_or_default().parse()?;
        ensure!(["01", "02"].contains(&hour) && minute < 10, "{text}");
        ensure!(
            ns.runs("schedule").await?.is_empty(),
            "it ran when it was applied"
        );
        Ok(())
    })
    .await
}

/// The kernel of this machine has none: an end that says so, and no attempt after the first.
#[tokio::test]
async fn sctp_where_the_kernel_has_none() -> Result<()> {
    Namespace::with("sctp", async |ns| {
        ns.apply(&short(ns, "sctp")?.to_string()).await?;
        let message = ns.fails("sctp", "ProtocolUnsupported", seconds(60)).await?;
        ensure!(message.contains("SCTP"), "{message}");
        Ok(())
    })
    .await
}

/// Applies an example for a short while and waits until it has passed; the nodes of its pair, empty for many.
async fn passes(ns: &Namespace, name: &str) -> Result<[String; 2]> {
    ns.apply(&short(ns, name)?.to_string()).await?;
    let test = ns.succeeds(name, seconds(90)).await?;
    let found = results(&test)?;
    ensure!(
        found.iter().all(|result| result.received_bytes > 0),
        "{name}: nothing was received: {found:?}"
    );
    let pair = test.status.and_then(|status| status.pair);
    let pair = pair.map(|pair| [pair.client.node, pair.server.node]);
    Ok(pair.unwrap_or_default())
}

/// An example as JSON, with less to do.
fn short(ns: &Namespace, name: &str) -> Result<Value> {
    let mut example = object(ns, name)?;
    shorten(&mut example["spec"]);
    Ok(example)
}

fn object(ns: &Namespace, name: &str) -> Result<Value> {
    let file = ns.cluster.repository(&format!("examples/{name}.yaml"));
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    serde_yaml::from_str(&text).with_context(|| file.display().to_string())
}

/// One second, once, at a rate that two busy CPUs carry: what else it says stays.
fn shorten(spec: &mut Value) {
    let own_ceiling = spec["limits"]["maxBitrate"].is_string();
    if spec["repeats"]["maxCount"].is_null() {
        spec["repeats"] = json!({"count": 1});
    } else {
        // How steady this machine is, is not what is tested.
        spec["repeats"]["maxSpreadPercent"] = json!(90);
    }
    let traffic = &mut spec["traffic"];
    if let Some(fields) = traffic.as_object_mut() {
        fields.remove("omit");
    }
    if traffic["bytes"].is_null() {
        traffic["duration"] = json!("1s");
    }
    if traffic["bitrate"].is_string() {
        // Of 8 streams and small datagrams.
        traffic["bitrate"] = json!("60M");
    } else if !own_ceiling {
        traffic["bitrate"] = json!("200M");
    }
}
