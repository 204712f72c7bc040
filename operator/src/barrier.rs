//! One pair a node at a time: who may create a run's first pod looks at the live pods and creates under one
//! lock, so that two runs of this process cannot both find a node free. Between processes the Lease decides.

use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

#[derive(Debug, Clone, Default)]
pub struct Barrier(Arc<Mutex<()>>);

/// Held from the list of live pods until the create was answered.
#[derive(Debug)]
pub struct Pass(#[allow(dead_code)] OwnedMutexGuard<()>);

impl Barrier {
    pub async fn enter(&self) -> Pass {
        Pass(self.0.clone().lock_owned().await)
    }
}
