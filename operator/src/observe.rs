//! The reads of a pass over a run, all fresh: a cache may be behind our own writes.

use crate::{
    client::{CallError, call},
    scope::Scope,
};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::{Api, api::ListParams};
use nettest_api::NetTestRun;
use nettest_core::{
    names,
    observed::{Observed, RunFacts},
    policy::Policy,
};

/// What was read.
#[derive(Debug, Clone)]
pub struct Reads {
    pub nodes: Vec<Node>,
    /// Engine pods of every run that we may see.
    pub pods: Vec<Pod>,
}

/// List nodes and engine pods.
pub async fn read(scope: &Scope) -> Result<Reads, CallError> {
    // Pods first: a node that a pod is bound to is then in the list of nodes.
    let pods = engine_pods(scope).await?;
    let nodes = Api::<Node>::all(scope.client().clone());
    // Any version will do: the API server's cache answers, which is cheap with many nodes.
    let any = ListParams::default().match_any();
    let nodes = call("list nodes", nodes.list(&any)).await?.items;
    Ok(Reads { nodes, pods })
}

/// Every engine pod, of every run, from a read that is consistent with all writes before it.
async fn engine_pods(scope: &Scope) -> Result<Vec<Pod>, CallError> {
    let ours = ListParams::default().labels(&names::engine_pods_selector());
    let mut pods = Vec::new();
    for api in scope.apis::<Pod>() {
        pods.extend(call("list engine pods", api.list(&ours)).await?.items);
    }
    Ok(pods)
}

impl Reads {
    /// Sort it for planning. `runs` may be older than the rest: they decide only who is first.
    pub fn observed<'a>(
        &'a self,
        run: RunFacts,
        runs: impl IntoIterator<Item = &'a NetTestRun>,
        policy: &Policy,
    ) -> Observed {
        Observed::new(run, &self.nodes, &self.pods, runs, policy)
    }
}
