//! The operator: its pod, and its process on this machine.

use crate::{
    cluster::Cluster,
    command::kubectl,
    container::Container,
    process::Process,
    release, seconds,
    until::{Seen, until},
};
use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    ResourceExt,
    api::{Api, DeleteParams, ListParams},
};

const SELECTOR: &str = "app.kubernetes.io/name=nettest,app.kubernetes.io/component=operator";

/// The operator's pod.
#[derive(Debug)]
pub struct Operator {
    pub pod: Pod,
}

impl Operator {
    /// Waits for the one ready operator.
    pub async fn ready(cluster: &Cluster) -> Result<Operator> {
        let api = pods(cluster);
        until("one ready operator", seconds(60), async || {
            let pods = api
                .list(&ListParams::default().labels(SELECTOR))
                .await?
                .items;
            let seen: Vec<String> = pods.iter().map(describe).collect();
            let live: Vec<Pod> = pods
                .into_iter()
                .filter(|pod| pod.metadata.deletion_timestamp.is_none())
                .collect();
            let one = (live.len() == 1 && is_ready(&live[0])).then(|| live.into_iter().next());
            Ok(Seen::some(one.flatten(), || seen.join(", ")))
        })
        .await
        .map(|pod| Operator { pod })
    }

    /// A ready operator whose container has not been restarted: the kubelet backs off from the second crash on, 10 s and more.
    pub async fn fresh(cluster: &Cluster) -> Result<Operator> {
        let operator = Operator::ready(cluster).await?;
        if restarts(&operator.pod) == 0 {
            return Ok(operator);
        }
        operator.replaced(cluster).await
    }

    /// Deletes the pod and waits for the next one.
    pub async fn replaced(self, cluster: &Cluster) -> Result<Operator> {
        let name = self.pod.name_any();
        pods(cluster)
            .delete(&name, &DeleteParams::default())
            .await?;
        until("another operator pod", seconds(30), async || {
            let next = Operator::ready(cluster).await?;
            Ok(Seen::some(
                (next.pod.name_any() != name).then_some(next),
                || name.clone(),
            ))
        })
        .await
    }

    /// Waits until the kubelet has started its container again.
    pub async fn restarted(&self, cluster: &Cluster) -> Result<()> {
        let (name, before) = (self.pod.name_any(), restarts(&self.pod));
        until(
            "the operator's container runs again",
            seconds(60),
            async || {
                let pod = pods(cluster).get(&name).await?;
                Ok(Seen::when(restarts(&pod) > before, || describe(&pod)))
            },
        )
        .await
    }

    /// Its process on this machine, which is really the operator.
    pub fn process(&self) -> Result<Process> {
        Container::of(&self.pod, "operator")?.process("nettest-operator")
    }

    /// `GET PATH` of its port, through the API server.
    pub async fn get(&self, path: &str) -> Result<String> {
        let pod = self.pod.name_any();
        kubectl(&format!(
            "get --raw /api/v1/namespaces/{}/pods/{pod}:8080/proxy{path}",
            release::NAMESPACE
        ))
        .run()
        .await
    }
}

fn pods(cluster: &Cluster) -> Api<Pod> {
    Api::namespaced(cluster.client.clone(), release::NAMESPACE)
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_ref());
    conditions
        .into_iter()
        .flatten()
        .any(|c| c.type_ == "Ready" && c.status == "True")
}

fn restarts(pod: &Pod) -> i32 {
    let statuses = pod
        .status
        .as_ref()
        .and_then(|s| s.container_statuses.as_ref());
    statuses
        .into_iter()
        .flatten()
        .map(|s| s.restart_count)
        .sum()
}

fn describe(pod: &Pod) -> String {
    format!(
        "{} {} {} restarts{}",
        pod.name_any(),
        if is_ready(pod) { "ready" } else { "not ready" },
        restarts(pod),
        if pod.metadata.deletion_timestamp.is_some() {
            ", going away"
        } else {
            ""
        }
    )
}
