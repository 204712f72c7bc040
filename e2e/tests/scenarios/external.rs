//! A stock iperf3 server outside of the cluster: this machine, which is none of its nodes.

use anyhow::{Context, Result, ensure};
use nettest_e2e::{Namespace, audit, manifest::net_test, net_test::results, seconds};
use std::process::{Child, Command, Stdio};

/// As the chart's values in the test cluster allow it (e2e/values.yaml).
const ALLOWED: &str = "172.31.0.254";

/// Ended with the scenario.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn it_is_measured_where_the_policy_allows_it() -> Result<()> {
    let server = Command::new("iperf3")
        .args(["-s", "-B", ALLOWED, "-p", "5301"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("stock iperf3")?;
    let _server = Server(server);
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
