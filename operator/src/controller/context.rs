//! What passes share.

use super::{backoff::Backoff, history::is_finished};
use crate::{barrier::Barrier, events::Events, ledgers::Ledgers, metrics::Metrics, scope::Scope};
use kube::{core::DeserializeGuard, runtime::reflector::Store};
use nettest_api::NetTestRun;
use nettest_core::{pod::EngineConfig, policy::Policy};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

pub type Runs = Store<DeserializeGuard<NetTestRun>>;

#[derive(Debug)]
pub struct Context {
    pub scope: Scope,
    pub policy: Policy,
    pub engine: EngineConfig,
    pub metrics: Arc<Metrics>,
    pub events: Events,
    pub barrier: Barrier,
    pub ledgers: Ledgers,
    pub backoff: Backoff,
    /// Logs of up to 10 MiB that are in memory at a time, some of them twice.
    pub logs: Semaphore,
    /// The run controllers' caches: they decide only who is first in the queue.
    pub runs: OnceLock<Vec<Runs>>,
}

/// How many logs: the chart gives 256 MiB.
pub const LOGS: usize = 3;

impl Context {
    /// Unfinished runs, as last heard of.
    pub fn unfinished_runs(&self) -> Vec<Arc<DeserializeGuard<NetTestRun>>> {
        let stores = self.runs.get().map(Vec::as_slice).unwrap_or_default();
        stores
            .iter()
            .flat_map(Store::state)
            .filter(|run| run.0.as_ref().is_ok_and(|run| !is_finished(run)))
            .collect()
    }
}
