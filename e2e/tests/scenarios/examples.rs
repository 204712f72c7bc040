//! The manifests that users copy, run as their comments say.

use anyhow::{Result, ensure};
use nettest_api::{
    NetTest, condition,
    result::{FastPath, Flow, VariantResult},
};
use nettest_e2e::{
    Namespace,
    manifest::net_test,
    namespace::{HOST_NETWORK, Level},
    net_test::{is, results, state},
    seconds,
};

#[tokio::test]
async fn pair_tcp() -> Result<()> {
    Namespace::with("pair-tcp", async |ns| {
        let test = run(ns, "pair-tcp").await?;
        let result = one_flow(&test)?;
        ensure!(result.retransmits.is_some(), "no retransmits: {result:?}");
        ensure!(
            result.datagrams.is_none() && result.jitter_microseconds.is_none(),
            "figures of UDP: {result:?}"
        );
        // The pods' own device is a veth: no queue, unless somebody gave it one.
        for known in [
            &result.congestion_control,
            &result.client_qdisc,
            &result.server_qdisc,
        ] {
            ensure!(
                known.as_deref().is_some_and(|name| !name.is_empty()),
                "what carried it: {result:?}"
            );
        }
        ensure!(
            result.fast_paths.is_empty() && result.fairness_ppm.is_none(),
            "nobody asked for fast paths, and one stream shares with nobody: {result:?}"
        );
        ensure!(
            is(&test, condition::CPU_PINNED, "False/SharedPool"),
            "{}",
            state(&test, condition::CPU_PINNED)
        );
        two_nodes(&test)
    })
    .await
}

#[tokio::test]
async fn pair_udp() -> Result<()> {
    Namespace::with("pair-udp", async |ns| {
        let test = run(ns, "pair-udp").await?;
        let result = one_flow(&test)?;
        let datagrams = result.datagrams.unwrap_or(0);
        // 50 Mbit/s of 1400 bytes for 5 s.
        ensure!(
            (21_000..=23_500).contains(&datagrams),
            "{datagrams} datagrams: {result:?}"
        );
        ensure!(
            result.lost_datagrams.is_some() && result.loss_ppm.is_some(),
            "no loss: {result:?}"
        );
        ensure!(
            result
                .jitter_microseconds
                .is_some_and(|jitter| jitter < 100_000),
            "jitter: {result:?}"
        );
        ensure!(
            result.retransmits.is_none(),
            "retransmits of UDP: {result:?}"
        );
        two_nodes(&test)
    })
    .await
}

#[tokio::test]
async fn host_network() -> Result<()> {
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        let test = run(ns, "host-network").await?;
        let result = one_flow(&test)?;
        ensure!(result.retransmits.is_some(), "no retransmits: {result:?}");
        two_nodes(&test)?;
        let pair = test.status.and_then(|s| s.pair);
        let server = pair.map(|pair| pair.server).unwrap_or_default();
        let node = std::env::var(format!(
            "NETTEST_CLUSTER_{}_ADDRESS",
            server.node.to_uppercase()
        ))?;
        ensure!(
            server.address.as_deref() == Some(&node),
            "{server:?} is not at its node's address {node}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn cpu_pinned() -> Result<()> {
    Namespace::with("cpu-pinned", async |ns| {
        let test = run(ns, "cpu-pinned").await?;
        one_flow(&test)?;
        ensure!(
            is(&test, condition::CPU_PINNED, "True/ExclusiveConfirmed"),
            "{}",
            state(&test, condition::CPU_PINNED)
        );
        two_nodes(&test)
    })
    .await
}

#[tokio::test]
async fn fast_paths() -> Result<()> {
    Namespace::with("fast-paths", async |ns| {
        let test = run(ns, "fast-paths").await?;
        let result = one_flow(&test)?;
        ensure!(
            result.fast_paths.contains(&FastPath::SkipReceiveCopy),
            "the receiver copied: {result:?}"
        );
        // How fast it is, is this machine's affair; but what is said of it must have its grounds.
        let diagnosis = test.status.as_ref().map(|status| &status.diagnosis);
        for found in diagnosis.into_iter().flatten() {
            let sender = result.congestion_control.as_deref().unwrap_or_default();
            let qdisc = result.client_qdisc.as_deref().unwrap_or_default();
            ensure!(
                found.reason == "PacingLimited"
                    && sender.starts_with("bbr")
                    && !qdisc.is_empty()
                    && qdisc != "fq",
                "{found:?} of {result:?}"
            );
            ensure!(
                found.message.contains(qdisc) && found.hint.contains("traffic.congestionControl"),
                "{found:?}"
            );
        }
        two_nodes(&test)
    })
    .await
}

/// Streams that share a flow say how evenly they did.
#[tokio::test]
async fn streams_share_it() -> Result<()> {
    Namespace::with("fairness", async |ns| {
        let spec = "traffic: {duration: 2s, parallelStreams: 4}\nrepeats: {count: 1}\n";
        ns.apply(&net_test("fairness", spec)).await?;
        let test = ns.succeeds("fairness", seconds(60)).await?;
        let fairness = results(&test)?[0].fairness_ppm;
        ensure!(
            fairness.is_some_and(|ppm| (250_000..=1_000_000).contains(&ppm)),
            "Jain's index of four streams lies between a quarter and one: {fairness:?}"
        );
        Ok(())
    })
    .await
}

/// The smallest of them; `make demo` runs it without a cluster.
#[tokio::test]
async fn quickstart() -> Result<()> {
    Namespace::with("quickstart", async |ns| {
        let test = run(ns, "quickstart").await?;
        one_flow(&test)?;
        two_nodes(&test)
    })
    .await
}

/// Long ones are only shown to be accepted: their parts are run elsewhere.
#[tokio::test]
async fn every_example_is_accepted() -> Result<()> {
    Namespace::with("accepted", async |ns| {
        let mut manifests = 0;
        for entry in std::fs::read_dir(ns.cluster.repository("examples"))? {
            let file = entry?.path();
            if file
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                let server_side = ns.kubectl("create --dry-run=server --validate=strict -f");
                server_side.arg(file.to_string_lossy()).run().await?;
                manifests += 1;
            }
        }
        ensure!(manifests >= 30, "only {manifests} examples");
        Ok(())
    })
    .await
}

/// Applies an example, waits as its user does and looks at what kubectl shows.
async fn run(ns: &Namespace, name: &str) -> Result<NetTest> {
    let file = ns.cluster.repository(&format!("examples/{name}.yaml"));
    ns.kubectl("apply -f")
        .arg(file.to_string_lossy())
        .run()
        .await?;
    let waited = ns
        .kubectl(&format!(
            "wait --for=condition=Succeeded --timeout=120s nettest/{name}"
        ))
        .deadline(seconds(130))
        .run()
        .await?;
    ensure!(waited.contains("condition met"), "kubectl wait: {waited}");
    let table = ns.kubectl("get nettests").run().await?;
    ensure!(
        table.contains("THROUGHPUT") && table.contains("bit/s") && table.contains("Passed"),
        "kubectl get nettests does not show throughput and verdict:\n{table}"
    );
    let test = ns.test(name).await?;
    for kind in [
        condition::ACCEPTED,
        condition::SCHEDULED,
        condition::MEASURED,
        condition::WITHIN_THRESHOLDS,
    ] {
        ensure!(
            state(&test, kind).starts_with("True/"),
            "{kind} is {}",
            state(&test, kind)
        );
    }
    Ok(test)
}

/// The one result of a forward test, whose figures of both ends make sense.
fn one_flow(test: &NetTest) -> Result<&VariantResult> {
    let results = results(test)?;
    ensure!(results.len() == 1, "one variant, one flow: {results:?}");
    let result = &results[0];
    ensure!(result.flow == Flow::ClientToServer, "{result:?}");
    ensure!(result.repeats == 3, "three repeats: {result:?}");
    ensure!(
        result.received_bytes > 1_000_000,
        "too little received: {result:?}"
    );
    // What is still on its way when the time is over is sent and not received; what was on its way when the omitted
    // part ended is received and not sent. Either is a moment's worth.
    let (sent, received) = (result.sent_bytes, result.received_bytes);
    ensure!(
        received > sent / 100 * 95 && received < sent / 100 * 101,
        "ends disagree: {result:?}"
    );
    let (sender, receiver) = (
        result.sender_bits_per_second,
        result.receiver_bits_per_second,
    );
    ensure!(
        receiver > sender / 100 * 95 && receiver < sender / 100 * 101,
        "ends disagree: {result:?}"
    );
    let spread = result.throughput_bits_per_second;
    ensure!(
        spread.min <= spread.median && spread.median <= spread.max,
        "{result:?}"
    );
    ensure!(
        spread.median == receiver,
        "the throughput is the receiver's: {result:?}"
    );
    for cpu in [result.client_cpu_milli, result.server_cpu_milli] {
        ensure!(
            cpu.is_some_and(|milli| milli > 0 && milli < 3000),
            "CPU of both ends: {result:?}"
        );
    }
    Ok(result)
}

/// By default a pair is on two nodes, and the status says which.
fn two_nodes(test: &NetTest) -> Result<()> {
    let pair = test.status.as_ref().and_then(|s| s.pair.as_ref());
    let nodes = pair.map(|pair| [pair.client.node.as_str(), pair.server.node.as_str()]);
    ensure!(
        matches!(nodes, Some(["node1", "node2"] | ["node2", "node1"])),
        "where it ran: {pair:?}"
    );
    Ok(())
}
