//! Pods that are not ours: stock iperf3 3.12, and one that takes a node's exclusive CPU.

use crate::{
    Namespace, seconds,
    until::{Seen, until},
};
use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, PostParams};
use serde_json::json;

const IPERF3: &str = "localhost/iperf3:3.12";

/// A running pod with stock iperf3.
#[derive(Debug)]
pub struct Peer {
    pub name: String,
    pub address: String,
}

impl Namespace {
    /// `iperf3 -s` on a node.
    pub async fn stock_server(&self, name: &str, node: &str) -> Result<Peer> {
        self.peer(name, node, IPERF3, &["iperf3", "-s"], json!({}))
            .await
    }

    /// A pod on a node, to start stock clients in.
    pub async fn stock_client(&self, name: &str, node: &str) -> Result<Peer> {
        self.peer(name, node, IPERF3, &["sleep", "3600"], json!({}))
            .await
    }

    /// A Guaranteed pod that has the kubelet take an exclusive CPU of a node away from the rest.
    pub async fn take_exclusive_cpu(&self, name: &str, node: &str) -> Result<Peer> {
        let whole = json!({"cpu": "1", "memory": "32Mi"});
        self.peer(
            name,
            node,
            "localhost/busybox:dev",
            &["sleep", "3600"],
            json!({"requests": whole, "limits": whole}),
        )
        .await
    }

    /// One test of a stock client: the document that `iperf3 -J` prints.
    pub async fn stock_test(
        &self,
        client: &Peer,
        server: &Peer,
        flags: &str,
    ) -> Result<serde_json::Value> {
        let printed = self
            .kubectl(&format!(
                "exec {} -- iperf3 -c {} -J {flags}",
                client.name, server.address
            ))
            .run()
            .await?;
        serde_json::from_str(&printed).context("what iperf3 -J printed")
    }

    async fn peer(
        &self,
        name: &str,
        node: &str,
        image: &str,
        command: &[&str],
        resources: serde_json::Value,
    ) -> Result<Peer> {
        let pod: Pod = serde_json::from_value(json!({
            "metadata": {"name": name},
            "spec": {
                "nodeName": node,
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": false,
                "securityContext": {
                    "runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"},
                },
                "containers": [{
                    "name": "peer", "image": image, "imagePullPolicy": "Never", "command": command, "resources": resources,
                    "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
                }],
            },
        }))?;
        let api: Api<Pod> = self.api();
        api.create(&PostParams::default(), &pod).await?;
        until(&format!("{name} runs on {node}"), seconds(30), async || {
            let status = api.get(name).await?.status.unwrap_or_default();
            let running = status.phase.as_deref() == Some("Running");
            let address = status.pod_ip.filter(|_| running);
            let seen = format!("{:?} {:?}", status.phase, status.message);
            Ok(Seen::some(address, || seen))
        })
        .await
        .map(|address| Peer {
            name: name.to_owned(),
            address,
        })
    }
}
