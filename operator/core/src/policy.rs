//! What the operator's administrator allows: asked before any pod is made.
//!
//! - [`HostNetwork`]: namespaces whose tests may use their nodes' network
//! - [`ExternalTargets`]: addresses outside of the cluster
//! - [`Allowed`]: keys of node labels and taints
//! - ceilings: how long, how fast, how many

mod external;

pub use external::ExternalTargets;

use crate::{
    cidr::{Cidr, CidrError},
    quantity::{self, QuantityError},
    span::{self, SpanError},
    valid::Bitrate,
};
use std::{collections::BTreeSet, net::IpAddr, time::Duration};
use thiserror::Error;

/// What the operator's administrator allows, from flags and chart values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub host_network: HostNetwork,
    pub external: ExternalTargets,
    /// Of nodeSelector; nodeName counts as [`HOSTNAME_KEY`].
    pub node_selector_keys: Allowed,
    /// Keys of the taints that tests may tolerate.
    pub tolerations: Allowed,
    /// Whether control-plane nodes may take part.
    pub control_plane: bool,
    /// Of a pair: all variants and repeats.
    pub max_duration: Option<Duration>,
    /// That an end of a pair may send, all streams together.
    pub max_bitrate: Option<Bitrate>,
    /// Pairs of a run at a time, each with two pods.
    pub max_pairs: Option<u32>,
    /// Of a namespace; those above it are Queued.
    pub concurrent_runs: Option<u32>,
}

/// The label by which a nodeName would be written as a nodeSelector.
pub const HOSTNAME_KEY: &str = "kubernetes.io/hostname";

/// In which namespaces pods may use their node's network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostNetwork {
    Everywhere,
    Namespaces(BTreeSet<String>),
}

impl Default for HostNetwork {
    fn default() -> Self {
        HostNetwork::Namespaces(BTreeSet::new())
    }
}

/// Which keys are allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    Any,
    These(BTreeSet<String>),
}

impl Allowed {
    /// `*` is any.
    fn from_names(names: &[String]) -> Allowed {
        let names = clean(names);
        if names.contains("*") {
            Allowed::Any
        } else {
            Allowed::These(names)
        }
    }

    pub fn allows(&self, key: &str) -> bool {
        match self {
            Allowed::Any => true,
            Allowed::These(keys) => keys.contains(key),
        }
    }
}

/// The policy as an administrator writes it: flags of the operator, values of its chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyText {
    pub host_network_namespaces: Vec<String>,
    pub external_targets: Vec<String>,
    /// Pods, Services and nodes.
    pub cluster_cidrs: Vec<String>,
    /// Empty: any.
    pub node_selector_keys: Vec<String>,
    pub tolerations: Vec<String>,
    pub control_plane: bool,
    pub max_duration: Option<String>,
    pub max_bitrate: Option<String>,
    pub max_pairs: Option<u32>,
    pub concurrent_runs: Option<u32>,
}

/// Why the operator does not start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolicyError {
    #[error("{flag}: {source}")]
    Range {
        flag: &'static str,
        source: CidrError,
    },
    #[error(
        "--external-targets needs --cluster-cidrs: the ranges of pods, Services and nodes, which no test may reach as external ones"
    )]
    NoClusterRanges,
    #[error("--max-duration: {text:?} {source}")]
    Duration { text: String, source: SpanError },
    #[error("--max-bitrate: {text:?} {source}")]
    Bitrate { text: String, source: QuantityError },
    #[error("{0} is 0, which permits no test: leave it out for no ceiling")]
    Zero(&'static str),
}

impl Default for Policy {
    /// What an administrator who says nothing allows.
    fn default() -> Self {
        Policy {
            host_network: HostNetwork::default(),
            external: ExternalTargets::default(),
            node_selector_keys: Allowed::Any,
            tolerations: Allowed::These(BTreeSet::new()),
            control_plane: false,
            max_duration: None,
            max_bitrate: None,
            max_pairs: None,
            concurrent_runs: None,
        }
    }
}

impl Policy {
    /// For `kubectl nettest run --local`: the user's own machine.
    pub fn everything() -> Policy {
        Policy {
            host_network: HostNetwork::Everywhere,
            external: ExternalTargets::Everywhere,
            node_selector_keys: Allowed::Any,
            tolerations: Allowed::Any,
            control_plane: true,
            max_duration: None,
            max_bitrate: None,
            max_pairs: None,
            concurrent_runs: None,
        }
    }

    /// The default, and the host network in these namespaces (comma-separated; `*` is every namespace).
    pub fn with_host_network(namespaces: &str) -> Policy {
        Policy {
            host_network: HostNetwork::of(&split(namespaces)),
            ..Policy::default()
        }
    }

    /// As written; the first mistake is the error.
    pub fn parse(text: &PolicyText) -> Result<Policy, PolicyError> {
        let PolicyText {
            host_network_namespaces,
            external_targets,
            cluster_cidrs,
            node_selector_keys,
            tolerations,
            control_plane,
            max_duration,
            max_bitrate,
            max_pairs,
            concurrent_runs,
        } = text;
        let targets = ranges("--external-targets", external_targets)?;
        let cluster = ranges("--cluster-cidrs", cluster_cidrs)?;
        if !targets.is_empty() && cluster.is_empty() {
            return Err(PolicyError::NoClusterRanges);
        }
        let keys = clean(node_selector_keys);
        Ok(Policy {
            host_network: HostNetwork::of(host_network_namespaces),
            external: ExternalTargets::These { targets, cluster },
            node_selector_keys: if keys.is_empty() {
                Allowed::Any
            } else {
                Allowed::from_names(node_selector_keys)
            },
            tolerations: Allowed::from_names(tolerations),
            control_plane: *control_plane,
            max_duration: duration(max_duration.as_deref())?,
            max_bitrate: bitrate(max_bitrate.as_deref())?,
            max_pairs: some("--max-pairs", *max_pairs)?,
            concurrent_runs: some("--max-runs-per-namespace", *concurrent_runs)?,
        })
    }

    pub fn allows_host_network(&self, namespace: &str) -> bool {
        match &self.host_network {
            HostNetwork::Everywhere => true,
            HostNetwork::Namespaces(names) => names.contains(namespace),
        }
    }

    /// Whether a test may dial this address outside of the cluster: the one that its name was resolved to. The error
    /// goes on after the address.
    pub fn allows_external(&self, address: IpAddr) -> Result<(), String> {
        self.external.allows(address)
    }
}

impl HostNetwork {
    fn of(namespaces: &[String]) -> HostNetwork {
        let names = clean(namespaces);
        if names.contains("*") {
            HostNetwork::Everywhere
        } else {
            HostNetwork::Namespaces(names)
        }
    }
}

fn split(names: &str) -> Vec<String> {
    names.split(',').map(str::to_owned).collect()
}

/// Without spaces, without empty ones.
fn clean(names: &[String]) -> BTreeSet<String> {
    names
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn ranges(flag: &'static str, texts: &[String]) -> Result<Vec<Cidr>, PolicyError> {
    texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .map(|text| {
            text.parse()
                .map_err(|source| PolicyError::Range { flag, source })
        })
        .collect()
}

/// An empty text is no ceiling: what a chart gives for a value that is not set.
fn duration(text: Option<&str>) -> Result<Option<Duration>, PolicyError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let span = span::parse(text).map_err(|source| PolicyError::Duration {
        text: text.to_owned(),
        source,
    })?;
    if span.is_zero() {
        return Err(PolicyError::Zero("--max-duration"));
    }
    Ok(Some(span))
}

fn bitrate(text: Option<&str>) -> Result<Option<Bitrate>, PolicyError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let rate = quantity::whole(text).map_err(|source| PolicyError::Bitrate {
        text: text.to_owned(),
        source,
    })?;
    some("--max-bitrate", Some(rate)).map(|rate| rate.map(Bitrate))
}

fn some<T: Default + PartialEq>(
    flag: &'static str,
    ceiling: Option<T>,
) -> Result<Option<T>, PolicyError> {
    match ceiling {
        Some(number) if number == T::default() => Err(PolicyError::Zero(flag)),
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests;
