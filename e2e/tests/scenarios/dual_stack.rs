//! IPv6 beside IPv4: the cluster's pods, nodes and Services have addresses of both families.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::api::ListParams;
use nettest_e2e::{
    Namespace,
    engine_pod::Role,
    manifest::{net_test, short_spec},
    namespace::{HOST_NETWORK, Level},
    net_test::results,
    outside::Outside,
    run::of_variant,
    seconds,
};
use std::net::IpAddr;

/// As the chart's values in the test cluster allow it (e2e/values.yaml).
const OUTSIDE: [(&str, &str, u16); 2] = [
    ("IPv4", "172.31.0.254", 5303),
    ("IPv6", "fd00:172:31::254", 5304),
];

#[tokio::test]
async fn each_way_to_a_pod_takes_the_family_that_is_asked_for() -> Result<()> {
    Namespace::with("families", async |ns| {
        for (family, path) in [
            ("IPv6", "PodIP"),
            ("IPv6", "ClusterIP"),
            ("IPv6", "NodePort"),
            ("IPv4", "ClusterIP"),
        ] {
            let name = format!("{path}-{family}").to_lowercase();
            let spec = format!(
                "path: {{type: {path}, ipFamily: {family}}}\n{}",
                short_spec(2)
            );
            measured(ns, &name, &spec, family, path != "PodIP").await?;
        }
        Ok(())
    })
    .await
}

/// One test, one family, every path and both protocols.
#[tokio::test]
async fn a_sweep_over_all_paths_by_ipv6() -> Result<()> {
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        let host = "path: {type: Host, ipFamily: IPv6}\nclient: {network: Host}\nserver: {network: Host}\n";
        let host = format!("{host}{}", short_spec(2));
        let pair = measured(ns, "host", &host, "IPv6", false).await?;
        let node = pair.to_uppercase();
        let address = std::env::var(format!("NETTEST_CLUSTER_{node}_ADDRESS6"))?;
        let test = ns.test("host").await?;
        let server = test.status.and_then(|status| status.pair).map(|pair| pair.server);
        let at = server.and_then(|server| server.address);
        ensure!(at.as_deref() == Some(&address), "{at:?} is not its node's {address}");

        let sweep = "path: {ipFamily: IPv6}\nsweep: {paths: [PodIP, Host, ClusterIP, NodePort], protocols: [TCP, UDP]}\n\
             traffic: {duration: 1s, bitrate: 50M}\nrepeats: {count: 1, pause: 0s}\n";
        ns.apply(&net_test("sweep", sweep)).await?;
        let test = ns.succeeds("sweep", seconds(90)).await?;
        for path in ["podip", "host", "clusterip", "nodeport"] {
            for protocol in ["tcp", "udp"] {
                let result = of_variant(results(&test)?, &format!("{protocol}-p1-{path}"))?;
                ensure!(
                    (45_000_000..=52_000_000).contains(&result.receiver_bits_per_second),
                    "{protocol} by {path}: {result:?}"
                );
            }
        }
        Ok(())
    })
    .await
}

/// A server outside has one address a family; which is dialled is the test's choice.
#[tokio::test]
async fn a_server_outside_by_either_family() -> Result<()> {
    let mut servers = Vec::new();
    for (_, address, port) in OUTSIDE {
        servers.push(Outside::server(address, port)?);
    }
    Namespace::with("outside-families", async |ns| {
        for (family, address, port) in OUTSIDE {
            let name = family.to_lowercase();
            let spec = format!(
                "topology: {{type: External, external: {{host: \"{address}\", port: {port}}}}}\npath: {{ipFamily: {family}}}\n\
                 traffic: {{duration: 1s, bitrate: 20M}}\nrepeats: {{count: 1}}\n"
            );
            ns.apply(&net_test(&name, &spec)).await?;
            let test = ns.succeeds(&name, seconds(60)).await?;
            let result = &results(&test)?[0];
            ensure!(
                (18_000_000..=22_000_000).contains(&result.receiver_bits_per_second),
                "{result:?}"
            );
        }
        // The cluster's own, by either family: never as an external one.
        for (name, host) in [
            ("a-pod", "fd00:10:244:1::1"),
            ("a-service", "fd00:10:96::1"),
            ("a-node", "fd00:172:31::11"),
            ("link-local", "fe80::1"),
            ("translated", "64:ff9b::10.96.0.1"),
        ] {
            let spec = format!("topology: {{type: External, external: {{host: \"{host}\"}}}}\n");
            ns.apply(&net_test(name, &spec)).await?;
            ns.fails(name, "NotPermitted", seconds(30)).await?;
        }
        Ok(())
    })
    .await
}

/// Runs a test and looks at what its pods, its Service and its result say of the family; the server's node.
async fn measured(
    ns: &Namespace,
    name: &str,
    spec: &str,
    family: &str,
    has_service: bool,
) -> Result<String> {
    let of_family = |address: &str| {
        let address: IpAddr = address.parse()?;
        let right = address.is_ipv6() == (family == "IPv6");
        ensure!(right, "{name}: {address} is no {family} address");
        Ok(())
    };
    ns.apply(&net_test(name, spec)).await?;
    let client = ns.engine_runs(name, Role::Client, seconds(60)).await?;
    let dials = dialled(&client)?;
    of_family(&dials)?;
    if has_service {
        let services = ns.api::<Service>().list(&ListParams::default()).await?;
        let [service] = &services.items[..] else {
            anyhow::bail!("{name}: one Service, not {:?}", services.items);
        };
        let spec = service.spec.as_ref().context("a spec")?;
        let families = spec.ip_families.as_deref().unwrap_or_default();
        ensure!(families == [family], "{name}: {families:?}");
        of_family(spec.cluster_ip.as_deref().unwrap_or_default())?;
    }
    let test = ns.succeeds(name, seconds(60)).await?;
    let result = &results(&test)?[0];
    ensure!(result.received_bytes > 1_000_000, "{name}: {result:?}");
    let pair = test.status.and_then(|status| status.pair);
    let pair = pair.with_context(|| format!("{name}: no pair"))?;
    for end in [&pair.client, &pair.server] {
        of_family(end.address.as_deref().unwrap_or_default())?;
    }
    // None is left to be taken for the next one's.
    ns.no_service_left(seconds(10)).await?;
    Ok(pair.server.node)
}

/// The address that a client was told to dial.
fn dialled(client: &Pod) -> Result<String> {
    let containers = client.spec.as_ref().map(|spec| &spec.containers);
    let engine = containers.and_then(|all| all.iter().find(|c| c.name == "engine"));
    let arguments = engine.and_then(|engine| engine.args.clone());
    let arguments = arguments.context("the client has no arguments")?;
    let host = arguments.windows(2).find(|words| words[0] == "-c");
    let host = host.with_context(|| format!("no -c in {arguments:?}"))?;
    Ok(host[1].clone())
}
