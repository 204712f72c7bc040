//! Everything that a plan is made from. Built from fresh API objects by pure functions.

use crate::{
    conditions::find,
    ledger::Ledger,
    node_facts::NodeFacts,
    pod_facts::{NodePair, PodFacts},
    policy::Policy,
    refusal::CreateRefusal,
    service_facts::ServiceFacts,
    status,
    valid::{NodeName, RunUid, ValidTest},
    validate,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod};
use nettest_api::{NetTestRun, Reason, condition, result::Verdict};
use std::net::IpAddr;

/// What was seen in one pass, for one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub run: RunFacts,
    pub nodes: Vec<NodeFacts>,
    /// This run's pods, of every pair and attempt.
    pub pods: Vec<PodFacts>,
    /// This run's Services.
    pub services: Vec<ServiceFacts>,
    /// Of a run with several pairs: what is known of them.
    pub ledger: Ledger,
    /// Of a test of an external server: its address, or why there is none or it is not permitted.
    pub external: Option<Result<IpAddr, (Reason, String)>>,
    /// Live engine pods of other runs, in any namespace.
    pub claims: Vec<Claim>,
    /// Other runs that wait for nodes, and so may come first.
    pub waiters: Vec<Waiter>,
    /// Runs of a namespace that may measure at a time, as the operator's policy has it.
    pub concurrent_runs: Option<u32>,
    /// Set when a create of this pass was refused: planning again then says so instead of trying again.
    pub refusal: Option<CreateRefusal>,
}

/// The run itself, from a fresh read (a cached status may be an attempt behind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    pub name: String,
    pub namespace: String,
    pub uid: RunUid,
    pub created: Option<Timestamp>,
    /// Has a deletionTimestamp.
    pub deleting: bool,
    /// Succeeded is True or False: the result stands.
    pub finished: bool,
    /// From the status, 1 when it says nothing.
    pub attempt: u32,
    pub placed: Option<Timestamp>,
    /// The status says that the client of `attempt` runs.
    pub client_was_running: bool,
    /// What Scheduled=False says: what the run waited for when it was last looked at.
    pub blocked: Option<(Reason, String)>,
    /// Of a run with several pairs: its nodes, once they are chosen.
    pub nodes: Vec<NodeName>,
    /// Which of a run's pairs this is about, when it has several: see [`crate::plan`].
    pub number: Option<u32>,
    /// The same for all runs of a test: by it they choose the same pairs.
    pub seed: String,
    /// Passed, Failed or Error, once it has ended.
    pub verdict: Option<Verdict>,
    /// Pairs that are done, of a run with several.
    pub done: u32,
}

/// A live pod of another run, with the nodes it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub run: RunUid,
    pub namespace: String,
    /// `namespace/pod`, for people.
    pub holder: String,
    pub nodes: NodePair,
    pub created: Option<Timestamp>,
    pub client: bool,
    pub deleting: bool,
}

/// Another run that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiter {
    pub run: RunUid,
    pub namespace: String,
    /// `namespace/run`, for people.
    pub holder: String,
    pub created: Option<Timestamp>,
    /// Pairs that it has measured already, of a run with several.
    pub done: u32,
    pub test: ValidTest,
}

impl RunFacts {
    /// `None` for an object without name, namespace or UID, which the API does not have.
    pub fn from_run(run: &NetTestRun) -> Option<RunFacts> {
        let meta = &run.metadata;
        let status = run.status.as_ref();
        let said = |type_: &str| status.and_then(|status| find(&status.conditions, type_));
        Some(RunFacts {
            name: meta.name.clone()?,
            namespace: meta.namespace.clone()?,
            uid: RunUid(meta.uid.clone()?),
            created: meta.creation_timestamp.as_ref().map(|time| time.0),
            deleting: meta.deletion_timestamp.is_some(),
            finished: status.is_some_and(status::finished),
            attempt: status
                .and_then(|status| status.attempt)
                .and_then(|attempt| u32::try_from(attempt).ok())
                .unwrap_or(1)
                .max(1),
            placed: status
                .and_then(|status| status.placement_time.as_ref())
                .map(|time| time.0),
            client_was_running: said(condition::SUCCEEDED)
                .is_some_and(|condition| condition.reason == Reason::Running.as_str()),
            blocked: said(condition::SCHEDULED)
                .filter(|condition| condition.status == "False")
                .and_then(|condition| {
                    Some((Reason::parse(&condition.reason)?, condition.message.clone()))
                }),
            nodes: status
                .map(|status| status.nodes.iter().map(|node| NodeName(node.clone())))
                .into_iter()
                .flatten()
                .collect(),
            number: None,
            seed: seed(run),
            verdict: status.and_then(|status| status.verdict),
            done: status
                .and_then(|status| status.progress)
                .map_or(0, |progress| {
                    progress
                        .measured
                        .saturating_add(progress.failed)
                        .unsigned_abs()
                }),
        })
    }
}

/// The test's own UID, or its name: a run that somebody made by hand may name a test without belonging to it.
fn seed(run: &NetTestRun) -> String {
    let mut owners = run.metadata.owner_references.iter().flatten();
    let owner = owners.find(|owner| owner.controller == Some(true));
    owner
        .map(|owner| owner.uid.clone())
        .or_else(|| run.spec.test_name.clone())
        .or_else(|| run.metadata.uid.clone())
        .unwrap_or_default()
}

impl Claim {
    pub fn from_pod(pod: &PodFacts) -> Option<Claim> {
        pod.live().then(|| Claim {
            run: pod.run.clone(),
            namespace: pod.namespace.clone(),
            holder: format!("{}/{}", pod.namespace, pod.name),
            nodes: pod.pair.clone(),
            created: pod.created,
            client: pod.role == crate::names::Role::Client,
            deleting: pod.deleting,
        })
    }
}

impl Waiter {
    /// `None` when the run is over, on its way out, or will be refused; and when it had its turn and something
    /// other than a queue holds it up, such as its namespace's quota: nodes that it cannot use are not kept for
    /// it. Runs that hold nodes already may be given too: planning leaves them out.
    pub fn from_run(run: &NetTestRun, policy: &Policy) -> Option<Waiter> {
        let facts = RunFacts::from_run(run)?;
        if facts.finished || facts.deleting || facts.blocked.is_some() {
            return None;
        }
        Some(Waiter {
            holder: format!("{}/{}", facts.namespace, facts.name),
            created: facts.created,
            done: facts.done,
            test: validate::validate(&run.spec.test, &facts.namespace, policy).ok()?,
            run: facts.uid,
            namespace: facts.namespace,
        })
    }
}

impl Observed {
    /// Sort what was read: `engine_pods` are all pods of [`crate::names::engine_pods_selector`] in every
    /// namespace, from a fresh list; `runs` all runs (a cache will do: it decides only who is first).
    pub fn new<'a>(
        run: RunFacts,
        nodes: impl IntoIterator<Item = &'a Node>,
        engine_pods: impl IntoIterator<Item = &'a Pod>,
        runs: impl IntoIterator<Item = &'a NetTestRun>,
        policy: &Policy,
    ) -> Observed {
        let (pods, others): (Vec<_>, Vec<_>) = engine_pods
            .into_iter()
            .filter_map(PodFacts::from_pod)
            .partition(|pod| pod.run == run.uid && pod.namespace == run.namespace);
        Observed {
            nodes: nodes.into_iter().filter_map(NodeFacts::from_node).collect(),
            claims: others.iter().filter_map(Claim::from_pod).collect(),
            waiters: runs
                .into_iter()
                .filter(|other| other.metadata.uid.as_deref() != Some(run.uid.as_str()))
                .filter_map(|other| Waiter::from_run(other, policy))
                .collect(),
            pods,
            services: vec![],
            ledger: Ledger::default(),
            external: None,
            concurrent_runs: policy.concurrent_runs,
            run,
            refusal: None,
        }
    }
}

#[cfg(test)]
mod tests;
