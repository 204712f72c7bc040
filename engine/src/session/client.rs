//! The client's driver: one test from the connection to the results.

use super::goal::Goal;
use super::link::{self, Link};
use super::meter::Meter;
use super::rows::{Rows, Stopped};
use super::streams::{self, Controls};
use super::{ClientConfig, Observer, SessionError, Stop, end, facts, net, open};
use crate::host::Throttling;
use crate::wire::LIFE;
use crate::wire::client::{ClientEvent, ClientMachine};
use crate::wire::cookie::Cookie;
use crate::wire::params;
use crate::wire::results::Results;
use nettest_report::params::{Direction, Protocol, TestParams};
use nettest_report::report::{Report, Role};
use socket2::SockRef;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A server that ends resets its data streams a moment before its control connection.
const SECOND_OPINION: Duration = Duration::from_millis(200);

pub async fn run(
    cfg: &ClientConfig,
    observer: &mut dyn Observer,
    stop: Stop,
) -> (Report, Result<(), SessionError>) {
    let mut report = facts::blank(Role::Client, &cfg.params, cfg.host.clone(), cfg.port);
    let result = test(cfg, &mut report, observer, stop).await;
    if let Err(error) = &result {
        report.error = Some(error.to_string());
    }
    observer.finished(&report);
    (report, result)
}

async fn test(
    cfg: &ClientConfig,
    report: &mut Report,
    observer: &mut dyn Observer,
    mut stop: Stop,
) -> Result<(), SessionError> {
    let cpus = cpus_for(cfg)?;
    let asked = Instant::now();
    let control = tokio::select! {
        control = net::connect_control(cfg) => control?,
        cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
    };
    let failed = |source| SessionError::Local {
        what: "cannot read the control connection's addresses",
        source,
    };
    let peer = net::canonical(control.peer_addr().map_err(failed)?);
    let local = net::canonical(control.local_addr().map_err(failed)?);
    let cfg = &settled(cfg, &control);
    let cookie = match &cfg.run_token {
        Some(token) => Cookie::for_run(token, facts::entropy()),
        None => Cookie::random(facts::entropy()),
    };
    facts::note_control(report, &cookie, &control, peer);

    let epoch = Instant::now();
    let json = params::encode(&cfg.params, streams::block_size(&cfg.params));
    let mut machine = ClientMachine::new(&cookie, json, epoch.elapsed());
    if let Some(limit) = cfg.connect_timeout {
        let left = (asked + limit).saturating_duration_since(epoch);
        machine.first_answer_by(left, limit);
    }
    let mut test = Test {
        cfg,
        link: Link::new(control, machine, epoch),
        peer: peer.to_string(),
        local,
        server: peer,
        cookie,
        cpus,
    };
    let outcome = test.run(report, observer, &mut stop).await;
    if outcome.is_err() {
        // Nothing is said to a peer that has ended the test itself.
        test.link.machine.terminate();
    }
    test.link.farewell().await;
    outcome
}

/// The parameters with the UDP block that the path's MSS suggests, so that datagrams are not fragmented.
fn settled(cfg: &ClientConfig, control: &TcpStream) -> ClientConfig {
    let mut cfg = cfg.clone();
    if cfg.params.protocol == Protocol::Udp && cfg.params.block_size.is_none() {
        let mss = SockRef::from(control)
            .tcp_mss()
            .ok()
            .filter(|mss| (16..=65507).contains(mss));
        cfg.params.block_size = Some(mss.unwrap_or(TestParams::UDP_BLOCK));
    }
    cfg
}

/// Host CPU ids for the data threads; empty: the scheduler's choice.
fn cpus_for(cfg: &ClientConfig) -> Result<Vec<usize>, SessionError> {
    if let Some(required) = cfg.exclusive_cpus {
        return crate::host::exclusive(required)
            .map_err(|e| SessionError::Exclusive(e.to_string()));
    }
    streams::pinned(cfg.affinity)
}

struct Test<'a> {
    cfg: &'a ClientConfig,
    link: Link<ClientMachine>,
    peer: String,
    local: SocketAddr,
    server: SocketAddr,
    cookie: Cookie,
    cpus: Vec<usize>,
}

impl Test<'_> {
    async fn run(
        &mut self,
        report: &mut Report,
        observer: &mut dyn Observer,
        stop: &mut Stop,
    ) -> Result<(), SessionError> {
        let cfg = self.cfg;
        let params = &cfg.params;
        self.expect(ClientEvent::OpenStreams, stop).await?;
        let sockets = self.open(stop).await?;
        let controls = Controls::new(params.limit);
        let mut opened = streams::spawn(sockets, params, Role::Client, &controls, &self.cpus)?;
        facts::note_streams(report, &mut opened, streams::block_size(params));
        self.link.machine.streams_open(self.link.now());
        self.expect(ClientEvent::TestStart, stop).await?;
        self.expect(ClientEvent::TestRunning, stop).await?;
        let mut began = Instant::now();

        observer.started(report);
        let throttling = Throttling::read();
        if params.omit.is_zero() {
            controls.set_budget();
        }
        if params.direction != Direction::Reverse {
            // Else the server sends since its word, whatever this end still had to do.
            began = Instant::now();
        }
        let meter = Meter::new(opened.tracks, params, params.interval, began);
        controls.start();
        let mut rows = Rows::new(meter, report, observer, usize::MAX);
        let ran = self.measure(&mut rows, &controls, stop).await;
        let stopped = rows.stopped();
        let exchanged = match ran {
            Ok(()) => self.finish(&mut rows, &controls, stopped).await,
            Err(error) => {
                end::halt(&controls, &mut rows.meter).await;
                rows.last(stopped);
                Err(error)
            }
        };
        let theirs = exchanged.as_ref().ok();
        let ended = end::end(&mut rows.meter, theirs, stopped);
        rows.report.end = Some(ended);
        Throttling::note(&mut rows.report.host, throttling, Throttling::read());
        rows.meter.close();
        let Rows { meter, report, .. } = rows;
        drop(meter);
        exchanged.map(|theirs| {
            // iperf3 3.12, once asked, sends its output in every later test of the same server.
            report.server_output = theirs.server_output.filter(|_| params.get_server_output);
            report.peer_host = theirs.host;
        })
    }

    /// The next event, which must be `wanted`.
    async fn expect(&mut self, wanted: ClientEvent, stop: &mut Stop) -> Result<(), SessionError> {
        let event = tokio::select! {
            event = self.link.event() => event,
            cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
        };
        if event == wanted {
            Ok(())
        } else {
            Err(self.unexpected(event))
        }
    }

    fn unexpected(&mut self, event: ClientEvent) -> SessionError {
        unexpected(event, &self.peer, &mut self.link)
    }

    /// Open the streams; the server may fail meanwhile, or say early that it has them all.
    async fn open(&mut self, stop: &mut Stop) -> Result<Vec<socket2::Socket>, SessionError> {
        let all_there = AtomicBool::new(false);
        let opening = open::open(self.cfg, &self.cookie, self.local, self.server, || {
            all_there.load(Ordering::Relaxed)
        });
        tokio::pin!(opening);
        let mut early = Vec::new();
        let sockets = loop {
            tokio::select! {
                sockets = &mut opening => break sockets?,
                event = self.link.event() => match event {
                    started @ (ClientEvent::TestStart | ClientEvent::TestRunning) => {
                        all_there.store(true, Ordering::Relaxed);
                        early.push(started);
                    }
                    other => return Err(unexpected(other, &self.peer, &mut self.link)),
                },
                cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
            }
        };
        self.link.hand_back(early);
        Ok(sockets)
    }

    /// From the first byte to the end of the test.
    async fn measure(
        &mut self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        stop: &mut Stop,
    ) -> Result<(), SessionError> {
        let mut goal = Goal::of(&self.cfg.params);
        let mut counted_at = Instant::now();
        loop {
            let now = Instant::now();
            rows.tick(now, controls);
            if rows.meter.moved(now) {
                counted_at = now;
            }
            let all_sent = controls.send.budget_exhausted();
            if goal.reached(&rows.meter, all_sent, now, counted_at) {
                return Ok(());
            }
            if let Err(error) = self.check_streams(rows, controls) {
                // The control connection may know better why.
                return Err(match timeout(SECOND_OPINION, self.link.event()).await {
                    Ok(event @ ClientEvent::Failed(_)) => self.unexpected(event),
                    Ok(_) | Err(_) => error,
                });
            }
            self.check_life(&rows.meter, now)?;
            let wake = self.next_wake(rows, &goal, now);
            tokio::select! {
                event = self.link.event() => return Err(self.unexpected(event)),
                () = tokio::time::sleep_until(wake.into()) => {}
                () = controls.progress.notified() => {}
                cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
            }
        }
    }

    fn next_wake(&self, rows: &Rows<'_>, goal: &Goal, now: Instant) -> Instant {
        let meter = &rows.meter;
        [meter.next_due(), meter.nominal_end()]
            .into_iter()
            .flatten()
            .fold(now + goal.look(), Instant::min)
    }

    /// A stream that ends before its time.
    fn check_streams(&self, rows: &mut Rows<'_>, controls: &Controls) -> Result<(), SessionError> {
        let early = rows
            .meter
            .tracks
            .iter_mut()
            .filter(|t| controls.ended_early(t));
        for track in early {
            let (id, sender) = (track.id, track.sender);
            track.close();
            match track.take_error() {
                Some(source) => return Err(SessionError::Stream { id, source }),
                None if sender => {
                    let source = std::io::ErrorKind::BrokenPipe.into();
                    return Err(SessionError::Stream { id, source });
                }
                // The server closed its end; its control connection says why.
                None => {}
            }
        }
        Ok(())
    }

    /// The design's 15 s without life, unless the user set `--rcv-timeout`, which then holds for receivers.
    fn check_life(&self, meter: &Meter, now: Instant) -> Result<(), SessionError> {
        let params = &self.cfg.params;
        let only_udp_sends =
            params.protocol == Protocol::Udp && params.direction == Direction::Forward;
        if only_udp_sends {
            return Ok(());
        }
        let own = self.cfg.rcv_timeout != super::config::DEFAULT_RCV_TIMEOUT;
        let patience = if own && params.direction == Direction::Reverse {
            self.cfg.rcv_timeout
        } else {
            LIFE + crate::wire::server::longest_gap(params)
        };
        if now.duration_since(meter.still_since()) < patience {
            return Ok(());
        }
        Err(SessionError::NoData {
            peer: self.peer.clone(),
            seconds: patience.as_secs(),
        })
    }

    /// TEST_END, the drain and the exchange of results.
    async fn finish(
        &mut self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        stopped: Stopped,
    ) -> Result<Results, SessionError> {
        end::stop_senders(controls, &mut rows.meter).await;
        self.link.machine.end_test(self.link.now());
        let wanted = self.link.event().await;
        controls.receive.stop();
        if wanted != ClientEvent::ResultsWanted {
            end::halt(controls, &mut rows.meter).await;
            rows.last(stopped);
            return Err(self.unexpected(wanted));
        }
        end::finished(&rows.meter, false).await;
        rows.meter.settle_delivery();
        rows.last(stopped);
        let own = end::results(&mut rows.meter, stopped, rows.report.host.clone(), None);
        self.link.machine.send_results(&own, self.link.now());
        let theirs = match self.link.event().await {
            ClientEvent::PeerResults(theirs) => *theirs,
            other => return Err(self.unexpected(other)),
        };
        match self.link.event().await {
            ClientEvent::Done => Ok(theirs),
            other => Err(self.unexpected(other)),
        }
    }
}

fn unexpected(event: ClientEvent, peer: &str, link: &mut Link<ClientMachine>) -> SessionError {
    match event {
        ClientEvent::Failed(error) => link::explain(error, peer, link.broken.take()),
        other => SessionError::Protocol {
            peer: peer.to_owned(),
            what: format!("{other:?} came out of turn"),
        },
    }
}
