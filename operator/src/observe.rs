//! The reads of a pass over a run, all fresh: a cache may be behind our own writes.

use crate::{
    client::{CallError, call},
    scope::Scope,
};
use k8s_openapi::api::core::v1::{Node, Pod, Service};
use kube::{Api, api::ListParams};
use nettest_api::{NetTestRun, Reason, labels, path::IPFamily};
use nettest_core::{
    external, names,
    observed::{Observed, RunFacts},
    policy::Policy,
    service_facts::ServiceFacts,
    valid::{RunUid, ValidExternal},
};
use std::{net::IpAddr, time::Duration};

/// How long a name server may take.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

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

/// The Services of one run.
pub async fn services(
    scope: &Scope,
    namespace: &str,
    run: &RunUid,
) -> Result<Vec<ServiceFacts>, CallError> {
    let api: Api<Service> = scope.api(namespace);
    let ours = ListParams::default().labels(&format!("{}={run}", labels::RUN_UID));
    let services = call("list Services", api.list(&ours)).await?;
    let facts = services.items.iter().filter_map(ServiceFacts::from_service);
    Ok(facts.collect())
}

/// The address of a server outside of the cluster, of the family that was asked for, if there is one that the policy
/// allows. A name is looked up here and nowhere else: the client dials the address that was judged.
pub async fn external(
    external: &ValidExternal,
    family: Option<IPFamily>,
    policy: &Policy,
) -> Result<IpAddr, (Reason, String)> {
    let ValidExternal { host, port } = external;
    let lookup = tokio::net::lookup_host((host.as_str(), *port));
    let found = tokio::time::timeout(LOOKUP_TIMEOUT, lookup)
        .await
        .map_err(|_| {
            let why = format!("no answer within {} s", LOOKUP_TIMEOUT.as_secs());
            external::not_resolved(host, &why)
        })?
        .map_err(|error| external::not_resolved(host, &error.to_string()))?;
    external::choose(host, found.map(|socket| socket.ip()), family, policy)
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
