//! What a deleted test left behind: nothing.

use crate::{
    Namespace,
    until::{Seen, until},
};
use anyhow::Result;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::{
    ResourceExt,
    api::{Api, ListParams},
};
use nettest_api::{NetTest, NetTestRun};
use std::time::Duration;

/// Kubernetes puts this one into every namespace.
const CERTIFICATES: &str = "kube-root-ca.crt";

impl Namespace {
    /// Waits until nothing of any NetTest is left here: no test, run, pod or ConfigMap.
    pub async fn nothing_left(&self, deadline: Duration) -> Result<()> {
        until(
            &format!("nothing is left in {}", self.name),
            deadline,
            async || {
                let mut left = self.names::<NetTest>().await?;
                left.extend(self.names::<NetTestRun>().await?);
                left.extend(self.names::<Pod>().await?);
                left.extend(self.names::<ConfigMap>().await?);
                left.retain(|name| name != CERTIFICATES);
                Ok(Seen::when(left.is_empty(), || left.join(", ")))
            },
        )
        .await
    }

    /// Waits until no Service is left in front of a server.
    pub async fn no_service_left(&self, deadline: Duration) -> Result<()> {
        until("no Service is left", deadline, async || {
            let left = self.names::<Service>().await?;
            Ok(Seen::when(left.is_empty(), || left.join(", ")))
        })
        .await
    }

    async fn names<K>(&self) -> Result<Vec<String>>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::de::DeserializeOwned,
        K::DynamicType: Default,
    {
        let api: Api<K> = self.api();
        let found = api.list(&ListParams::default()).await?;
        Ok(found.iter().map(ResourceExt::name_any).collect())
    }
}
