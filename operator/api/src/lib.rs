//! The `nettest.dev/v1alpha1` kinds. No client: others can depend on it.
//!
//! - [`net_test`] and [`net_test_run`]: the two kinds
//! - [`topology`], [`path`], [`endpoint`], [`traffic`], [`sweep`], [`repeats`], [`threshold`], [`limits`], [`schedule`], [`cleanup`]:
//!   the spec, a noun a file
//! - [`result`], [`condition`]: the status
//! - [`reason`]: the fixed list of reasons; [`labels`]: what pods and runs carry
//! - [`crdgen`]: the CustomResourceDefinitions made from all of it
//! - [`quantity`], [`duration`]: numbers and times as Kubernetes writes them
#![forbid(unsafe_code)]

pub mod cleanup;
pub mod condition;
pub mod crdgen;
pub mod diagnosis;
pub mod duration;
pub mod endpoint;
pub mod labels;
pub mod limits;
pub mod net_test;
pub mod net_test_run;
pub mod path;
pub mod quantity;
pub mod reason;
pub mod repeats;
pub mod result;
mod rules;
pub mod schedule;
pub mod sweep;
pub mod threshold;
pub mod topology;
pub mod traffic;

pub use net_test::{NetTest, NetTestSpec, NetTestStatus, PastRun};
pub use net_test_run::{NetTestRun, NetTestRunSpec, NetTestRunStatus};
pub use reason::Reason;
