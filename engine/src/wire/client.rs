//! The client's side of the control connection as a pure machine.
//!
//! Order (iperf3): cookie → 9 → parameters → 10 → the streams → 1, 2 → data → 4 → 13 → our results → the
//! server's → 14 → 16.

use super::error::WireError;
use super::frame::{Inbox, SERVER_RESULTS_CAP, framed};
use super::results::{self, Results};
use super::state::State;
use super::{LIFE, STEP, cookie::Cookie};
use std::collections::VecDeque;
use std::time::Duration;

/// Servers ask every 3 s ([`super::life::ASK`]).
const ANSWER_AGAIN: Duration = Duration::from_secs(1);

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientEvent {
    /// The server is busy; this is the client's place in its line (1: next).
    InLine(u32),
    /// Its turn has come: call [`ClientMachine::send_params`]. Only after a wait in line.
    ParamsWanted,
    /// Open the data streams, then call [`ClientMachine::streams_open`].
    OpenStreams,
    /// The server has all streams.
    TestStart,
    /// Data begins now.
    TestRunning,
    /// Call [`ClientMachine::send_results`].
    ResultsWanted,
    PeerResults(Box<Results>),
    /// The test is over; close once the output is written.
    Done,
    /// The test failed; close once the output is written.
    Failed(WireError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    AwaitParamExchange,
    OwnParams,
    AwaitCreateStreams,
    AwaitTestStart,
    AwaitTestRunning,
    Running,
    AwaitExchange,
    OwnResults,
    AwaitResults,
    AwaitDisplay,
    /// A place in line is due.
    Place,
    /// SERVER_ERROR came; its two numbers are due.
    ErrorNumbers,
    Over,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::AwaitParamExchange => "the handshake",
            Phase::OwnParams | Phase::AwaitCreateStreams => "the exchange of parameters",
            Phase::AwaitTestStart | Phase::AwaitTestRunning => "the start of the test",
            Phase::Running => "the test",
            Phase::AwaitExchange => "the end of the test",
            Phase::OwnResults | Phase::AwaitResults | Phase::AwaitDisplay => {
                "the exchange of results"
            }
            Phase::Place => "the wait in line",
            Phase::ErrorNumbers => "an error report",
            Phase::Over => "the close",
        }
    }

    /// How long the server may be silent. At the end an iperf3 server of 128 streams ends as many threads first, one
    /// by one: 16 s on two busy CPUs, with its own client too. No peer is waited for longer than for a dead one.
    fn patience(self) -> Duration {
        match self {
            Phase::AwaitExchange | Phase::AwaitResults | Phase::AwaitDisplay => LIFE,
            _ => STEP,
        }
    }
}

#[derive(Debug)]
pub struct ClientMachine {
    phase: Phase,
    inbox: Inbox,
    outbox: Vec<u8>,
    events: VecDeque<ClientEvent>,
    params: Vec<u8>,
    /// It stood in line: what the parameters say of the time is old.
    waited: bool,
    deadline: Option<Duration>,
    /// When the server last asked for a sign of life: only servers of ours do.
    heard_alive: Option<Duration>,
    answered_alive: Option<Duration>,
    closed_on_params: bool,
    /// The user's own patience for the first answer, milliseconds.
    first_answer_ms: Option<u64>,
}

impl ClientMachine {
    /// `params` is the JSON block. The cookie is in the output at once.
    pub fn new(cookie: &Cookie, params: Vec<u8>, now: Duration) -> Self {
        ClientMachine {
            phase: Phase::AwaitParamExchange,
            inbox: Inbox::default(),
            outbox: cookie.bytes().to_vec(),
            events: VecDeque::new(),
            params,
            waited: false,
            deadline: Some(now + STEP),
            heard_alive: None,
            answered_alive: None,
            closed_on_params: false,
            first_answer_ms: None,
        }
    }

    /// The server closed when it had the parameters, without a word: so do iperf3's when a login is wrong.
    pub fn closed_on_params(&self) -> bool {
        self.closed_on_params
    }

    /// When the server last asked for a sign of life; `None`: it is not one that does.
    pub fn heard_alive(&self) -> Option<Duration> {
        self.heard_alive
    }

    /// A server that takes the connection and says nothing is as good as none: the first answer must come by `at`,
    /// which is what is left of `limit`.
    pub fn first_answer_by(&mut self, at: Duration, limit: Duration) {
        if self.phase == Phase::AwaitParamExchange && self.deadline.is_none_or(|own| at < own) {
            self.deadline = Some(at);
            self.first_answer_ms = u64::try_from(limit.as_millis()).ok();
        }
    }

    pub fn feed(&mut self, bytes: &[u8], now: Duration) {
        if self.phase == Phase::Over {
            return;
        }
        self.inbox.push(bytes);
        while self.step(now) {}
    }

    /// The peer sends no more.
    pub fn closed(&mut self) {
        if self.phase == Phase::ErrorNumbers
            && let Some(code) = self.inbox.number()
        {
            // iperf3 up to 3.18 leaves the second number out where a login is wrong.
            let code = i32::from_ne_bytes(code.to_ne_bytes());
            return self.fail(WireError::Server { code, errno: 0 });
        }
        if self.phase != Phase::Over {
            self.closed_on_params = self.phase == Phase::AwaitCreateStreams;
            self.fail(WireError::Closed {
                during: self.phase.name(),
            });
        }
    }

    pub fn tick(&mut self, now: Duration) {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.fail(match self.first_answer_ms {
                Some(millis) if self.phase == Phase::AwaitParamExchange => {
                    WireError::Mute { millis }
                }
                _ => WireError::Deadline {
                    during: self.phase.name(),
                    seconds: self.phase.patience().as_secs(),
                },
            });
        }
    }

    /// When [`ClientMachine::tick`] has something to say.
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    pub fn next_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    /// The parameters as they are now: a login carries the time.
    pub fn send_params(&mut self, json: &[u8], now: Duration) {
        if self.phase == Phase::OwnParams {
            self.outbox.extend_from_slice(&framed(json));
            self.enter(Phase::AwaitCreateStreams, Some(now + STEP));
            while self.step(now) {}
        }
    }

    /// All streams are connected; the server starts when it has them too.
    pub fn streams_open(&mut self, now: Duration) {
        if matches!(self.phase, Phase::AwaitTestStart | Phase::AwaitTestRunning) {
            self.deadline = Some(now + STEP);
        }
    }

    /// Time, bytes or blocks are reached: it is always the client that ends a test. `heard`: when the server last
    /// showed life; one that died before the end is not waited for anew.
    pub fn end_test(&mut self, heard: Duration) {
        if self.phase == Phase::Running {
            self.outbox.push(State::TestEnd.byte());
            let phase = Phase::AwaitExchange;
            self.enter(phase, Some(heard + phase.patience()));
        }
    }

    pub fn send_results(&mut self, own: &Results, now: Duration) {
        if self.phase == Phase::OwnResults {
            self.outbox
                .extend_from_slice(&framed(&results::encode(own)));
            let phase = Phase::AwaitResults;
            self.enter(phase, Some(now + phase.patience()));
            while self.step(now) {}
        }
    }

    /// The user ends the test; nothing more is exchanged.
    pub fn terminate(&mut self) {
        if self.phase != Phase::Over {
            self.outbox.push(State::ClientTerminate.byte());
            self.enter(Phase::Over, None);
        }
    }

    fn enter(&mut self, phase: Phase, deadline: Option<Duration>) {
        self.phase = phase;
        self.deadline = deadline;
    }

    fn fail(&mut self, error: WireError) {
        self.enter(Phase::Over, None);
        self.events.push_back(ClientEvent::Failed(error));
    }

    /// Consume one unit of input; `false` when there is none that can be consumed now.
    fn step(&mut self, now: Duration) -> bool {
        match self.phase {
            // The driver's turn; what comes meanwhile is looked at afterwards.
            Phase::Over | Phase::OwnParams => false,
            Phase::ErrorNumbers => match self.inbox.error_numbers() {
                None => false,
                Some((code, errno)) => {
                    self.fail(WireError::Server { code, errno });
                    false
                }
            },
            Phase::Place => match self.inbox.number() {
                None => false,
                Some(place) => {
                    self.events.push_back(ClientEvent::InLine(place));
                    // It is told again every other second.
                    self.enter(Phase::AwaitParamExchange, Some(now + STEP));
                    true
                }
            },
            Phase::AwaitResults => self.peer_results(now),
            _ => match self.inbox.byte() {
                None => false,
                Some(byte) => {
                    self.state(byte, now);
                    true
                }
            },
        }
    }

    fn peer_results(&mut self, now: Duration) -> bool {
        let decoded = match self.inbox.json(SERVER_RESULTS_CAP) {
            Ok(None) => return false,
            Ok(Some(json)) => results::decode(json),
            Err(too_long) => Err(WireError::TooLong(too_long)),
        };
        match decoded {
            Ok(results) => {
                self.events
                    .push_back(ClientEvent::PeerResults(Box::new(results)));
                let phase = Phase::AwaitDisplay;
                self.enter(phase, Some(now + phase.patience()));
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// A server that asks again at once has its answer already, and one that floods gets no flood back.
    fn answer_alive(&mut self, now: Duration) {
        self.heard_alive = Some(now);
        if self
            .answered_alive
            .is_none_or(|at| now >= at + ANSWER_AGAIN)
        {
            self.answered_alive = Some(now);
            self.outbox.push(State::Alive.byte());
        }
    }

    fn state(&mut self, byte: u8, now: Duration) {
        let step = Some(now + STEP);
        match (self.phase, State::of(byte)) {
            (_, Some(State::AccessDenied)) => self.fail(WireError::Denied),
            (_, Some(State::ServerError)) => self.enter(Phase::ErrorNumbers, step),
            (_, Some(State::ServerTerminate)) => self.fail(WireError::ServerTerminated),
            (Phase::AwaitParamExchange, Some(State::InLine)) => {
                self.first_answer_ms = None;
                self.waited = true;
                self.enter(Phase::Place, step);
            }
            (Phase::Running, Some(State::Alive)) => self.answer_alive(now),
            // It was under way when this end said that the test is over.
            (Phase::AwaitExchange, Some(State::Alive)) => {}
            (Phase::AwaitParamExchange, Some(State::ParamExchange)) if self.waited => {
                self.events.push_back(ClientEvent::ParamsWanted);
                self.enter(Phase::OwnParams, None);
            }
            (Phase::AwaitParamExchange, Some(State::ParamExchange)) => {
                let params = framed(&self.params);
                self.outbox.extend_from_slice(&params);
                self.enter(Phase::AwaitCreateStreams, step);
            }
            (Phase::AwaitCreateStreams, Some(State::CreateStreams)) => {
                self.events.push_back(ClientEvent::OpenStreams);
                // How long the streams may take is the driver's to say.
                self.enter(Phase::AwaitTestStart, None);
            }
            (Phase::AwaitTestStart, Some(State::TestStart)) => {
                self.events.push_back(ClientEvent::TestStart);
                self.enter(Phase::AwaitTestRunning, step);
            }
            (Phase::AwaitTestRunning, Some(State::TestRunning)) => {
                self.events.push_back(ClientEvent::TestRunning);
                self.enter(Phase::Running, None);
            }
            (Phase::AwaitExchange, Some(State::ExchangeResults)) => {
                self.events.push_back(ClientEvent::ResultsWanted);
                self.enter(Phase::OwnResults, None);
            }
            (Phase::AwaitDisplay, Some(State::DisplayResults)) => {
                self.outbox.push(State::IperfDone.byte());
                self.enter(Phase::Over, None);
                self.events.push_back(ClientEvent::Done);
            }
            (phase, _) => self.fail(WireError::Unexpected {
                byte: byte as i8,
                during: phase.name(),
            }),
        }
    }
}
