//! The client's driver: one test from the connection to the results.

use super::files::TestFile;
use super::goal::Goal;
use super::link::{Link, unexpected};
use super::meter::Meter;
use super::rows::{Rows, Stopped};
use super::streams::{self, Controls};
use super::{ClientConfig, Observer, SessionError, Stop, end, entrance, facts, net, open};
use crate::host::Throttling;
use crate::sock;
use crate::wire::client::{ClientEvent, ClientMachine};
use crate::wire::cookie::Cookie;
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
    open::check(cfg)?;
    let file = match &cfg.file {
        Some(path) => tokio::select! {
            file = TestFile::of(path, &cfg.params, Role::Client) => Some(file?),
            cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
        },
        None => None,
    };
    let password = entrance::password(cfg, &mut stop).await?;
    let asked = Instant::now();
    let control = tokio::select! {
        control = open::control(cfg) => control?,
        cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
    };
    let failed = |source| SessionError::Local {
        what: "cannot read the control connection's addresses",
        source,
    };
    let peer = net::canonical(control.peer_addr().map_err(failed)?);
    let local = net::canonical(control.local_addr().map_err(failed)?);
    let cfg = &settled(cfg, &control);
    report.params.gsro = cfg.params.gsro;
    let cookie = entrance::cookie(cfg);
    facts::note_control(report, &cookie, &control);

    let epoch = Instant::now();
    let json = entrance::parameters(cfg, password.as_deref())?;
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
        password,
        cpus,
        file,
    };
    let outcome = test.run(report, observer, &mut stop).await;
    report.file = test.file.as_ref().map(TestFile::end);
    if outcome.is_err() {
        // Nothing is said to a peer that has ended the test itself.
        test.link.machine.terminate();
    }
    test.link.farewell().await;
    outcome
}

/// The parameters with the UDP block that the path's MSS suggests, so that datagrams are not fragmented. A server of
/// iperf3 that is asked to segment datagrams above the MTU sends nothing: with `--fast` it is not asked then.
fn settled(cfg: &ClientConfig, control: &TcpStream) -> ClientConfig {
    let mut cfg = cfg.clone();
    if cfg.params.protocol == Protocol::Udp && cfg.params.block_size.is_none() {
        let mss = SockRef::from(control)
            .tcp_mss()
            .ok()
            .filter(|mss| (16..=65507).contains(mss));
        cfg.params.block_size = Some(mss.unwrap_or(TestParams::UDP_BLOCK));
    }
    if cfg.params.fast && cfg.params.gsro {
        let block = streams::block_size(&cfg.params) as usize;
        cfg.params.gsro = sock::fits_segments(&SockRef::from(control), block);
    }
    cfg
}

/// Host CPU ids for the data threads; empty: the scheduler's choice.
fn cpus_for(cfg: &ClientConfig) -> Result<Vec<usize>, SessionError> {
    if let Some(required) = cfg.exclusive_cpus {
        return crate::host::exclusive(required)
            .map_err(|e| SessionError::Exclusive(e.to_string()));
    }
    streams::pinned(&cfg.affinity)
}

pub(super) struct Test<'a> {
    pub(super) cfg: &'a ClientConfig,
    pub(super) link: Link<ClientMachine>,
    pub(super) peer: String,
    local: SocketAddr,
    server: SocketAddr,
    cookie: Cookie,
    password: Option<String>,
    cpus: Vec<usize>,
    file: Option<TestFile>,
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
        let password = self.password.as_deref();
        entrance::enter(cfg, password, &mut self.link, &self.peer, observer, stop).await?;
        let sockets = self.open(stop).await?;
        let controls = Controls::new(params.limit);
        let mut opened = streams::spawn(
            sockets,
            params,
            Role::Client,
            &controls,
            &self.cpus,
            self.file.as_mut(),
        )?;
        facts::note_streams(report, &mut opened, streams::block_size(params));
        self.link.machine.streams_open(self.link.now());
        self.expect(ClientEvent::TestStart, stop).await?;
        self.expect(ClientEvent::TestRunning, stop).await?;
        let mut began = Instant::now();

        observer.started(report);
        facts::tell_smaller_window(report, observer);
        facts::tell_declined(&opened.declined, observer);
        if params.direction != Direction::Reverse {
            facts::tell_unsegmented(report, observer);
        }
        if report.params.mptcp && report.host.sockets.mptcp == Some(false) {
            observer.notice(
                "-m: the streams run over plain TCP; this kernel or the server's has no MPTCP, or a way between them drops its option",
            );
        }
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
            Ok(()) => tokio::select! {
                exchanged = self.finish(&mut rows, &controls, stopped) => exchanged,
                // The server may never answer.
                cause = stop.asked() => Err(SessionError::Interrupted(cause.describe())),
            },
            Err(error) => Err(error),
        };
        if exchanged.is_err() {
            end::halt(&controls, &mut rows.meter).await;
            rows.last(stopped);
        }
        let theirs = exchanged.as_ref().ok();
        if theirs.is_some_and(|theirs| theirs.host.is_none()) {
            facts::tell_whole_seconds(rows.report, rows.observer);
        }
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
            let all_sent = controls.send.budget_exhausted() || rows.meter.file_sent();
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

    /// The end that closes first keeps its port for a minute (TIME_WAIT), and the same `--cport` has to work again at
    /// once. MPTCP's streams have subflows of their own to end.
    fn server_reads(&self) -> end::Peer {
        // Only servers of ours ask for a sign of life, and they do so first of all.
        let ours = self.link.machine.heard_alive().is_some();
        let may_close = self.cfg.cport.is_none() && !self.cfg.params.mptcp;
        if ours && may_close {
            end::Peer::ReadsToTheEnd
        } else {
            end::Peer::ReadsUntilTold { may_close }
        }
    }

    /// TEST_END, the drain and the exchange of results.
    async fn finish(
        &mut self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        stopped: Stopped,
    ) -> Result<Results, SessionError> {
        end::stop_senders(controls, &mut rows.meter, self.server_reads()).await;
        let heard = self.last_life(&rows.meter);
        self.link.machine.end_test(heard);
        let wanted = self.link.event().await;
        controls.receive.stop();
        if wanted != ClientEvent::ResultsWanted {
            return Err(self.unexpected(wanted));
        }
        end::finished(controls, &rows.meter, false).await;
        rows.meter.settle_delivery();
        rows.last(stopped);
        facts::recheck_segments(rows.report, &rows.meter, rows.observer);
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
