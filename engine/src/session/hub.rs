//! What the server's connections share: the slots and the line for them, who waits for data connections, and who is
//! still in the handshake.

use super::door::Door;
use super::line::{Line, Place};
use crate::wire::cookie::Cookie;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

/// Connections that have not yet shown what they are; past this the oldest is dropped, once it has had its time.
pub const MAX_HANDSHAKES: usize = 64;
/// The 256 streams of one test may all have come before the first cookie is read: none of them is dropped so early.
const READING: Duration = Duration::from_millis(500);
/// Past this the oldest is dropped however young: two tests' streams.
const MOST_HANDSHAKES: usize = 512;
/// Of one address, among those that have had their time, unless a test of it awaits streams, which may be late.
const PEER_HANDSHAKES: usize = 4;

/// A data connection, with its place in the order of arrival: the order of the streams is theirs.
#[derive(Debug)]
pub struct Arrival {
    pub order: u64,
    pub stream: TcpStream,
}

/// How many tests and waiting clients a server takes, and whose.
#[derive(Debug, Clone)]
pub struct Capacity {
    pub tests: usize,
    /// Clients in line.
    pub queue: usize,
    pub run_token: Option<String>,
}

#[derive(Debug, Default)]
struct Slots {
    taken: usize,
    line: Line,
}

impl Slots {
    /// For who does not wait: a slot that is free belongs to the first in line.
    fn are_full(&self, capacity: &Capacity) -> bool {
        self.taken >= capacity.tests || !self.line.is_empty()
    }
}

#[derive(Debug)]
pub struct Hub {
    pub capacity: Capacity,
    pub door: Arc<Door>,
    slots: Mutex<Slots>,
    /// Rung when a slot or a place in line was given back.
    changes: watch::Sender<()>,
    waiting: Mutex<HashMap<Cookie, Guest>>,
    handshakes: Mutex<Vec<Handshake>>,
}

/// A test that awaits streams.
#[derive(Debug)]
struct Guest {
    peer: IpAddr,
    streams: mpsc::Sender<Arrival>,
}

#[derive(Debug)]
struct Handshake {
    since: Instant,
    peer: IpAddr,
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
        lock(&self.hub.waiting).remove(&self.cookie);
    }
}

/// One of the server's slots, given back when dropped, whatever became of the test.
#[derive(Debug)]
pub struct Occupied(Arc<Hub>);

impl Drop for Occupied {
    fn drop(&mut self) {
        let mut slots = lock(&self.0.slots);
        slots.taken = slots.taken.saturating_sub(1);
        drop(slots);
        self.0.changes.send_replace(());
    }
}

/// What a client that would wait gets.
#[derive(Debug)]
pub enum Entry {
    Slot(Occupied),
    Place(Place),
    Full,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    pub fn new(capacity: Capacity, door: Arc<Door>) -> Arc<Self> {
        Arc::new(Hub {
            capacity,
            door,
            slots: Mutex::default(),
            changes: watch::Sender::new(()),
            waiting: Mutex::default(),
            handshakes: Mutex::default(),
        })
    }

    pub fn is_full(&self) -> bool {
        lock(&self.slots).are_full(&self.capacity)
    }

    pub fn in_line(&self) -> usize {
        lock(&self.slots).line.len()
    }

    /// A slot for a client that does not wait.
    pub fn occupy(self: &Arc<Self>) -> Option<Occupied> {
        let mut slots = lock(&self.slots);
        if slots.are_full(&self.capacity) {
            return None;
        }
        slots.taken += 1;
        Some(Occupied(self.clone()))
    }

    /// A slot or a place for one that does.
    pub fn enter(self: &Arc<Self>, peer: IpAddr) -> Entry {
        if let Some(occupied) = self.occupy() {
            return Entry::Slot(occupied);
        }
        match lock(&self.slots).line.join(peer, self.capacity.queue) {
            Some(ticket) => Entry::Place(Place::new(ticket, self.clone())),
            None => Entry::Full,
        }
    }

    /// The slot of the first in line, once one is free; else the place.
    pub fn turn(self: &Arc<Self>, ticket: u64) -> Result<Occupied, Option<usize>> {
        let mut slots = lock(&self.slots);
        match slots.line.place(ticket) {
            Some(1) if slots.taken < self.capacity.tests => {
                slots.taken += 1;
                slots.line.leave(ticket);
                Ok(Occupied(self.clone()))
            }
            place => Err(place),
        }
    }

    pub fn leave(&self, ticket: u64) {
        lock(&self.slots).line.leave(ticket);
        self.changes.send_replace(());
    }

    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// `None`: another test with this very cookie waits already.
    pub fn await_streams(
        self: &Arc<Self>,
        cookie: Cookie,
        peer: IpAddr,
        count: usize,
    ) -> Option<Awaiting> {
        let (streams, arrivals) = mpsc::channel(count.max(1));
        let mut waiting = lock(&self.waiting);
        if waiting.contains_key(&cookie) {
            return None;
        }
        waiting.insert(cookie, Guest { peer, streams });
        Some(Awaiting {
            arrivals,
            cookie,
            hub: self.clone(),
        })
    }

    /// Hand a data connection to its test; gives it back when no test waits for it.
    pub fn route(&self, cookie: &Cookie, arrival: Arrival) -> Result<(), Arrival> {
        match lock(&self.waiting).get(cookie) {
            // More than were asked for are dropped, and so closed.
            Some(test) => {
                let _ = test.streams.try_send(arrival);
                Ok(())
            }
            None => Err(arrival),
        }
    }

    /// A new connection, before it has said anything.
    pub fn admit(&self, peer: IpAddr, settled: Arc<AtomicBool>, task: AbortHandle) {
        let opens = lock(&self.waiting).values().any(|test| test.peer == peer);
        let mut handshakes = lock(&self.handshakes);
        handshakes.retain(|h| !h.settled.load(Ordering::Acquire) && !h.task.is_finished());
        let since = Instant::now();
        let surplus = (handshakes.len() + 1).saturating_sub(MAX_HANDSHAKES);
        let forced = (handshakes.len() + 1).saturating_sub(MOST_HANDSHAKES);
        let had_time = |h: &Handshake| since.duration_since(h.since) >= READING;
        let aged = handshakes.iter().take(surplus).take_while(|h| had_time(h));
        let dropped = aged.count().max(forced);
        handshakes.drain(..dropped).for_each(|h| h.task.abort());
        if !opens {
            let silent = |h: &Handshake| h.peer == peer && had_time(h);
            let mut surplus = handshakes.iter().filter(|h| silent(h)).count();
            handshakes.retain(|h| {
                let goes = silent(h) && surplus >= PEER_HANDSHAKES;
                if goes {
                    surplus -= 1;
                    h.task.abort();
                }
                !goes
            });
        }
        handshakes.push(Handshake {
            since,
            peer,
            settled,
            task,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::ServerConfig;

    #[tokio::test]
    async fn a_slot_that_is_free_belongs_to_the_first_in_line() {
        let capacity = Capacity {
            tests: 1,
            queue: 8,
            run_token: None,
        };
        let hub = Hub::new(capacity, Door::new(&ServerConfig::new(1), 1));
        let peer = IpAddr::from([192, 0, 2, 1]);
        let first = hub.occupy().unwrap();
        let [one, two] = [1, 2].map(|_| lock(&hub.slots).line.join(peer, 8).unwrap());
        let mut changes = hub.changes();
        assert_eq!(hub.turn(one).unwrap_err(), Some(1), "no slot is free");
        drop(first);
        assert!(changes.has_changed().unwrap(), "those in line are woken");
        assert!(hub.is_full() && hub.occupy().is_none(), "nobody overtakes");
        assert_eq!(hub.turn(two).unwrap_err(), Some(2));
        let second = hub.turn(one).unwrap();
        assert_eq!(hub.turn(two).unwrap_err(), Some(1));
        changes.borrow_and_update();
        hub.leave(two);
        assert!(changes.has_changed().unwrap(), "places moved up");
        drop(second);
        assert!(!hub.is_full() && hub.occupy().is_some());
    }
}
