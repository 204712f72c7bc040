//! What the operator's policy does not allow is refused before any pod.

use anyhow::{Result, ensure};
use nettest_e2e::{Namespace, audit, manifest::net_test, seconds};

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
