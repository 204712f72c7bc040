//! Deciding without a client: every function here is sync, total and takes time and randomness as arguments.
//!
//! manifest -> [`validate`] -> [`valid::ValidTest`]; objects read -> [`observed::Observed`]; both -> [`plan::plan`];
//! a client's digest -> [`collect`] -> [`aggregate`] -> [`verdict`] and [`diagnose`]; all of it -> [`status`].
//!
//! - [`policy`], [`validate`], [`valid`]: what may run, parsed once into types
//! - [`quantity`], [`span`], [`cidr`], [`names`], [`units`]: numbers, times, addresses and names as Kubernetes writes them
//! - [`argv`], [`pod`]: what is started
//! - [`observed`], [`node_facts`], [`pod_facts`], [`service_facts`], [`refusal`]: what is seen
//! - [`placement`], [`mesh`], [`layout`], [`exclusivity`], [`plan`]: what to do next
//! - [`schedule`]: when a test runs by itself
//! - [`collect`], [`ledger`], [`link`], [`aggregate`], [`pinning`], [`verdict`], [`summary`],
//!   [`diagnose`]: what came out
//! - [`conditions`], [`status`], [`history`]: what is said about it
#![forbid(unsafe_code)]

pub mod aggregate;
pub mod argv;
pub mod cidr;
pub mod collect;
pub mod compare;
pub mod conditions;
pub mod diagnose;
pub mod documents;
pub mod exclusivity;
pub mod external;
pub mod history;
pub mod layout;
pub mod ledger;
pub mod link;
pub mod mesh;
pub mod names;
pub mod node_facts;
pub mod observed;
pub mod pinning;
pub mod placement;
pub mod plan;
pub mod pod;
pub mod pod_facts;
pub mod policy;
pub mod quantity;
pub mod refusal;
pub mod schedule;
pub mod service_facts;
pub mod span;
pub mod status;
pub mod summary;
pub mod token;
pub mod units;
pub mod valid;
pub mod validate;
pub mod verdict;

#[cfg(test)]
mod testing;
