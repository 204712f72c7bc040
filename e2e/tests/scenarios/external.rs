//! A stock iperf3 server outside of the cluster: this machine, which is none of its nodes.

use anyhow::{Result, ensure};
use nettest_e2e::{
    Namespace, audit, manifest::net_test, net_test::results, outside::Outside, seconds,
};

/// As the chart's values in the test cluster allow it (e2e/values.yaml).
const ALLOWED: &str = "172.31.0.254";

#[tokio::test]
async fn it_is_measured_where_the_policy_allows_it() -> Result<()> {
    let _server = Outside::server(ALLOWED, 5301)?;
    Namespace::with("external", async |ns| {
        let spec = format!(
            "topology: {{type: External, external: {{host: {ALLOWED}, port: 5301}}}}\nsweep: {{protocols: [TCP, UDP]}}\n\
             traffic: {{duration: 1s, bitrate: 20M}}\nrepeats: {{count: 2, pause: 0s}}\n"
        );
        ns.apply(&net_test("outside", &spec)).await?;
        let test = ns.succeeds("outside", seconds(60)).await?;
        for result in results(&test)? {
            ensure!(
                (18_000_000..=22_000_000).contains(&result.receiver_bits_per_second),
                "{result:?}"
            );
        }
        let pods = audit::pod_creates(&ns.name)?;
        ensure!(pods.len() == 1, "a client and nothing else: {pods:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn it_is_not_permitted_elsewhere() -> Result<()> {
    Namespace::with("external-no", async |ns| {
        for (name, host) in [
            ("loopback", "127.0.0.1"),
            ("metadata", "169.254.169.254"),
            ("a-pod", "10.244.1.1"),
            ("a-service", "10.96.0.1"),
            ("a-node", "172.31.0.11"),
            ("anything", "192.0.2.1"),
        ] {
            let spec = format!("topology: {{type: External, external: {{host: {host}}}}}\n");
            ns.apply(&net_test(name, &spec)).await?;
            let message = ns.fails(name, "NotPermitted", seconds(30)).await?;
            ensure!(message.contains(host), "{message}");
        }
        let spec = "topology: {type: External, external: {host: no-such-name.invalid}}\nlimits: {scheduleTimeout: 5s}\n";
        ns.apply(&net_test("nameless", spec)).await?;
        ns.fails("nameless", "NameNotResolved", seconds(40)).await?;
        ensure!(audit::pod_creates(&ns.name)?.is_empty(), "pods were made");
        Ok(())
    })
    .await
}

/// Nobody listens there: tried again a bounded number of times, then said with the address.
#[tokio::test]
async fn nobody_listens() -> Result<()> {
    Namespace::with("nobody", async |ns| {
        let spec = format!(
            "topology: {{type: External, external: {{host: {ALLOWED}, port: 5399}}}}\ntraffic: {{duration: 1s}}\nrepeats: {{count: 1}}\n"
        );
        ns.apply(&net_test("nobody", &spec)).await?;
        let message = ns.fails("nobody", "PeerUnreachable", seconds(60)).await?;
        ensure!(message.contains("refused") && message.contains("5399"), "{message}");
        let pods = audit::pod_creates(&ns.name)?;
        ensure!(pods.len() == 3, "three attempts: {pods:?}");
        Ok(())
    })
    .await
}

/// A stock server takes one test at a time.
#[tokio::test]
async fn somebody_else_is_measured_there() -> Result<()> {
    let _server = Outside::server(ALLOWED, 5302)?;
    Namespace::with("busy", async |ns| {
        let _somebody = Outside::client(ALLOWED, 5302, 120)?;
        tokio::time::sleep(seconds(1)).await;
        let spec = format!(
            "topology: {{type: External, external: {{host: {ALLOWED}, port: 5302}}}}\ntraffic: {{duration: 1s}}\nrepeats: {{count: 1}}\n"
        );
        ns.apply(&net_test("busy", &spec)).await?;
        ns.fails("busy", "ServerBusy", seconds(60)).await.map(drop)
    })
    .await
}
