//! What passes share.

use super::{backoff::Backoff, history::is_finished};
use crate::{barrier::Barrier, events::Events, metrics::Metrics, scope::Scope};
use kube::{core::DeserializeGuard, runtime::reflector::Store};
use nettest_api::NetTestRun;
use nettest_core::{pod::EngineConfig, policy::Policy};
use std::sync::{Arc, OnceLock};

pub type Runs = Store<DeserializeGuard<NetTestRun>>;

#[derive(Debug)]
pub struct Context {
    pub scope: Scope,
    pub policy: Policy,
    pub engine: EngineConfig,
    pub metrics: Arc<Metrics>,
    pub events: Events,
    pub barrier: Barrier,
    pub backoff: Backoff,
    /// The run controllers' caches: they decide only who is first in the queue.
    pub runs: OnceLock<Vec<Runs>>,
}

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
