//! What users do with a cluster, one file a scenario. `make e2e` runs them; without it each fails in one line.
//!
//! One program for all of them: it is linked once, and `--test-threads=1` keeps pairs off each other's nodes.

mod admission;
mod crash;
mod deletion;
mod examples;
mod exclusivity;
mod invalid_spec;
mod metrics;
mod pinning;
mod placement;
mod plugin;
mod pod_lost;
mod refusal;
mod rerun;
mod security;
mod threshold;
mod truth;
mod uninstall;
