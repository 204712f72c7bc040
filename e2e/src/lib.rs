//! Helpers for the scenarios under `tests/scenarios`, which run against the cluster of `e2e/cluster` with the chart installed.
//!
//! - [`cluster`]: where the cluster is; refuses to run without one
//! - [`namespace`]: a namespace a test, deleted at its end, dumped when it fails; [`manifest`]: what is applied there
//! - [`until`]: waiting with a deadline and a readable error; [`command`]: kubectl, helm and the rest
//! - [`net_test`], [`run`], [`documents`], [`engine_pod`], [`leftovers`]: what the operator made of a manifest, and what stayed behind
//! - [`witness`]: who measured whom, and that no node was in two measurements at once
//! - [`container`], [`process`]: a pod's container as this machine sees it: its cgroup, its CPUs, its processes
//! - [`operator`], [`release`]: the operator's pod and process; its Helm release
//! - [`audit`], [`prometheus`]: what was really written, what was really scraped
//! - [`link`](mod@link), [`node`], [`component`], [`peer`]: the wire, the labels and the taints of a node, the cluster without one of its
//!   programs; stock iperf3 in pods; [`outside`]: on this machine
#![forbid(unsafe_code)]

pub mod audit;
pub mod cluster;
pub mod command;
pub mod component;
pub mod container;
pub mod dashboard;
pub mod documents;
pub mod engine_pod;
pub mod leftovers;
pub mod link;
pub mod manifest;
pub mod namespace;
pub mod net_test;
pub mod node;
pub mod operator;
pub mod outside;
pub mod peer;
pub mod process;
pub mod prometheus;
pub mod release;
pub mod run;
pub mod until;
pub mod witness;

pub use anyhow::Result;
pub use namespace::Namespace;
pub use std::time::Duration;

/// Seconds, as a test writes them.
pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
