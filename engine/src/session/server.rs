//! The server's driver: one port, several tests at a time, none in another's way.

use super::door::Door;
use super::hub::{Capacity, Hub, Occupied};
use super::knock::{self, Ask, Knock, Outcome, Slot};
use super::limits::Limits;
use super::serve::Settings;
use super::{
    Observer, ServerConfig, ServerOutcome, SessionError, Stop, health, listen, net, streams,
};
use crate::login::Gate;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// After a signal the running tests have this long to say so to their clients.
const LAST_WORDS: Duration = Duration::from_secs(4);
/// Those in line get their last word in this time.
const OUT_OF_LINE: Duration = Duration::from_millis(100);
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
        None => streams::pinned(&cfg.affinity)?,
    };
    let gate = cfg.guard.as_ref().map(Gate::open).transpose()?;
    let exposed = gate.as_ref().is_some_and(Gate::is_key_exposed);
    let listener = listen::listen(cfg)?;
    let port = listener
        .local_addr()
        .map(|addr| addr.port())
        .unwrap_or(cfg.port);
    let door = Door::new(cfg, port);
    let max_tests = if cfg.one_off { 1 } else { cfg.max_tests.max(1) };
    let capacity = Capacity {
        tests: max_tests,
        // After its one test there is nothing to wait for.
        queue: if cfg.one_off { 0 } else { cfg.queue },
        run_token: cfg.run_token.clone(),
    };
    let hub = Hub::new(capacity, door.clone());
    let _health = health::listen(cfg, &hub, &stop)?;
    let (asks, asked) = mpsc::channel(64);
    let settings = Arc::new(Settings {
        narrow: super::narrow::Narrow::new(&listener),
        interval: cfg.interval,
        cpus,
        door,
        file: cfg.file.clone(),
        sctp: super::sctp::SctpDoor::new(cfg, port),
        patience: cfg.patience,
        limits: Limits::of(cfg),
        gate: gate.map(Arc::new),
    });
    let knock = Knock {
        hub,
        asks,
        stop: stop.clone(),
        settings,
    };
    let mut server = Server {
        cfg,
        port,
        make_observer,
        next: None,
        knock,
        tests: 0,
        ended: 0,
        interrupted: 0,
        connections: JoinSet::new(),
    };
    server.announce();
    if exposed && let Some(observer) = &mut server.next {
        observer.notice("--rsa-private-key-path: others on this machine can read the key; take their right to read it away");
    }
    server.serve(listener, asked, stop).await
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
    /// Ended by the wish to end, which may be known here only after their end.
    interrupted: u64,
    connections: JoinSet<Outcome>,
}

impl<F: FnMut() -> Box<dyn Observer>> Server<'_, F> {
    async fn serve(
        mut self,
        listener: TcpListener,
        mut asked: mpsc::Receiver<Ask>,
        mut stop: Stop,
    ) -> Result<ServerOutcome, SessionError> {
        let mut order = 0u64;
        let mut idle_since = Instant::now();
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
                Some(ask) = asked.recv() => self.answer(ask),
                Some(ended) = self.connections.join_next() => {
                    // A task that was dropped from the handshake was no test; one that panicked may have been.
                    let exit_code = match ended {
                        Ok(outcome) => {
                            self.interrupted += u64::from(was_interrupted(&outcome));
                            outcome.map(|o| o.err().map_or(0, |e| e.exit_code()))
                        }
                        Err(error) => (error.is_panic() && self.tests > 0).then_some(1),
                    };
                    if let Some(exit_code) = exit_code {
                        self.ended += 1;
                        idle_since = Instant::now();
                        if self.interrupted > 0 {
                            return Ok(self.wind_up().await);
                        }
                        if self.release() {
                            let tests = self.tests;
                            return Ok(ServerOutcome::OneOffDone { tests, exit_code });
                        }
                    }
                }
                () = tokio::time::sleep(idle.unwrap_or(Duration::from_secs(3600))), if idle.is_some() => {
                    return Ok(ServerOutcome::Idle);
                }
                _ = stop.asked() => {
                    while let Ok(ask) = asked.try_recv() {
                        // Whoever was sent away is in the log; whoever wants a slot gets none.
                        if matches!(ask, Ask::TurnedAway { .. }) {
                            self.answer(ask);
                        }
                    }
                    return Ok(self.wind_up().await);
                }
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
        self.knock.hub.admit(peer.ip(), settled, task);
    }

    fn answer(&mut self, ask: Ask) {
        match ask {
            Ask::Slot { held, answer } => self.grant(held, answer),
            Ask::TurnedAway { peer, why } => {
                let observer = self.next.get_or_insert_with(&mut self.make_observer);
                observer.turned_away(peer, &why);
            }
        }
    }

    /// A client with valid parameters asks for a slot, or has one.
    fn grant(&mut self, held: Option<Occupied>, answer: oneshot::Sender<Option<Slot>>) {
        let over = self.cfg.one_off && self.tests > 0;
        let occupied = held.or_else(|| self.knock.hub.occupy()).filter(|_| !over);
        let Some(occupied) = occupied else {
            let _ = answer.send(None);
            return;
        };
        let mut observer = self.next.take().unwrap_or_else(&mut self.make_observer);
        self.tests += 1;
        if self.knock.hub.capacity.tests > 1 {
            observer.one_of_several(self.tests);
        }
        let slot = Slot { occupied, observer };
        if let Err(Some(unused)) = answer.send(Some(slot)) {
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
        if self.knock.hub.in_line() > 0 {
            // They hear that there is no more to wait for.
            tokio::time::sleep(OUT_OF_LINE).await;
        }
        let by = tokio::time::Instant::now() + LAST_WORDS;
        let mut left = self.tests.saturating_sub(self.ended);
        while left > 0 {
            match tokio::time::timeout_at(by, self.connections.join_next()).await {
                Ok(Some(Ok(outcome @ Some(_)))) => {
                    left -= 1;
                    self.interrupted += u64::from(was_interrupted(&outcome));
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        ServerOutcome::Stopped {
            tests: self.tests,
            interrupted: self.interrupted + left,
        }
    }
}

fn was_interrupted(outcome: &Outcome) -> bool {
    matches!(outcome, Some(Err(SessionError::Interrupted(_))))
}
