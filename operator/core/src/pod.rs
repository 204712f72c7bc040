//! The pods of a run.

mod build;
mod service;

use nettest_api::path::IPFamily;

use crate::{
    argv::Targets,
    names::Role,
    pod_facts::NodePair,
    token::RunToken,
    valid::{Lane, RunUid},
};

pub use build::{client_pod, pod, server_pod};
pub use service::service;

/// Name of the only container.
pub const CONTAINER: &str = "engine";

/// What the operator's administrator says about engine pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineConfig {
    pub image: String,
    /// `Always`, `IfNotPresent`, `Never`; `None`: the cluster's default.
    pub image_pull_policy: Option<String>,
    /// Names of pull secrets, which must exist in the run's namespace.
    pub image_pull_secrets: Vec<String>,
    pub priority_class: Option<String>,
}

/// The run that owns a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub namespace: String,
    pub run: String,
    pub uid: RunUid,
    /// The NetTest, when the run belongs to one.
    pub test: Option<String>,
}

impl Owner {
    /// `None` for an object without name, namespace or UID.
    pub fn of(run: &nettest_api::NetTestRun) -> Option<Owner> {
        let meta = &run.metadata;
        Some(Owner {
            namespace: meta.namespace.clone()?,
            run: meta.name.clone()?,
            uid: RunUid(meta.uid.clone()?),
            test: run.spec.test_name.clone(),
        })
    }
}

/// A pod to make, as planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodPlan {
    pub name: String,
    pub attempt: u32,
    /// Of the pair, in a run with several.
    pub number: Option<u32>,
    pub pair: NodePair,
    pub lane: Lane,
    pub part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Server,
    Client {
        /// Where the running server is.
        targets: Targets,
        /// The server's token; a server that is none of ours has none.
        token: Option<RunToken>,
    },
}

/// A Service to make, as planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePlan {
    pub name: String,
    /// Name of the server's pod, which alone is behind it.
    pub server: String,
    pub attempt: u32,
    pub number: Option<u32>,
    /// Of type NodePort.
    pub node_port: bool,
    /// `None`: the cluster's first.
    pub family: Option<IPFamily>,
}

impl PodPlan {
    pub fn role(&self) -> Role {
        match self.part {
            Part::Server => Role::Server,
            Part::Client { .. } => Role::Client,
        }
    }
}

#[cfg(test)]
mod tests;
