//! The client's side of the control connection as a pure machine.
//!
//! Order (iperf3): cookie → 9 → parameters → 10 → the streams → 1, 2 → data → 4 → 13 → our results → the
//! server's → 14 → 16.

use super::error::WireError;
use super::frame::{Inbox, SERVER_RESULTS_CAP, framed};
use super::results::{self, Results};
use super::state::State;
use super::{STEP, cookie::Cookie};
use std::collections::VecDeque;
use std::time::Duration;

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientEvent {
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
    AwaitCreateStreams,
    AwaitTestStart,
    AwaitTestRunning,
    Running,
    AwaitExchange,
    OwnResults,
    AwaitResults,
    AwaitDisplay,
    /// SERVER_ERROR came; its two numbers are due.
    ErrorNumbers,
    Over,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::AwaitParamExchange => "the handshake",
            Phase::AwaitCreateStreams => "the exchange of parameters",
            Phase::AwaitTestStart | Phase::AwaitTestRunning => "the start of the test",
            Phase::Running => "the test",
            Phase::AwaitExchange => "the end of the test",
            Phase::OwnResults | Phase::AwaitResults | Phase::AwaitDisplay => {
                "the exchange of results"
            }
            Phase::ErrorNumbers => "an error report",
            Phase::Over => "the close",
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
    deadline: Option<Duration>,
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
            deadline: Some(now + STEP),
            first_answer_ms: None,
        }
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
        if self.phase != Phase::Over {
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
                    seconds: STEP.as_secs(),
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

    /// All streams are connected; the server starts when it has them too.
    pub fn streams_open(&mut self, now: Duration) {
        if matches!(self.phase, Phase::AwaitTestStart | Phase::AwaitTestRunning) {
            self.deadline = Some(now + STEP);
        }
    }

    /// Time, bytes or blocks are reached: it is always the client that ends a test.
    pub fn end_test(&mut self, now: Duration) {
        if self.phase == Phase::Running {
            self.outbox.push(State::TestEnd.byte());
            self.enter(Phase::AwaitExchange, Some(now + STEP));
        }
    }

    pub fn send_results(&mut self, own: &Results, now: Duration) {
        if self.phase == Phase::OwnResults {
            self.outbox
                .extend_from_slice(&framed(&results::encode(own)));
            self.enter(Phase::AwaitResults, Some(now + STEP));
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
            Phase::Over => false,
            Phase::ErrorNumbers => match self.inbox.error_numbers() {
                None => false,
                Some((code, errno)) => {
                    self.fail(WireError::Server { code, errno });
                    false
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
                self.enter(Phase::AwaitDisplay, Some(now + STEP));
                true
            }
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    fn state(&mut self, byte: u8, now: Duration) {
        let step = Some(now + STEP);
        match (self.phase, State::of(byte)) {
            (_, Some(State::AccessDenied)) => self.fail(WireError::Denied),
            (_, Some(State::ServerError)) => self.enter(Phase::ErrorNumbers, step),
            (_, Some(State::ServerTerminate)) => self.fail(WireError::ServerTerminated),
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
