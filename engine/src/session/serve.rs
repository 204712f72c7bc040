//! One test on the server, from accepted parameters to the results.

use super::door::Hello;
use super::hub::Arrival;
use super::knock::{self, Expected};
use super::link::Link;
use super::meter::Meter;
use super::rows::Rows;
use super::streams::{self, Controls};
use super::{Observer, SessionError, Stop, end, facts};
use crate::host::{CpuClock, Throttling};
use crate::sock;
use crate::wire::cookie::Cookie;
use crate::wire::results::Results;
use crate::wire::server::{ServerEvent, ServerMachine};
use crate::wire::{code, hello};
use nettest_report::params::TestParams;
use nettest_report::report::{Report, Role};
use socket2::Socket;
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

struct Session<'a> {
    accepted: &'a Accepted,
    link: &'a mut Link<ServerMachine>,
    peer: String,
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
        let cpu = CpuClock::start();
        if params.omit.is_zero() {
            controls.set_budget();
        }
        let interval = accepted.settings.interval;
        let meter = Meter::new(opened.tracks, params, interval, Instant::now());
        self.link.machine.start(self.link.now());
        self.link.flush();
        controls.start();
        let mut rows = Rows {
            meter,
            report,
            observer,
        };
        let ran = self.measure(&mut rows, &controls, stop).await;
        let stopped = Instant::now();
        let exchanged = match ran {
            Ok(()) => {
                self.finish(&mut rows, &controls, &cpu, stopped, throttling)
                    .await
            }
            Err(error) => {
                end::halt(&controls, &mut rows.meter).await;
                rows.last(stopped);
                rows.report.end = Some(end::end(&mut rows.meter, None, &cpu, stopped));
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

    /// All data streams, in order.
    async fn streams(
        &mut self,
        expected: Expected,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let sockets = match expected {
            Expected::Tcp(mut awaiting) => self.tcp_streams(&mut awaiting.arrivals, stop).await?,
            Expected::Udp(mut expecting) => self.udp_streams(&mut expecting.hellos, stop).await?,
        };
        let options = streams::options(&self.accepted.params, false);
        for socket in &sockets {
            // Set after accept, so that the shared listener stays as it is (field report 067). The MSS cannot
            // be: but the client's SYN carried it, and it binds both directions.
            sock::apply_options(socket, &options).map_err(|error| {
                let code = match error {
                    sock::SockError::Congestion { .. } => code::CONGESTION,
                    sock::SockError::Window { .. } => code::SET_BUF,
                    sock::SockError::Tos { .. } => code::SET_TOS,
                    sock::SockError::NoDelay { .. } => code::SET_NODELAY,
                    sock::SockError::Mss { .. } => code::SET_MSS,
                };
                self.link.machine.refuse(code, 0);
                SessionError::Option(error.to_string())
            })?;
        }
        Ok(sockets)
    }

    async fn tcp_streams(
        &mut self,
        arrivals: &mut tokio::sync::mpsc::Receiver<Arrival>,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let count = streams::stream_count(&self.accepted.params);
        let mut arrived: Vec<Arrival> = Vec::new();
        while arrived.len() < count {
            tokio::select! {
                Some(arrival) = arrivals.recv() => {
                    self.link.machine.stream_arrived(self.link.now());
                    arrived.push(arrival);
                }
                event = self.link.event() => return Err(knock::explain(event, &self.peer, self.link)),
                cause = stop.asked() => return Err(self.terminated(cause)),
            }
        }
        // The handshakes run side by side; the streams' order is that of the connections.
        arrived.sort_by_key(|arrival| arrival.order);
        arrived
            .into_iter()
            .map(|arrival| arrival.stream.into_std().map(Socket::from))
            .collect::<Result<_, _>>()
            .map_err(|source| SessionError::Local {
                what: "cannot take over a data connection",
                source,
            })
    }

    async fn udp_streams(
        &mut self,
        hellos: &mut tokio::sync::mpsc::Receiver<Hello>,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let count = streams::stream_count(&self.accepted.params);
        let failed = |source| SessionError::Local {
            what: "cannot open a UDP stream",
            source,
        };
        let local = super::net::canonical(self.link.stream().local_addr().map_err(failed)?);
        let mut made: Vec<(SocketAddr, std::net::UdpSocket)> = Vec::new();
        while made.len() < count {
            tokio::select! {
                Some(Hello { from, answer }) = hellos.recv() => {
                    match made.iter().find(|(peer, _)| *peer == from) {
                        Some((_, socket)) => { let _ = socket.send(&answer); }
                        None => {
                            let door = &self.accepted.settings.door;
                            let socket = door.stream(local, from).map_err(|source| {
                                self.link.machine.refuse(code::STREAM_ACCEPT, source.raw_os_error().unwrap_or(0));
                                failed(source)
                            })?;
                            let socket = std::net::UdpSocket::from(socket);
                            let _ = socket.send(&answer);
                            self.link.machine.stream_arrived(self.link.now());
                            made.push((from, socket));
                        }
                    }
                }
                // A repeated hello says that our answer was lost; it comes to the stream's own socket.
                () = tokio::time::sleep(REPEATED) => answer_again(&made),
                event = self.link.event() => return Err(knock::explain(event, &self.peer, self.link)),
                cause = stop.asked() => return Err(self.terminated(cause)),
            }
        }
        Ok(made
            .into_iter()
            .map(|(_, socket)| Socket::from(socket))
            .collect())
    }

    fn terminated(&mut self, cause: super::StopCause) -> SessionError {
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
        cpu: &CpuClock,
        stopped: Instant,
        throttling: Option<Throttling>,
    ) -> Result<(), SessionError> {
        end::stop_senders(controls, &mut rows.meter).await;
        controls.receive.stop();
        end::finished(&rows.meter, false).await;
        rows.last(stopped);
        // Stock clients of a reverse test read on until the data connections are closed (3.12 blocks in that
        // read), so this comes before the exchange, as in iperf3's server.
        rows.meter.close();
        // The client's figures may not come: what is known here is in the report first.
        rows.report.end = Some(end::end(&mut rows.meter, None, cpu, stopped));
        Throttling::note(&mut rows.report.host, throttling, Throttling::read());
        self.link.machine.exchange(self.link.now());
        let theirs = match self.link.event().await {
            ServerEvent::PeerResults(theirs) => *theirs,
            other => return Err(knock::explain(other, &self.peer, self.link)),
        };
        rows.report.end = Some(end::end(&mut rows.meter, Some(&theirs), cpu, stopped));
        rows.report.peer_host = theirs.host.clone();
        let own = self.results(rows, cpu, stopped);
        self.link.machine.send_results(&own, self.link.now());
        match self.link.event().await {
            ServerEvent::Done => Ok(()),
            other => Err(knock::explain(other, &self.peer, self.link)),
        }
    }

    fn results(&self, rows: &mut Rows<'_>, cpu: &CpuClock, stopped: Instant) -> Results {
        let asked = self.accepted.params.get_server_output;
        let output = if asked {
            rows.observer.server_output(rows.report)
        } else {
            None
        };
        end::results(
            &mut rows.meter,
            cpu,
            stopped,
            rows.report.host.clone(),
            output,
        )
    }
}

/// A client that ends resets its data streams a moment before its control connection.
const SECOND_OPINION: Duration = Duration::from_millis(200);
const REPEATED: Duration = Duration::from_millis(100);

fn answer_again(made: &[(SocketAddr, std::net::UdpSocket)]) {
    let mut datagram = [0u8; 64];
    for (_, socket) in made {
        // Bounded; a client that floods its hello gets no more than this.
        for _ in 0..4 {
            let Ok(length) = socket.recv(&mut datagram) else {
                break;
            };
            if let Some(answer) = hello::answer(&datagram[..length]) {
                let _ = socket.send(&answer);
            }
        }
    }
}
