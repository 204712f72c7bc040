//! The server's driver: one port, several tests at a time, none in another's way.

use super::door::Door;
use super::hub::{Hub, Occupied};
use super::knock::{self, Knock, Outcome, Slot, SlotRequest};
use super::serve::Settings;
use super::{Observer, ServerConfig, ServerOutcome, SessionError, Stop, net, streams};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// After a signal the running tests have this long to say so to their clients.
const LAST_WORDS: Duration = Duration::from_secs(4);
/// When the process is out of descriptors: existing tests end and give some back.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(50);

pub async fn run(
    cfg: &ServerConfig,
    make_observer: impl FnMut() -> Box<dyn Observer>,
    stop: Stop,
) -> Result<ServerOutcome, SessionError> {
    let cpus = match cfg.exclusive_cpus {
        Some(required) => {
            crate::host::exclusive(required).map_err(|e| SessionError::Exclusive(e.to_string()))?
        }
        None => streams::pinned(cfg.affinity)?,
    };
    let listener = net::listen(cfg)?;
    let port = listener
        .local_addr()
        .map(|addr| addr.port())
        .unwrap_or(cfg.port);
    let door = Door::new(cfg, port);
    let max_tests = if cfg.one_off { 1 } else { cfg.max_tests.max(1) };
    let hub = Hub::new(max_tests, cfg.run_token.clone(), door.clone());
    let (slots, requests) = mpsc::channel(64);
    let settings = Arc::new(Settings {
        interval: cfg.interval,
        cpus,
        door,
    });
    let knock = Knock {
        hub,
        slots,
        stop: stop.clone(),
        settings,
    };
    let server = Server {
        cfg,
        port,
        make_observer,
        next: None,
        knock,
        tests: 0,
        ended: 0,
        connections: JoinSet::new(),
    };
    server.serve(listener, requests, stop).await
}

struct Server<'a, F> {
    cfg: &'a ServerConfig,
    port: u16,
    make_observer: F,
    /// The observer that waits for the next test.
    next: Option<Box<dyn Observer>>,
    knock: Knock,
    /// Taken on so far, and how many of them have ended.
    tests: u64,
    ended: u64,
    connections: JoinSet<Outcome>,
}

impl<F: FnMut() -> Box<dyn Observer>> Server<'_, F> {
    async fn serve(
        mut self,
        listener: TcpListener,
        mut requests: mpsc::Receiver<SlotRequest>,
        mut stop: Stop,
    ) -> Result<ServerOutcome, SessionError> {
        let mut order = 0u64;
        let mut idle_since = Instant::now();
        self.announce();
        loop {
            let idle = self.idle_left(idle_since);
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        order += 1;
                        self.welcome(stream, net::canonical(peer), order);
                    }
                    Err(_) => tokio::time::sleep(OUT_OF_DESCRIPTORS).await,
                },
                Some(request) = requests.recv() => self.grant(request),
                Some(ended) = self.connections.join_next() => {
                    // A task that was dropped from the handshake was no test; one that panicked may have been.
                    let was_test = match ended {
                        Ok(outcome) => outcome.is_some(),
                        Err(error) => error.is_panic() && self.tests > 0,
                    };
                    if was_test {
                        self.ended += 1;
                        idle_since = Instant::now();
                        if self.release() {
                            return Ok(ServerOutcome::OneOffDone { tests: self.tests });
                        }
                    }
                }
                () = tokio::time::sleep(idle.unwrap_or(Duration::from_secs(3600))), if idle.is_some() => {
                    return Ok(ServerOutcome::Idle);
                }
                _ = stop.asked() => return Ok(self.wind_up().await),
            }
        }
    }

    /// Time left until an idle server ends; only one-off servers and those of a run do.
    fn idle_left(&self, since: Instant) -> Option<Duration> {
        let ends = self.cfg.one_off || self.cfg.run_token.is_some();
        // Not by the slots: a test gives its own back a moment before its end is known here.
        let idle = self.ended >= self.tests;
        let limit = self.cfg.idle_timeout.filter(|_| ends && idle)?;
        Some(limit.saturating_sub(since.elapsed()))
    }

    /// The next test's observer says that the server listens.
    fn announce(&mut self) {
        if self.next.is_none() {
            let mut observer = (self.make_observer)();
            observer.listening(self.port, self.tests + 1);
            self.next = Some(observer);
        }
    }

    fn welcome(&mut self, stream: tokio::net::TcpStream, peer: std::net::SocketAddr, order: u64) {
        let settled = Arc::new(AtomicBool::new(false));
        let task = knock::handle(self.knock.clone(), stream, peer, order, settled.clone());
        let task = self.connections.spawn(task);
        self.knock.hub.admit(settled, task);
    }

    /// A client with valid parameters asks for a slot.
    fn grant(&mut self, request: SlotRequest) {
        let over = self.cfg.one_off && self.tests > 0;
        if self.knock.hub.is_full() || over {
            let _ = request.send(None);
            return;
        }
        let observer = self.next.take().unwrap_or_else(&mut self.make_observer);
        self.tests += 1;
        let slot = Slot {
            occupied: Occupied::new(self.knock.hub.clone()),
            observer,
        };
        if let Err(Some(unused)) = request.send(Some(slot)) {
            // The connection died in between.
            self.tests -= 1;
            self.next = Some(unused.observer);
        }
    }

    /// A test has ended; whether the server has, too.
    fn release(&mut self) -> bool {
        if self.cfg.one_off {
            return true;
        }
        self.announce();
        false
    }

    /// Running tests end with SERVER_TERMINATE and a partial report.
    async fn wind_up(mut self) -> ServerOutcome {
        let running = self.knock.hub.running.load(Ordering::Relaxed);
        let by = tokio::time::Instant::now() + LAST_WORDS;
        let mut left = running;
        while left > 0 {
            match tokio::time::timeout_at(by, self.connections.join_next()).await {
                Ok(Some(Ok(Some(_)))) => left -= 1,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        ServerOutcome::Stopped {
            tests: self.tests,
            interrupted: running as u64,
        }
    }
}
