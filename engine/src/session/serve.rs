//! One test on the server, from accepted parameters to the results.

use super::knock::{self, Expected};
use super::link::Link;
use super::meter::Meter;
use super::rows::{KEPT_BY_SERVER, Rows, Stopped};
use super::streams::{self, Controls};
use super::{Observer, SessionError, Stop, end, facts};
use crate::host::Throttling;
use crate::wire::code;
use crate::wire::cookie::Cookie;
use crate::wire::results::Results;
use crate::wire::server::{ServerEvent, ServerMachine};
use nettest_report::params::{Direction, TestParams};
use nettest_report::report::{Report, Role};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What all tests of a server share.
#[derive(Debug)]
pub struct Settings {
    /// Time between the server's own rows.
    pub interval: Duration,
    /// Host CPU ids for the data threads; empty: the scheduler's choice.
    pub cpus: Vec<usize>,
    pub door: Arc<super::door::Door>,
}

/// A client that has a slot.
#[derive(Debug)]
pub struct Accepted {
    pub peer: SocketAddr,
    pub cookie: Cookie,
    pub params: TestParams,
    pub settings: Arc<Settings>,
    pub stop: Stop,
}

fn blank(accepted: &Accepted) -> Report {
    let peer = accepted.peer;
    facts::blank(
        Role::Server,
        &accepted.params,
        peer.ip().to_string(),
        peer.port(),
    )
}

/// The report of a test that did not begin.
pub fn failed_early(
    accepted: &Accepted,
    error: SessionError,
) -> (Report, Result<(), SessionError>) {
    let mut report = blank(accepted);
    report.error = Some(error.to_string());
    (report, Err(error))
}

/// The caller tells the observer of the end, and sends the last words.
pub async fn run(
    accepted: Accepted,
    link: &mut Link<ServerMachine>,
    expected: Expected,
    observer: &mut dyn Observer,
) -> (Report, Result<(), SessionError>) {
    let mut report = blank(&accepted);
    let mut stop = accepted.stop.clone();
    let mut session = Session {
        accepted: &accepted,
        link,
        peer: accepted.peer.to_string(),
    };
    let outcome = session
        .run(expected, &mut report, observer, &mut stop)
        .await;
    if let Err(error) = &outcome {
        report.error = Some(error.to_string());
    }
    (report, outcome)
}

pub(super) struct Session<'a> {
    pub(super) accepted: &'a Accepted,
    pub(super) link: &'a mut Link<ServerMachine>,
    pub(super) peer: String,
}

impl Session<'_> {
    async fn run(
        &mut self,
        expected: Expected,
        report: &mut Report,
        observer: &mut dyn Observer,
        stop: &mut Stop,
    ) -> Result<(), SessionError> {
        let accepted = self.accepted;
        let params = &accepted.params;
        facts::note_control(report, &accepted.cookie, self.link.stream(), accepted.peer);
        let cpus = self.cpus()?;
        self.link.machine.accept(params, self.link.now());
        let sockets = self.streams(expected, stop).await?;
        let controls = Controls::new(params.limit);
        let mut opened = streams::spawn(sockets, params, Role::Server, &controls, &cpus)
            .inspect_err(|_| self.link.machine.refuse(code::CREATE_STREAM, 0))?;
        facts::note_streams(report, &mut opened, streams::block_size(params));
        observer.started(report);

        let throttling = Throttling::read();
        if params.omit.is_zero() {
            controls.set_budget();
        }
        let interval = accepted.settings.interval;
        let mut began = Instant::now();
        self.link.machine.start(self.link.now());
        self.link.flush();
        if params.direction == Direction::Reverse {
            // Where this end only sends, the wait for a CPU after its word is no time of its data.
            began = Instant::now();
        }
        let meter = Meter::new(opened.tracks, params, interval, began);
        controls.start();
        let mut rows = Rows::new(meter, report, observer, KEPT_BY_SERVER);
        let ran = self.measure(&mut rows, &controls, stop).await;
        let stopped = rows.stopped();
        let exchanged = match ran {
            Ok(()) => self.finish(&mut rows, &controls, stopped, throttling).await,
            Err(error) => {
                end::halt(&controls, &mut rows.meter).await;
                rows.last(stopped);
                rows.report.end = Some(end::end(&mut rows.meter, None, stopped));
                Throttling::note(&mut rows.report.host, throttling, Throttling::read());
                Err(error)
            }
        };
        rows.meter.close();
        exchanged
    }

    fn cpus(&mut self) -> Result<Vec<usize>, SessionError> {
        let settings = &self.accepted.settings;
        match self.accepted.params.server_affinity {
            Some(index) if settings.cpus.is_empty() => streams::pinned(Some(index))
                .inspect_err(|_| self.link.machine.refuse(code::AFFINITY, 0)),
            _ => Ok(settings.cpus.clone()),
        }
    }

    pub(super) fn terminated(&mut self, cause: super::StopCause) -> SessionError {
        self.link.machine.terminate();
        SessionError::Interrupted(cause.describe())
    }

    /// From the first byte to the client's TEST_END.
    async fn measure(
        &mut self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        stop: &mut Stop,
    ) -> Result<(), SessionError> {
        let mut sending = true;
        loop {
            let now = Instant::now();
            rows.tick(now, controls);
            if rows.meter.moved(now) {
                self.link.machine.alive(self.link.now());
            }
            let nominal = rows.meter.nominal_end();
            if sending && nominal.is_some_and(|end| now >= end) {
                // The server keeps the time itself; the client has to say that the test is over.
                controls.send.stop();
                sending = false;
            }
            if let Some(error) = self.broken_stream(rows, controls, sending) {
                return Err(self.first_of(error).await);
            }
            let look = now + Duration::from_millis(500);
            let wake = [rows.meter.next_due(), nominal.filter(|_| sending)];
            let wake = wake.into_iter().flatten().fold(look, Instant::min);
            tokio::select! {
                event = self.link.event() => return match event {
                    ServerEvent::TestEnd => Ok(()),
                    other => Err(knock::explain(other, &self.peer, self.link)),
                },
                () = tokio::time::sleep_until(wake.into()) => {}
                () = controls.progress.notified() => {}
                cause = stop.asked() => return Err(self.terminated(cause)),
            }
        }
    }

    /// A stream that ended before its time, by an error.
    fn broken_stream(
        &self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        sending: bool,
    ) -> Option<SessionError> {
        let tracks = rows.meter.tracks.iter_mut();
        let mut early = tracks.filter(|t| (sending || !t.sender) && controls.ended_early(t));
        early.find_map(|track| {
            track.close();
            let id = track.id;
            track
                .take_error()
                .map(|source| SessionError::Stream { id, source })
        })
    }

    /// A stream has failed: the control connection may know better why.
    async fn first_of(&mut self, error: SessionError) -> SessionError {
        match tokio::time::timeout(SECOND_OPINION, self.link.event()).await {
            Ok(event @ ServerEvent::Failed(_)) => knock::explain(event, &self.peer, self.link),
            Ok(_) | Err(_) => {
                self.link.machine.refuse(code::STREAM_READ, 0);
                error
            }
        }
    }

    /// The drain and the exchange of results.
    async fn finish(
        &mut self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        stopped: Stopped,
        throttling: Option<Throttling>,
    ) -> Result<(), SessionError> {
        end::stop_senders(controls, &mut rows.meter).await;
        controls.receive.stop();
        end::finished(&rows.meter, false).await;
        rows.meter.settle_delivery();
        rows.last(stopped);
        // Stock clients of a reverse test read on until the data connections are closed (3.12 blocks in that
        // read), so this comes before the exchange, as in iperf3's server.
        rows.meter.close_for_peer();
        // The client's figures may not come: what is known here is in the report first.
        rows.report.end = Some(end::end(&mut rows.meter, None, stopped));
        Throttling::note(&mut rows.report.host, throttling, Throttling::read());
        self.link.machine.exchange(self.link.now());
        let theirs = match self.link.event().await {
            ServerEvent::PeerResults(theirs) => *theirs,
            other => return Err(knock::explain(other, &self.peer, self.link)),
        };
        rows.meter.settle_delivery();
        rows.report.end = Some(end::end(&mut rows.meter, Some(&theirs), stopped));
        rows.report.peer_host = theirs.host.clone();
        let own = self.results(rows, stopped);
        self.link.machine.send_results(&own, self.link.now());
        match self.link.event().await {
            ServerEvent::Done => Ok(()),
            other => Err(knock::explain(other, &self.peer, self.link)),
        }
    }

    fn results(&self, rows: &mut Rows<'_>, stopped: Stopped) -> Results {
        let asked = self.accepted.params.get_server_output;
        let output = if asked {
            rows.observer.server_output(rows.report)
        } else {
            None
        };
        end::results(&mut rows.meter, stopped, rows.report.host.clone(), output)
    }
}

/// A client that ends resets its data streams a moment before its control connection.
const SECOND_OPINION: Duration = Duration::from_millis(200);
