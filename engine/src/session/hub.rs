//! What the server's connections share: who waits for data connections, and who is still in the handshake.

use super::door::Door;
use crate::wire::cookie::Cookie;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// Connections that have not yet shown what they are; past this the oldest is dropped.
pub const MAX_HANDSHAKES: usize = 64;

/// A data connection, with its place in the order of arrival: the order of the streams is theirs.
#[derive(Debug)]
pub struct Arrival {
    pub order: u64,
    pub stream: TcpStream,
}

#[derive(Debug)]
pub struct Hub {
    pub max_tests: usize,
    pub run_token: Option<String>,
    pub door: Arc<Door>,
    /// Tests that have a slot.
    pub running: AtomicUsize,
    waiting: Mutex<HashMap<Cookie, mpsc::Sender<Arrival>>>,
    handshakes: Mutex<Vec<Handshake>>,
}

#[derive(Debug)]
struct Handshake {
    /// Set by the connection when it has shown what it is: it is not dropped any more.
    settled: Arc<AtomicBool>,
    task: AbortHandle,
}

/// A test's right to the data connections with its cookie. Ends when dropped.
#[derive(Debug)]
pub struct Awaiting {
    pub arrivals: mpsc::Receiver<Arrival>,
    cookie: Cookie,
    hub: Arc<Hub>,
}

impl Drop for Awaiting {
    fn drop(&mut self) {
        self.hub.waiting().remove(&self.cookie);
    }
}

/// One of the server's slots, given back when dropped, whatever became of the test.
#[derive(Debug)]
pub struct Occupied(Arc<Hub>);

impl Occupied {
    pub fn new(hub: Arc<Hub>) -> Self {
        hub.running.fetch_add(1, Ordering::Relaxed);
        Occupied(hub)
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Hub {
    pub fn new(max_tests: usize, run_token: Option<String>, door: Arc<Door>) -> Arc<Self> {
        Arc::new(Hub {
            max_tests,
            run_token,
            door,
            running: AtomicUsize::new(0),
            waiting: Mutex::default(),
            handshakes: Mutex::default(),
        })
    }

    pub fn is_full(&self) -> bool {
        self.running.load(Ordering::Relaxed) >= self.max_tests
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<Cookie, mpsc::Sender<Arrival>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: another test with this very cookie waits already.
    pub fn await_streams(self: &Arc<Self>, cookie: Cookie, count: usize) -> Option<Awaiting> {
        let (tx, arrivals) = mpsc::channel(count.max(1));
        let mut waiting = self.waiting();
        if waiting.contains_key(&cookie) {
            return None;
        }
        waiting.insert(cookie, tx);
        Some(Awaiting {
            arrivals,
            cookie,
            hub: self.clone(),
        })
    }

    /// Hand a data connection to its test; gives it back when no test waits for it.
    pub fn route(&self, cookie: &Cookie, arrival: Arrival) -> Result<(), Arrival> {
        match self.waiting().get(cookie) {
            // More than were asked for are dropped, and so closed.
            Some(test) => {
                let _ = test.try_send(arrival);
                Ok(())
            }
            None => Err(arrival),
        }
    }

    /// A new connection, before it has said anything.
    pub fn admit(&self, settled: Arc<AtomicBool>, task: AbortHandle) {
        let mut handshakes = self
            .handshakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        handshakes.retain(|h| !h.settled.load(Ordering::Acquire) && !h.task.is_finished());
        if handshakes.len() >= MAX_HANDSHAKES {
            handshakes.remove(0).task.abort();
        }
        handshakes.push(Handshake { settled, task });
    }
}
