//! What planning needs to know of an engine pod.

use crate::{
    argv::TOKEN_ENV,
    names::Role,
    pod::CONTAINER,
    token::RunToken,
    valid::{NodeName, RunUid},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};
use nettest_api::{labels, path::IPFamily};
use std::net::IpAddr;

/// The two nodes of a run. They may be the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePair {
    pub client: NodeName,
    pub server: NodeName,
}

impl NodePair {
    pub fn contains(&self, node: &NodeName) -> bool {
        self.client == *node || self.server == *node
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodFacts {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub run: RunUid,
    pub role: Role,
    pub attempt: u32,
    /// Of the pair, in a run with several.
    pub number: Option<u32>,
    pub pair: NodePair,
    pub created: Option<Timestamp>,
    /// Has a deletionTimestamp.
    pub deleting: bool,
    /// The pod's addresses, the cluster's first family first.
    pub addresses: Vec<IpAddr>,
    pub host_addresses: Vec<IpAddr>,
    pub token: Option<RunToken>,
    pub state: PodState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodState {
    /// Not looked at yet.
    Pending,
    /// The scheduler said no; its own message.
    Unscheduled {
        message: String,
    },
    /// On its node, the container does not run yet.
    Starting {
        /// The kubelet's reason, e.g. `ErrImagePull`; empty when it has none yet.
        reason: String,
        message: String,
    },
    Running {
        /// The startup probe has passed.
        started: bool,
        since: Option<Timestamp>,
    },
    Ended(Ended),
}

/// How a pod ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// `None`: the container never ran (the kubelet refused the pod) or its end was not reported.
    pub exit_code: Option<i32>,
    /// The container's termination message, where engines put their digest.
    pub message: String,
    pub out_of_memory: bool,
    /// Reason and message of the pod itself: `UnexpectedAdmissionError`, `Evicted`, `DeadlineExceeded` …
    pub pod_reason: String,
    pub pod_message: String,
    /// The cluster took the pod away: eviction, preemption, drain, node shutdown.
    pub disrupted: bool,
}

impl PodFacts {
    /// `None` for a pod that does not carry our labels whole, so is not ours.
    pub fn from_pod(pod: &Pod) -> Option<PodFacts> {
        let meta = &pod.metadata;
        let tags = meta.labels.as_ref()?;
        if tags.get(labels::MANAGED_BY).map(String::as_str) != Some(labels::MANAGED_BY_VALUE) {
            return None;
        }
        let node = |key: &str| -> Option<NodeName> {
            // The label is cut when long; the annotation has the whole name.
            let whole = meta.annotations.as_ref().and_then(|all| all.get(key));
            whole
                .or_else(|| tags.get(key))
                .map(|name| NodeName(name.clone()))
        };
        let status = pod.status.as_ref();
        Some(PodFacts {
            name: meta.name.clone()?,
            namespace: meta.namespace.clone()?,
            uid: meta.uid.clone()?,
            run: RunUid(tags.get(labels::RUN_UID)?.clone()),
            role: Role::parse(tags.get(labels::ROLE)?)?,
            attempt: tags.get(labels::ATTEMPT)?.parse().ok()?,
            number: match tags.get(labels::PAIR) {
                Some(number) => Some(number.parse().ok()?),
                None => None,
            },
            pair: NodePair {
                client: node(labels::CLIENT_NODE)?,
                server: node(labels::SERVER_NODE)?,
            },
            created: meta.creation_timestamp.as_ref().map(|time| time.0),
            deleting: meta.deletion_timestamp.is_some(),
            addresses: status.map_or(vec![], |status| {
                let all = status.pod_ips.iter().flatten();
                addresses(all.map(|one| &one.ip), status.pod_ip.as_ref())
            }),
            host_addresses: status.map_or(vec![], |status| {
                let all = status.host_ips.iter().flatten();
                addresses(all.map(|one| &one.ip), status.host_ip.as_ref())
            }),
            token: token(pod),
            state: status.map_or(PodState::Pending, state),
        })
    }

    /// Still holds its nodes: neither Succeeded nor Failed. A pod that is being deleted is live until it is gone.
    pub fn live(&self) -> bool {
        !matches!(self.state, PodState::Ended(_))
    }

    /// The pod's address of this family; its first when any will do.
    pub fn address(&self, family: Option<IPFamily>) -> Option<IpAddr> {
        of_family(&self.addresses, family)
    }

    /// The same of its node.
    pub fn host_address(&self, family: Option<IPFamily>) -> Option<IpAddr> {
        of_family(&self.host_addresses, family)
    }

    /// The node that this pod itself is for.
    pub fn own_node(&self) -> &NodeName {
        match self.role {
            Role::Client => &self.pair.client,
            Role::Server => &self.pair.server,
        }
    }
}

pub(crate) fn of_family(addresses: &[IpAddr], family: Option<IPFamily>) -> Option<IpAddr> {
    let fits = |address: &&IpAddr| match family {
        None => true,
        Some(IPFamily::IPv4) => address.is_ipv4(),
        Some(IPFamily::IPv6) => address.is_ipv6(),
    };
    addresses.iter().find(fits).copied()
}

/// The list is whole; the single field is all that an old kubelet sets.
fn addresses<'a>(all: impl Iterator<Item = &'a String>, first: Option<&String>) -> Vec<IpAddr> {
    let mut all: Vec<IpAddr> = all.filter_map(|ip| ip.parse().ok()).collect();
    let first = first.and_then(|ip| ip.parse().ok());
    if let Some(first) = first.filter(|first| !all.contains(first)) {
        all.insert(0, first);
    }
    all
}

fn token(pod: &Pod) -> Option<RunToken> {
    let spec = pod.spec.as_ref()?;
    let engine = spec.containers.iter().find(|c| c.name == CONTAINER)?;
    let env = engine
        .env
        .as_deref()?
        .iter()
        .find(|e| e.name == TOKEN_ENV)?;
    RunToken::parse(env.value.as_deref()?).ok()
}

fn state(status: &PodStatus) -> PodState {
    let engine = status
        .container_statuses
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|container| container.name == CONTAINER);
    let phase = status.phase.as_deref().unwrap_or_default();
    let terminated = engine
        .and_then(|engine| engine.state.as_ref())
        .and_then(|state| state.terminated.as_ref());
    if matches!(phase, "Succeeded" | "Failed") || terminated.is_some() {
        return PodState::Ended(ended(status, engine));
    }
    if let Some(running) = engine
        .and_then(|engine| engine.state.as_ref())
        .and_then(|state| state.running.as_ref())
    {
        return PodState::Running {
            started: engine.and_then(|engine| engine.started) == Some(true),
            since: running.started_at.as_ref().map(|time| time.0),
        };
    }
    let scheduled = status
        .conditions
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|condition| condition.type_ == "PodScheduled");
    match scheduled {
        Some(condition) if condition.status == "False" => PodState::Unscheduled {
            message: condition.message.clone().unwrap_or_default(),
        },
        None => PodState::Pending,
        Some(_) => {
            let waiting = engine
                .and_then(|engine| engine.state.as_ref())
                .and_then(|state| state.waiting.as_ref());
            PodState::Starting {
                reason: waiting
                    .and_then(|waiting| waiting.reason.clone())
                    .unwrap_or_default(),
                message: waiting
                    .and_then(|waiting| waiting.message.clone())
                    .unwrap_or_default(),
            }
        }
    }
}

fn ended(status: &PodStatus, engine: Option<&ContainerStatus>) -> Ended {
    let terminated = engine
        .and_then(|engine| engine.state.as_ref())
        .and_then(|state| state.terminated.as_ref());
    let pod_reason = status.reason.clone().unwrap_or_default();
    // DisruptionTarget is set before every disruption by the cluster (KEP-3329); the reasons cover kubelets alone.
    let targeted = status
        .conditions
        .as_deref()
        .unwrap_or_default()
        .iter()
        .any(|condition| condition.type_ == "DisruptionTarget" && condition.status == "True");
    let by_kubelet = matches!(
        pod_reason.as_str(),
        "Evicted"
            | "Preempting"
            | "Preempted"
            | "Terminated"
            | "NodeShutdown"
            | "NodeLost"
            | "Shutdown"
    );
    // The kubelet restarted and found no container: its exit code 137 is made up.
    let unknown = terminated.and_then(|terminated| terminated.reason.as_deref())
        == Some("ContainerStatusUnknown");
    Ended {
        exit_code: terminated.map(|terminated| terminated.exit_code),
        message: terminated
            .and_then(|terminated| terminated.message.clone())
            .unwrap_or_default(),
        out_of_memory: terminated.and_then(|terminated| terminated.reason.as_deref())
            == Some("OOMKilled"),
        pod_reason,
        pod_message: status.message.clone().unwrap_or_default(),
        disrupted: targeted || by_kubelet || unknown,
    }
}

#[cfg(test)]
mod tests;
