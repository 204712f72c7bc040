//! One pair a node at a time: who may create a run's first pod looks at the live pods and creates under one
//! lock, so that two runs of this process cannot both find a node free.
//!
//! Between processes the Lease decides. Should a write of an earlier leader, or one that we gave up waiting for,
//! arrive late all the same, two servers may meet on a node; then no client starts (nettest_core's `conflict`):
//! both claims are pods, and the list from which a client is made is read after its own server exists, so of two
//! runs at least one sees the other.

use tokio::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
pub struct Barrier(Mutex<()>);

impl Barrier {
    /// Held from the list of live pods until the create was answered.
    pub async fn enter(&self) -> MutexGuard<'_, ()> {
        self.0.lock().await
    }
}
