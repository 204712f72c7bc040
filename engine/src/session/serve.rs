//! One test on the server, from accepted parameters to the results.

use super::files::{self, TestFile};
use super::knock::{self, Expected};
use super::limits::{Average, Limits};
use super::link::Link;
use super::meter::Meter;
use super::rows::{KEPT_BY_SERVER, Rows, Stopped};
use super::streams::{self, Controls};
use super::track::Track;
use super::{Observer, Patience, SessionError, Stop, end, facts, served_output};
use crate::host::Throttling;
use crate::login::Gate;
use crate::wire::code;
use crate::wire::cookie::Cookie;
use crate::wire::results::Results;
use crate::wire::server::{ServerEvent, ServerMachine};
use nettest_report::params::{Direction, Limit, Protocol, TestParams};
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
    /// What a test sends, or where it is written (`-F`).
    pub file: Option<std::path::PathBuf>,
    /// The listener, while streams of a small window come in.
    pub narrow: Arc<super::narrow::Narrow>,
    pub sctp: super::sctp::SctpDoor,
    pub patience: Patience,
    pub limits: Limits,
    /// Who may test; `None`: everybody.
    pub gate: Option<Arc<Gate>>,
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
    let mut report = facts::blank(
        Role::Server,
        &accepted.params,
        peer.ip().to_string(),
        peer.port(),
    );
    // The client's interval is its own affair.
    report.params.interval = accepted.settings.interval;
    report
}

/// What this end sends. iperf3 3.16 and later counts whole blocks that it has read: a last one cut short would never
/// count with such a client, and its `-n` test with `-R` never end.
fn budget(params: &TestParams, client_is_ours: bool) -> Limit {
    let block = u64::from(streams::block_size(params)).max(1);
    match params.limit {
        Limit::Bytes(n) if !client_is_ours && params.protocol != Protocol::Udp => {
            Limit::Bytes(n.div_ceil(block).saturating_mul(block))
        }
        limit => limit,
    }
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
        file: None,
    };
    let outcome = session
        .run(expected, &mut report, observer, &mut stop)
        .await;
    report.file = session.file.as_ref().map(TestFile::end);
    if let Err(error) = &outcome {
        report.error = Some(error.to_string());
    }
    (report, outcome)
}

pub(super) struct Session<'a> {
    pub(super) accepted: &'a Accepted,
    pub(super) link: &'a mut Link<ServerMachine>,
    pub(super) peer: String,
    file: Option<TestFile>,
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
        facts::note_control(report, &accepted.cookie, self.link.stream());
        let cpus = self.cpus()?;
        self.file = match &accepted.settings.file {
            Some(path) => Some(TestFile::of(path, params, Role::Server).await.inspect_err(
                |error| {
                    self.link.machine.refuse(files::code_of(error), 0);
                },
            )?),
            None => None,
        };
        self.link.machine.accept(params, self.link.now());
        if let Some(patience) = self.own_patience() {
            self.link.machine.wait_for(patience);
        }
        let sockets = self.streams(expected, stop).await?;
        let client_is_ours = self.link.machine.client_is_ours();
        let controls = Controls::new(budget(params, client_is_ours));
        if !client_is_ours && params.protocol == Protocol::Udp {
            // iperf3's client waits for as many datagrams (with --gsro: reads) as were asked, lost ones or not.
            controls.send.top_up();
        }
        let mut opened = streams::spawn(
            sockets,
            params,
            Role::Server,
            &controls,
            &cpus,
            self.file.as_mut(),
        )
        .inspect_err(|_| self.link.machine.refuse(code::CREATE_STREAM, 0))?;
        facts::note_streams(report, &mut opened, streams::block_size(params));
        observer.started(report);
        facts::tell_declined(&opened.declined, observer);
        if params.direction != Direction::Forward {
            facts::tell_unsegmented(report, observer);
        }

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
        let grain = u64::from(streams::block_size(params)) * streams::stream_count(params) as u64;
        let average = accepted.settings.limits.watch(began, grain);
        let ran = self.measure(&mut rows, &controls, average, stop).await;
        let stopped = rows.stopped();
        let exchanged = match ran {
            Ok(()) => tokio::select! {
                exchanged = self.finish(&mut rows, &controls, stopped, throttling) => exchanged,
                // The client may never send its results.
                cause = stop.asked() => Err(self.terminated(cause)),
            },
            Err(error) => Err(error),
        };
        if exchanged.is_err() && rows.report.end.is_none() {
            end::halt(&controls, &mut rows.meter).await;
            rows.last(stopped);
            rows.report.end = Some(end::end(&mut rows.meter, None, stopped));
            Throttling::note(&mut rows.report.host, throttling, Throttling::read());
        }
        rows.meter.close();
        exchanged
    }

    fn cpus(&mut self) -> Result<Vec<usize>, SessionError> {
        let settings = &self.accepted.settings;
        match self.accepted.params.server_affinity {
            Some(index) if settings.cpus.is_empty() => streams::pinned(&[index])
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
        mut average: Option<Average>,
        stop: &mut Stop,
    ) -> Result<(), SessionError> {
        let mut sending = true;
        let blind = self.is_blind();
        loop {
            let now = Instant::now();
            rows.tick(now, controls);
            let blindly = blind && sending && !controls.send.budget_exhausted();
            if rows.meter.moved(now) || blindly {
                self.link.machine.alive(self.link.now());
            }
            self.check_receivers(rows, now)?;
            self.check_rate(rows, &mut average, now)?;
            let nominal = rows.meter.nominal_end();
            if sending && nominal.is_some_and(|end| now >= end) {
                // The server keeps the time itself; the client has to say that the test is over.
                controls.send.stop();
                sending = false;
            }
            // A client that waits for data has to know that no more will come.
            rows.meter.tracks.iter_mut().for_each(Track::end_file);
            if let Some(error) = self.broken_stream(rows, controls, sending) {
                return Err(self.first_of(error).await);
            }
            let look = now + Duration::from_millis(500);
            let wake = [
                rows.meter.next_due(),
                nominal.filter(|_| sending),
                average.as_ref().and_then(Average::next_look),
            ];
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
        let client = match (
            self.link.machine.client_is_ours(),
            self.accepted.params.mptcp,
        ) {
            (true, false) => end::Peer::ReadsToTheEnd,
            (true, true) => end::Peer::ReadsUntilTold { may_close: false },
            (false, _) => end::Peer::HasStopped,
        };
        end::stop_senders(controls, &mut rows.meter, client).await;
        controls.receive.stop();
        end::finished(controls, &rows.meter, false).await;
        rows.meter.settle_delivery();
        rows.last(stopped);
        facts::recheck_segments(rows.report, &rows.meter, rows.observer);
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
        rows.report.file = self.file.as_ref().map(TestFile::end);
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
            let output = rows.observer.server_output(rows.report);
            output.map(|output| served_output::fitting(output, served_output::LARGEST))
        } else {
            None
        };
        end::results(&mut rows.meter, stopped, rows.report.host.clone(), output)
    }
}

/// A client that ends resets its data streams a moment before its control connection.
const SECOND_OPINION: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stock_client_gets_whole_blocks_and_one_of_ours_the_very_bytes() {
        let params = TestParams {
            limit: Limit::Bytes(100_000),
            block_size: Some(1400),
            ..TestParams::default()
        };
        assert_eq!(budget(&params, false), Limit::Bytes(72 * 1400));
        assert_eq!(budget(&params, true), Limit::Bytes(100_000));
        let udp = TestParams {
            protocol: Protocol::Udp,
            ..params
        };
        assert_eq!(budget(&udp, false), Limit::Bytes(100_000));
    }
}
