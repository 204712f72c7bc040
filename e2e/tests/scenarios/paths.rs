//! How the client reaches the server: Services, nodes, and from one network to the other.

use anyhow::{Context, Result, ensure};
use nettest_api::path::PathKind;
use nettest_e2e::{
    Namespace,
    manifest::{net_test, short_spec},
    namespace::{HOST_NETWORK, Level},
    net_test::results,
    node::zoned,
    run::of_variant,
    seconds,
};

#[tokio::test]
async fn services_carry_tcp_and_udp_between_nodes_and_within_one() -> Result<()> {
    Namespace::with("services", async |ns| {
        for (name, topology) in [("between", "DifferentNode"), ("hairpin", "SameNode")] {
            let spec = format!(
                "topology: {{pair: {{placement: {topology}}}}}\nsweep: {{paths: [PodIP, ClusterIP, NodePort], protocols: [TCP, UDP]}}\n\
                 traffic: {{duration: 1s, bitrate: 50M}}\nrepeats: {{count: 1, pause: 0s}}\n"
            );
            ns.apply(&net_test(name, &spec)).await?;
            let test = ns.succeeds(name, seconds(120)).await?;
            for (word, path) in [
                ("podip", PathKind::PodIP),
                ("clusterip", PathKind::ClusterIP),
                ("nodeport", PathKind::NodePort),
            ] {
                for protocol in ["tcp", "udp"] {
                    let variant = format!("{protocol}-p1-{word}");
                    let result = of_variant(results(&test)?, &variant)?;
                    ensure!(result.path == path, "{result:?}");
                    ensure!(
                        (45_000_000..=52_000_000).contains(&result.receiver_bits_per_second),
                        "{name} {variant}: {result:?}"
                    );
                }
            }
            // It goes after the verdict, which does not wait for it.
            ns.no_service_left(seconds(15)).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn pods_against_nodes_and_both_ways_across() -> Result<()> {
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        let compared = "sweep: {paths: [PodIP, Host]}\n\
             thresholds: [{name: overlay, metric: Throughput, variant: tcp-p1-podip, relativeTo: {kind: Variant, variant: tcp-p1-host, percent: 1}}]\n";
        ns.apply(&net_test("compared", &format!("{compared}{}", short_spec(1)))).await?;
        let test = ns.succeeds("compared", seconds(90)).await?;
        let [pod, host] = ["tcp-p1-podip", "tcp-p1-host"].map(|name| of_variant(results(&test).unwrap_or_default(), name));
        let (pod, host) = (pod?, host?);
        ensure!(pod.path == PathKind::PodIP && host.path == PathKind::Host, "{pod:?} {host:?}");
        let status = test.status.clone().context("a status")?;
        let threshold = status.thresholds.first().context("no threshold")?;
        // Rounded up: nothing passes by rounding.
        let wanted = (host.throughput_bits_per_second.median + 99) / 100;
        ensure!(threshold.wanted == Some(wanted), "{threshold:?} of {host:?}");
        for (name, ends) in [
            ("host-to-pod", "client: {network: Host}\n"),
            ("pod-to-host", "path: {type: Host}\nserver: {network: Host}\n"),
        ] {
            ns.apply(&net_test(name, &format!("{ends}{}", short_spec(1)))).await?;
            ns.succeeds(name, seconds(60)).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn two_zones_or_none() -> Result<()> {
    Namespace::with("zones", async |ns| {
        let spec = format!(
            "topology: {{pair: {{placement: DifferentZone}}}}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        ns.apply(&net_test("across", &spec)).await?;
        let test = ns.succeeds("across", seconds(60)).await?;
        let pair = test
            .status
            .and_then(|status| status.pair)
            .context("no pair")?;
        ensure!(
            [&*pair.client.node, &*pair.server.node].contains(&"node1"),
            "{pair:?}"
        );
        zoned(&[("node1", Some("b"))], async || {
            ns.apply(&net_test("nowhere", &spec)).await?;
            let message = ns.fails("nowhere", "Unschedulable", seconds(30)).await?;
            ensure!(message.contains("DifferentZone"), "{message}");
            Ok(())
        })
        .await
    })
    .await
}
