//! A namespace of a test's own: made at its start, deleted at its end, dumped when the test fails.

use crate::{
    cluster::Cluster,
    command::{Command, kubectl},
    engine_pod, seconds,
    until::{Seen, until},
};
use anyhow::{Context, Result};
use futures::FutureExt;
use k8s_openapi::api::core::v1::Namespace as NamespaceObject;
use kube::api::{Api, DeleteParams, PostParams};
use std::{
    io::Write,
    panic::AssertUnwindSafe,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// May use the host network: the operator's policy names it (e2e/values.yaml) and its Pod Security level lets it.
pub const HOST_NETWORK: &str = "nettest-e2e-host";
/// The operator's policy names it, its Pod Security level does not let it.
pub const HOST_NETWORK_REFUSED: &str = "nettest-e2e-host-refused";

/// Pod Security level that the namespace enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Restricted,
    Privileged,
}

/// A namespace that exists while its test runs.
#[derive(Debug)]
pub struct Namespace {
    pub cluster: Cluster,
    pub name: String,
}

impl Namespace {
    /// Runs `body` in a new namespace that enforces Pod Security restricted: every scenario shows that pods pass it.
    pub async fn with(title: &str, body: impl AsyncFnOnce(&Namespace) -> Result<()>) -> Result<()> {
        // Two runs against one cluster must not meet in a namespace that is still going away.
        let stamp = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |t| t.as_millis() % 0x100_0000);
        Self::named(&format!("e2e-{title}-{stamp:06x}"), Level::Restricted, body).await
    }

    /// The same in a namespace whose name the operator's policy knows.
    pub async fn named(
        name: &str,
        level: Level,
        body: impl AsyncFnOnce(&Namespace) -> Result<()>,
    ) -> Result<()> {
        let begun = Instant::now();
        let cluster = Cluster::connect().await?;
        let namespace = Namespace {
            cluster,
            name: name.to_owned(),
        };
        namespace.create(level).await?;
        let ended = AssertUnwindSafe(body(&namespace)).catch_unwind().await;
        let ended = match ended {
            Ok(Ok(())) => Ok(engine_pod::await_none(&namespace, seconds(30)).await),
            other => other,
        };
        let failed = !matches!(ended, Ok(Ok(())));
        if failed {
            namespace.dump().await;
        }
        let deleted = namespace.delete().await;
        // Past libtest's capture, which has no times: one line a scenario. libtest names a test's thread after it.
        let thread = std::thread::current();
        let _ = writeln!(
            std::io::stderr(),
            "{:7.1} s  {}  {}  ({})",
            begun.elapsed().as_secs_f32(),
            if failed { "FAILED" } else { "passed" },
            thread.name().unwrap_or(name),
            namespace.name
        );
        match ended {
            Ok(result) => result.and(deleted),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    async fn create(&self, level: Level) -> Result<()> {
        let api = self.objects();
        until(
            &format!("the last run's namespace {} is gone", self.name),
            seconds(60),
            async || {
                let old = api.get_opt(&self.name).await?;
                if let Some(old) = &old
                    && old.metadata.deletion_timestamp.is_none()
                {
                    api.delete(&self.name, &DeleteParams::default()).await?;
                }
                Ok(Seen::when(old.is_none(), || "still there".to_owned()))
            },
        )
        .await?;
        let object: NamespaceObject = serde_json::from_value(serde_json::json!({
            "metadata": {"name": self.name, "labels": {
                "nettest-e2e": "true",
                "pod-security.kubernetes.io/enforce": match level {
                    Level::Restricted => "restricted",
                    Level::Privileged => "privileged",
                },
            }},
        }))?;
        api.create(&PostParams::default(), &object).await?;
        // Pods are refused until the controller manager has made it.
        let accounts: Api<k8s_openapi::api::core::v1::ServiceAccount> = self.api();
        until("the default service account", seconds(30), async || {
            Ok(Seen::some(accounts.get_opt("default").await?, || {
                "none".to_owned()
            }))
        })
        .await?;
        Ok(())
    }

    /// Not waited for: `e2e/run` checks once, after all scenarios, that every one of them went away.
    async fn delete(&self) -> Result<()> {
        match self
            .objects()
            .delete(&self.name, &DeleteParams::default())
            .await
        {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 || status.code == 409 => Ok(()),
            Err(error) => Err(error).context("deleting the test's namespace"),
        }
    }

    fn objects(&self) -> Api<NamespaceObject> {
        Api::all(self.cluster.client.clone())
    }

    /// The namespaced objects of a kind.
    pub fn api<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.cluster.client.clone(), &self.name)
    }

    /// `kubectl -n THIS LINE`, split at blanks.
    pub fn kubectl(&self, line: &str) -> Command {
        kubectl(&format!("--namespace {} {line}", self.name))
    }

    /// `kubectl apply` of a manifest; what kubectl printed.
    pub async fn apply(&self, manifest: &str) -> Result<String> {
        self.kubectl("apply -f -").input(manifest).run().await
    }

    /// What a person would look at first. To standard error, which libtest shows for failed tests only.
    async fn dump(&self) {
        let looks = [
            self.kubectl("get pods -o wide"),
            self.kubectl("get nettests,nettestruns -o yaml --show-managed-fields=false"),
            self.kubectl("get events --sort-by=.metadata.creationTimestamp"),
            self.kubectl("describe pods"),
            kubectl("--namespace nettest-system get pods -o wide"),
            kubectl("--namespace nettest-system logs deployment/nettest --tail 60"),
        ];
        for look in looks {
            match look.output().await {
                Ok(seen) => eprintln!("--- {}\n{}{}", seen.line, seen.stdout, seen.stderr),
                Err(error) => eprintln!("--- {error:#}"),
            }
        }
    }
}
