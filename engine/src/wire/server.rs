//! The server's side of the control connection as a pure machine. It begins after the cookie, which the
//! listener reads to tell a control connection from a data connection.

use super::error::WireError;
use super::frame::{CLIENT_RESULTS_CAP, Inbox, PARAMS_CAP, framed};
use super::results::{self, Results};
use super::state::State;
use super::{HANDSHAKE, LIFE, OVERTIME, STEP, code, params};
use nettest_report::params::{Limit, Protocol, TestParams};
use std::collections::VecDeque;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub enum ServerEvent {
    /// Valid parameters: call [`ServerMachine::accept`], [`ServerMachine::refuse`] or [`ServerMachine::deny`].
    Params(Box<TestParams>),
    /// The client ends the test: end the data, then call [`ServerMachine::exchange`].
    TestEnd,
    /// Then call [`ServerMachine::send_results`].
    PeerResults(Box<Results>),
    Done,
    Failed(WireError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    AwaitParams,
    Deciding,
    AwaitStreams,
    Running,
    Ending,
    AwaitResults,
    OwnResults,
    AwaitDone,
    Over,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::AwaitParams | Phase::Deciding => "the exchange of parameters",
            Phase::AwaitStreams => "the opening of the streams",
            Phase::Running => "the test",
            Phase::Ending => "the end of the test",
            Phase::AwaitResults | Phase::OwnResults => "the exchange of results",
            Phase::AwaitDone => "the close of the test",
            Phase::Over => "the close",
        }
    }
}

#[derive(Debug)]
pub struct ServerMachine {
    phase: Phase,
    inbox: Inbox,
    outbox: Vec<u8>,
    events: VecDeque<ServerEvent>,
    deadline: Option<Duration>,
    /// Without life for so long a running test ends.
    patience: Duration,
    /// Whatever the client does, the test is over then.
    ends_by: Option<Duration>,
    /// Data time, omit included; `None` when bytes, blocks or the client end the test.
    length: Option<Duration>,
}

impl ServerMachine {
    /// The cookie has been read; PARAM_EXCHANGE is in the output.
    pub fn new(now: Duration) -> Self {
        ServerMachine {
            phase: Phase::AwaitParams,
            inbox: Inbox::default(),
            outbox: vec![State::ParamExchange.byte()],
            events: VecDeque::new(),
            deadline: Some(now + HANDSHAKE),
            patience: LIFE,
            ends_by: None,
            length: None,
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        if self.phase == Phase::Over {
            return;
        }
        self.inbox.push(bytes);
        while self.step() {}
    }

    pub fn closed(&mut self) {
        match self.phase {
            Phase::Over => {}
            // Everything is exchanged: a client that goes without IPERF_DONE has lost nothing.
            Phase::AwaitDone => self.finish(),
            phase => {
                self.enter(Phase::Over, None);
                self.events
                    .push_back(ServerEvent::Failed(WireError::Closed {
                        during: phase.name(),
                    }));
            }
        }
    }

    pub fn tick(&mut self, now: Duration) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        let during = self.phase.name();
        let (seconds, code) = match self.phase {
            Phase::AwaitParams => (HANDSHAKE.as_secs(), code::RECV_PARAMS),
            Phase::AwaitStreams => (STEP.as_secs(), code::STREAM_ACCEPT),
            Phase::Running if self.ends_by.is_some_and(|end| now >= end) => {
                let overtime = self.length.unwrap_or_default() + OVERTIME;
                self.abort(
                    code::WATCHDOG,
                    WireError::Deadline {
                        during: "the time of the test",
                        seconds: overtime.as_secs(),
                    },
                );
                return;
            }
            Phase::Running => (self.patience.as_secs(), code::NO_DATA),
            Phase::AwaitResults => (STEP.as_secs(), code::RECV_RESULTS),
            Phase::Deciding
            | Phase::Ending
            | Phase::OwnResults
            | Phase::AwaitDone
            | Phase::Over => (STEP.as_secs(), code::MESSAGE),
        };
        self.abort(code, WireError::Deadline { during, seconds });
    }

    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    pub fn next_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// The test is taken on; its streams may come.
    pub fn accept(&mut self, params: &TestParams, now: Duration) {
        if self.phase != Phase::Deciding {
            return;
        }
        self.patience = LIFE + longest_gap(params);
        self.length = match params.limit {
            Limit::Time(time) if !time.is_zero() => Some(time + params.omit),
            Limit::Time(_) | Limit::Bytes(_) | Limit::Blocks(_) => None,
        };
        self.outbox.push(State::CreateStreams.byte());
        self.enter(Phase::AwaitStreams, Some(now + STEP));
        while self.step() {}
    }

    /// This server does not run that test, or cannot go on with it.
    pub fn refuse(&mut self, code: i32, errno: i32) {
        if self.phase == Phase::Over {
            return;
        }
        self.enter(Phase::Over, None);
        self.outbox.push(State::ServerError.byte());
        self.outbox.extend_from_slice(&code.to_be_bytes());
        self.outbox.extend_from_slice(&errno.to_be_bytes());
    }

    /// Busy.
    pub fn deny(&mut self) {
        if self.phase != Phase::Over {
            self.enter(Phase::Over, None);
            self.outbox.push(State::AccessDenied.byte());
        }
    }

    /// One more stream is there.
    pub fn stream_arrived(&mut self, now: Duration) {
        if self.phase == Phase::AwaitStreams {
            self.deadline = Some(now + STEP);
        }
    }

    /// All streams are there: data begins.
    pub fn start(&mut self, now: Duration) {
        if self.phase != Phase::AwaitStreams {
            return;
        }
        self.outbox
            .extend_from_slice(&[State::TestStart.byte(), State::TestRunning.byte()]);
        self.phase = Phase::Running;
        self.ends_by = self.length.map(|length| now + length + OVERTIME);
        self.alive(now);
        while self.step() {}
    }

    /// Data moved, or the client said something.
    pub fn alive(&mut self, now: Duration) {
        if self.phase == Phase::Running {
            let silent = now + self.patience;
            self.deadline = Some(self.ends_by.map_or(silent, |end| end.min(silent)));
        }
    }

    /// The data has ended.
    pub fn exchange(&mut self, now: Duration) {
        if self.phase == Phase::Ending {
            self.outbox.push(State::ExchangeResults.byte());
            self.enter(Phase::AwaitResults, Some(now + STEP));
            while self.step() {}
        }
    }

    pub fn send_results(&mut self, own: &Results, now: Duration) {
        if self.phase == Phase::OwnResults {
            self.outbox
                .extend_from_slice(&framed(&results::encode(own)));
            self.outbox.push(State::DisplayResults.byte());
            self.enter(Phase::AwaitDone, Some(now + STEP));
            while self.step() {}
        }
    }

    /// The server itself is told to end.
    pub fn terminate(&mut self) {
        if self.phase != Phase::Over {
            self.outbox.push(State::ServerTerminate.byte());
            self.enter(Phase::Over, None);
        }
    }

    fn enter(&mut self, phase: Phase, deadline: Option<Duration>) {
        self.phase = phase;
        self.deadline = deadline;
    }

    fn finish(&mut self) {
        self.enter(Phase::Over, None);
        self.events.push_back(ServerEvent::Done);
    }

    fn abort(&mut self, code: i32, error: WireError) {
        self.refuse(code, 0);
        self.events.push_back(ServerEvent::Failed(error));
    }

    fn step(&mut self) -> bool {
        match self.phase {
            // The driver's turn; what comes meanwhile is looked at afterwards.
            Phase::Deciding | Phase::OwnResults | Phase::Over => false,
            Phase::AwaitParams => match self.inbox.json(PARAMS_CAP) {
                Ok(None) => false,
                Ok(Some(json)) => {
                    match params::decode(json) {
                        Ok(params) => {
                            self.enter(Phase::Deciding, None);
                            self.events.push_back(ServerEvent::Params(Box::new(params)));
                        }
                        Err(error) => self.abort(error.code(), WireError::Params(error)),
                    }
                    true
                }
                Err(too_long) => {
                    self.abort(code::RECV_PARAMS, WireError::TooLong(too_long));
                    false
                }
            },
            Phase::AwaitResults => match self.inbox.json(CLIENT_RESULTS_CAP) {
                Ok(None) => false,
                Ok(Some(json)) => {
                    match results::decode(json) {
                        Ok(results) => {
                            self.enter(Phase::OwnResults, None);
                            self.events
                                .push_back(ServerEvent::PeerResults(Box::new(results)));
                        }
                        Err(error) => self.abort(code::RECV_RESULTS, error),
                    }
                    true
                }
                Err(too_long) => {
                    self.abort(code::RECV_RESULTS, WireError::TooLong(too_long));
                    false
                }
            },
            Phase::AwaitStreams | Phase::Running | Phase::Ending | Phase::AwaitDone => {
                match self.inbox.byte() {
                    None => false,
                    Some(byte) => {
                        self.state(byte);
                        true
                    }
                }
            }
        }
    }

    fn state(&mut self, byte: u8) {
        match (self.phase, State::of(byte)) {
            (Phase::Running, Some(State::TestEnd)) => {
                self.enter(Phase::Ending, None);
                self.events.push_back(ServerEvent::TestEnd);
            }
            (Phase::AwaitDone, Some(State::IperfDone)) => self.finish(),
            (_, Some(State::ClientTerminate)) => {
                self.enter(Phase::Over, None);
                self.events
                    .push_back(ServerEvent::Failed(WireError::ClientTerminated));
            }
            (phase, _) => {
                self.abort(
                    code::MESSAGE,
                    WireError::Unexpected {
                        byte: byte as i8,
                        during: phase.name(),
                    },
                );
            }
        }
    }
}

/// Longest time between two sends that the parameters themselves bring about: a slow `-b` with large blocks is
/// no sign of death.
pub fn longest_gap(params: &TestParams) -> Duration {
    let Some(bitrate) = params.bitrate.filter(|rate| *rate > 0) else {
        return Duration::ZERO;
    };
    let block = params.block_size.unwrap_or(match params.protocol {
        Protocol::Tcp => TestParams::TCP_BLOCK,
        Protocol::Udp => TestParams::UDP_BLOCK,
    });
    let bits = f64::from(block) * 8.0 * f64::from(params.burst.max(1));
    Duration::from_secs_f64((bits / bitrate as f64).min(3600.0))
}
