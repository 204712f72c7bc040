//! What users do with a cluster, one file a scenario. `make e2e` runs them; without it each fails in one line.
//!
//! One program for all of them: it is linked once, and `--test-threads=1` keeps pairs off each other's nodes.

mod admission;
mod alerts;
mod crash;
mod dashboards;
mod deletion;
mod diagnosis;
mod dual_stack;
mod every_example;
mod examples;
mod exclusivity;
mod external;
mod fault;
mod invalid_spec;
mod mesh;
mod metrics;
mod paths;
mod permission;
mod pinning;
mod placement;
mod plugin;
mod pod_lost;
mod refusal;
mod report;
mod rerun;
mod schedule;
mod security;
mod star;
mod sweep;
mod threshold;
mod truth;
mod uninstall;
