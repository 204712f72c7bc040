//! How long the server lets a running test go on.

use super::LIFE;
use nettest_report::params::{Protocol, TestParams};
use std::time::Duration;

/// How often a client that answers is asked for a sign of life.
pub const ASK: Duration = Duration::from_secs(3);

/// What is due in a running test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    Nothing,
    /// Ask the client for a sign of life.
    Ask,
    /// No sign of life for this long.
    Silent(Duration),
    /// The time that the test may take is over.
    Overtime,
}

#[derive(Debug)]
pub struct Life {
    /// Without a sign for so long the test ends.
    patience: Duration,
    /// Whatever the client does, the test is over then.
    ends_by: Option<Duration>,
    silent_at: Duration,
    ask_at: Option<Duration>,
}

impl Life {
    pub fn new(patience: Duration, ends_by: Option<Duration>, asks: bool, now: Duration) -> Self {
        Life {
            patience,
            ends_by,
            silent_at: now + patience,
            ask_at: asks.then_some(now + ASK),
        }
    }

    pub fn sign(&mut self, now: Duration) {
        self.silent_at = now + self.patience;
    }

    /// When [`Life::due`] has something to say.
    pub fn deadline(&self) -> Duration {
        [self.ends_by, self.ask_at]
            .into_iter()
            .flatten()
            .fold(self.silent_at, Duration::min)
    }

    pub fn due(&mut self, now: Duration) -> Due {
        if self.ends_by.is_some_and(|end| now >= end) {
            return Due::Overtime;
        }
        if now >= self.silent_at {
            return Due::Silent(self.patience);
        }
        if self.ask_at.is_some_and(|at| now >= at) {
            self.ask_at = Some(now + ASK);
            return Due::Ask;
        }
        Due::Nothing
    }
}

/// How long a test may be silent by its own parameters.
pub fn patience(params: &TestParams) -> Duration {
    LIFE + longest_gap(params)
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
        Protocol::Sctp => TestParams::SCTP_BLOCK,
    });
    let bits = f64::from(block) * 8.0 * f64::from(params.burst.max(1));
    Duration::from_secs_f64((bits / bitrate as f64).min(3600.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_client_that_answers_is_asked_and_lives_on() {
        let mut life = Life::new(LIFE, None, true, s(100));
        assert_eq!((life.deadline(), life.due(s(102))), (s(103), Due::Nothing));
        for at in [103, 106, 109, 112] {
            assert_eq!(life.due(s(at)), Due::Ask);
            assert_eq!(life.due(s(at)), Due::Nothing);
        }
        life.sign(s(112));
        assert_eq!(life.due(s(126)), Due::Ask);
        assert_eq!(life.due(s(127)), Due::Silent(LIFE));
    }

    #[test]
    fn the_end_comes_first() {
        let mut life = Life::new(LIFE, Some(s(105)), true, s(100));
        assert_eq!(life.due(s(104)), Due::Ask);
        assert_eq!(life.deadline(), s(105));
        assert_eq!(life.due(s(120)), Due::Overtime);
    }
}
