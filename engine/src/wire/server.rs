//! The server's side of the control connection as a pure machine. It begins after the cookie, which the
//! listener reads to tell a control connection from a data connection.

use super::error::WireError;
use super::extras::Extras;
use super::frame::{CLIENT_RESULTS_CAP, Inbox, PARAMS_CAP, framed};
use super::life::{self, Due, Life};
use super::phase::Phase;
use super::results::{self, Results};
use super::state::State;
use super::{HANDSHAKE, OVERTIME, STEP, code, params};
use nettest_report::params::{Limit, TestParams};

pub use super::life::longest_gap;
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

#[derive(Debug)]
pub struct ServerMachine {
    phase: Phase,
    inbox: Inbox,
    outbox: Vec<u8>,
    events: VecDeque<ServerEvent>,
    deadline: Option<Duration>,
    /// What came with the parameters.
    extras: Extras,
    /// Without life for so long a running test ends.
    patience: Duration,
    /// Of a running test.
    life: Option<Life>,
    /// Data time, omit included; `None` when bytes, blocks or the client end the test.
    length: Option<Duration>,
    client_is_ours: bool,
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
            extras: Extras::default(),
            patience: super::LIFE,
            life: None,
            length: None,
            client_is_ours: false,
        }
    }

    /// Said by its parameters.
    pub fn client_is_ours(&self) -> bool {
        self.client_is_ours
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
            Phase::Running => return self.check_life(now),
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
        self.patience = life::patience(params);
        self.length = match params.limit {
            Limit::Time(time) if !time.is_zero() => Some(time + params.omit),
            Limit::Time(_) | Limit::Bytes(_) | Limit::Blocks(_) => None,
        };
        self.outbox.push(State::CreateStreams.byte());
        self.enter(Phase::AwaitStreams, Some(now + STEP));
        while self.step() {}
    }

    /// So long without a sign of life, in place of the design's 15 s.
    pub fn wait_for(&mut self, patience: Duration) {
        self.patience = patience;
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
        let ends_by = self.length.map(|length| now + length + OVERTIME);
        let asks = self.extras.answers_alive;
        if asks {
            // At once: the client knows from now on that it may expect to be asked.
            self.outbox.push(State::Alive.byte());
        }
        let life = Life::new(self.patience, ends_by, asks, now);
        self.deadline = Some(life.deadline());
        self.life = Some(life);
        while self.step() {}
    }

    fn check_life(&mut self, now: Duration) {
        let Some(life) = &mut self.life else { return };
        let (code, during, time) = match life.due(now) {
            Due::Nothing => return self.deadline = Some(life.deadline()),
            Due::Ask => {
                self.deadline = Some(life.deadline());
                return self.outbox.push(State::Alive.byte());
            }
            Due::Silent(time) => (code::NO_DATA, Phase::Running.name(), time),
            Due::Overtime => {
                let time = self.length.unwrap_or_default() + OVERTIME;
                (code::WATCHDOG, "the time of the test", time)
            }
        };
        let seconds = time.as_secs();
        self.abort(code, WireError::Deadline { during, seconds });
    }

    /// What came with the parameters.
    pub fn extras(&self) -> &Extras {
        &self.extras
    }

    /// Data moved, or the client said something.
    pub fn alive(&mut self, now: Duration) {
        if let (Phase::Running, Some(life)) = (self.phase, &mut self.life) {
            life.sign(now);
            self.deadline = Some(life.deadline());
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
                    self.client_is_ours = params::is_from_ours(json);
                    match params::decode_with(json) {
                        Ok((params, extras)) => {
                            self.extras = extras;
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
            // That it came is what counts.
            (Phase::Running, Some(State::Alive)) if self.extras.answers_alive => {}
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
