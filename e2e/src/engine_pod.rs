//! The pods in which engines measure.

use crate::{
    Namespace,
    until::{Seen, until},
};
use anyhow::Result;
use k8s_openapi::api::core::v1::{ContainerState, Pod};
use kube::{
    ResourceExt,
    api::{Api, ListParams},
};
use nettest_api::labels;
pub use nettest_api::labels::Role;
use std::time::Duration;

/// The state of the engine's container.
pub fn engine_state(pod: &Pod) -> Option<&ContainerState> {
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    statuses.iter().find(|s| s.name == "engine")?.state.as_ref()
}

pub fn is_running(pod: &Pod) -> bool {
    engine_state(pod).is_some_and(|state| state.running.is_some())
}

pub fn is_terminated(pod: &Pod) -> bool {
    engine_state(pod).is_some_and(|state| state.terminated.is_some())
}

pub fn phase(pod: &Pod) -> &str {
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    phase.unwrap_or("without a phase")
}

impl Namespace {
    /// Every engine pod here, whatever its phase.
    pub async fn engine_pods(&self) -> Result<Vec<Pod>> {
        let api: Api<Pod> = self.api();
        let ours = format!("{}={}", labels::MANAGED_BY, labels::MANAGED_BY_VALUE);
        Ok(api.list(&ListParams::default().labels(&ours)).await?.items)
    }

    /// The pod of a role of a test, if there is one.
    pub async fn engine_pod(&self, test: &str, role: Role) -> Result<Option<Pod>> {
        let pods = self.engine_pods().await?;
        Ok(pods.into_iter().find(|pod| {
            let labels = pod.labels();
            labels.get(labels::TEST).is_some_and(|name| name == test)
                && labels.get(labels::ROLE).is_some_and(|r| r == role.as_str())
        }))
    }

    /// Waits for a pod of a role in some state.
    pub async fn engine_pod_when(
        &self,
        test: &str,
        role: Role,
        what: &str,
        deadline: Duration,
        accept: impl Fn(&Pod) -> bool,
    ) -> Result<Pod> {
        until(
            &format!("the {} of {test} {what}", role.as_str()),
            deadline,
            async || {
                let Some(pod) = self.engine_pod(test, role).await? else {
                    return Ok(Seen::NotYet("no pod".to_owned()));
                };
                let seen = format!("{} {}", pod.name_any(), phase(&pod));
                Ok(Seen::some(accept(&pod).then_some(pod), || seen))
            },
        )
        .await
    }

    /// Waits until the engine of a role runs.
    pub async fn engine_runs(&self, test: &str, role: Role, deadline: Duration) -> Result<Pod> {
        self.engine_pod_when(test, role, "runs", deadline, is_running)
            .await
    }
}

/// Waits until no engine pod is left.
pub async fn await_none(namespace: &Namespace, deadline: Duration) -> Result<()> {
    until(
        &format!("no engine pod is left in {}", namespace.name),
        deadline,
        async || {
            let left = namespace.engine_pods().await?;
            Ok(Seen::when(left.is_empty(), || {
                let names: Vec<String> = left
                    .iter()
                    .map(|pod| format!("{} {}", pod.name_any(), phase(pod)))
                    .collect();
                names.join(", ")
            }))
        },
    )
    .await
}
