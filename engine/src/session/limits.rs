//! What a server's operator allows a test to be: how fast, and how long.

use super::{BitrateLimit, ServerConfig, SessionError};
use crate::wire::code;
use nettest_report::params::{Direction, Limit, TestParams};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A client that keeps to the ceiling exactly is off by this much for moments (the pacing's own figure is 1 %).
const TOLERANCE: f64 = 1.02;

#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    bitrate: Option<BitrateLimit>,
    duration: Option<Duration>,
}

/// What a test would be, or was, that may not be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Excess {
    /// Bits per second.
    Asked {
        rate: u128,
        limit: u64,
    },
    Measured {
        rate: u64,
        limit: u64,
    },
    Duration {
        asked: Duration,
        limit: Duration,
    },
    /// Its length is not known before.
    Endless {
        limit: Duration,
    },
}

impl Excess {
    /// iperf3's number of it.
    pub fn code(self) -> i32 {
        match self {
            Excess::Asked { .. } | Excess::Measured { .. } => code::TOTAL_RATE,
            Excess::Duration { .. } | Excess::Endless { .. } => code::MAX_DURATION,
        }
    }

    pub fn explain(self, peer: String) -> SessionError {
        let what = match self {
            Excess::Asked { rate, limit } => format!(
                "{rate} bit/s over all streams, and --server-bitrate-limit is {limit} bit/s"
            ),
            Excess::Measured { rate, limit } => format!(
                "{rate} bit/s were measured over all streams, and --server-bitrate-limit is {limit} bit/s"
            ),
            Excess::Duration { asked, limit } => format!(
                "{} s, and --server-max-duration is {} s",
                asked.as_secs_f64(),
                limit.as_secs()
            ),
            Excess::Endless { limit } => format!(
                "no time limit, and --server-max-duration is {} s",
                limit.as_secs()
            ),
        };
        SessionError::OverLimit { peer, what }
    }
}

impl Limits {
    pub fn of(cfg: &ServerConfig) -> Self {
        Limits {
            bitrate: cfg.bitrate_limit.filter(|limit| limit.rate > 0),
            duration: cfg.max_duration,
        }
    }

    /// Before the test, as iperf3 does it: tests by bytes or blocks have no time, and are refused where time is
    /// limited. A client that asks for no rate is let in, and judged while it runs.
    pub fn check(&self, params: &TestParams) -> Result<(), Excess> {
        if let Some(limit) = self.duration {
            match params.limit {
                Limit::Time(time) if !time.is_zero() => {
                    let asked = time + params.omit;
                    if asked > limit {
                        return Err(Excess::Duration { asked, limit });
                    }
                }
                Limit::Time(_) | Limit::Bytes(_) | Limit::Blocks(_) => {
                    return Err(Excess::Endless { limit });
                }
            }
        }
        let Some(BitrateLimit { rate: limit, .. }) = self.bitrate else {
            return Ok(());
        };
        let ways = match params.direction {
            Direction::Bidirectional => 2,
            Direction::Forward | Direction::Reverse => 1,
        };
        let asked = [params.bitrate, params.fq_rate].into_iter().flatten().max();
        let rate = u128::from(asked.unwrap_or(0)) * u128::from(params.streams) * ways;
        if rate > u128::from(limit) {
            return Err(Excess::Asked { rate, limit });
        }
        Ok(())
    }

    /// For a test that begins `now`. `grain`: bytes that come at once, a block of each stream.
    pub fn watch(&self, now: Instant, grain: u64) -> Option<Average> {
        self.bitrate.map(|limit| Average::new(limit, now, grain))
    }
}

/// The running average over the last seconds.
#[derive(Debug)]
pub struct Average {
    limit: BitrateLimit,
    over: Duration,
    /// A short time holds one grain more than its part of the rate.
    grain: u64,
    /// A client chooses its blocks: a grain of its own in each short time is no way around the ceiling, since over the
    /// whole test there is only one.
    begun: Instant,
    /// When, and all bytes until then; the oldest is twice as old as the time of the average.
    seen: VecDeque<(Instant, u64)>,
}

impl Average {
    /// Shorter averages are the sender's bursts, not its rate.
    const SHORTEST: Duration = Duration::from_millis(100);
    const LOOKS: u32 = 20;

    fn new(limit: BitrateLimit, now: Instant, grain: u64) -> Self {
        Average {
            limit,
            over: limit.over.max(Self::SHORTEST),
            grain,
            begun: now,
            seen: VecDeque::from([(now, 0)]),
        }
    }

    /// The next look that is of use.
    pub fn next_look(&self) -> Option<Instant> {
        self.seen
            .back()
            .map(|(at, _)| *at + self.over / Self::LOOKS)
    }

    /// `bytes`: of all streams and both directions since the start.
    pub fn look(&mut self, now: Instant, bytes: u64) -> Result<(), Excess> {
        if self.next_look().is_some_and(|next| now < next) {
            return Ok(());
        }
        self.seen.push_back((now, bytes));
        let age = |at: Instant| now.saturating_duration_since(at);
        while self
            .seen
            .get(1)
            .is_some_and(|(at, _)| age(*at) >= self.over * 2)
        {
            self.seen.pop_front();
        }
        let recent = self.seen.iter().rev().find(|(at, _)| age(*at) >= self.over);
        let (Some(recent), Some(oldest)) = (recent, self.seen.front()) else {
            return Ok(());
        };
        let rate = |since: Instant, before: u64| {
            let moved = bytes.saturating_sub(before).saturating_sub(self.grain);
            moved as f64 * 8.0 / age(since).as_secs_f64()
        };
        // A paced sender that stood still for a moment makes up for it, and is above its rate for a short time only.
        let lately = rate(recent.0, recent.1).min(rate(oldest.0, oldest.1));
        let measured = lately.max(rate(self.begun, 0));
        let limit = self.limit.rate;
        if measured > limit as f64 * TOLERANCE {
            return Err(Excess::Measured {
                rate: measured as u64,
                limit,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(rate: u64, duration: Option<u64>) -> Limits {
        let mut cfg = ServerConfig::new(1);
        cfg.bitrate_limit = Some(BitrateLimit {
            rate,
            over: Duration::from_secs(5),
        });
        cfg.max_duration = duration.map(Duration::from_secs);
        Limits::of(&cfg)
    }

    #[test]
    fn all_streams_and_both_ways_count() {
        let limits = limits(100, None);
        for (rate, streams, direction, ok) in [
            (100, 1, Direction::Forward, true),
            (101, 1, Direction::Reverse, false),
            (50, 2, Direction::Forward, true),
            (51, 2, Direction::Forward, false),
            (50, 1, Direction::Bidirectional, true),
            (51, 1, Direction::Bidirectional, false),
            (u64::MAX, 128, Direction::Bidirectional, false),
        ] {
            let params = TestParams {
                bitrate: Some(rate),
                streams,
                direction,
                ..TestParams::default()
            };
            assert_eq!(
                limits.check(&params).is_ok(),
                ok,
                "{rate} x {streams} {direction:?}"
            );
            let paced = TestParams {
                fq_rate: params.bitrate,
                bitrate: None,
                ..params
            };
            assert_eq!(limits.check(&paced).is_ok(), ok);
        }
        assert_eq!(
            limits.check(&TestParams::default()),
            Ok(()),
            "no rate: judged later"
        );
    }

    #[test]
    fn the_omitted_part_counts_and_what_has_no_time_is_refused() {
        let limits = limits(u64::MAX, Some(10));
        let check = |limit, omit| {
            limits.check(&TestParams {
                limit,
                omit: Duration::from_secs(omit),
                ..TestParams::default()
            })
        };
        let time = |s| Limit::Time(Duration::from_secs(s));
        assert_eq!(check(time(10), 0), Ok(()));
        assert_eq!(check(time(8), 2), Ok(()));
        for (limit, omit) in [
            (time(8), 3),
            (time(11), 0),
            (time(0), 0),
            (Limit::Bytes(1), 0),
            (Limit::Blocks(1), 0),
        ] {
            let excess = check(limit, omit).unwrap_err();
            assert_eq!(excess.code(), 37, "{excess:?}");
        }
    }

    /// E14: within 5 % of the ceiling.
    #[test]
    fn the_running_average_ends_what_is_above_the_ceiling_and_nothing_else() {
        for (percent, ok) in [
            (50, true),
            (95, true),
            (100, true),
            (101, true),
            (105, false),
            (300, false),
        ] {
            let begun = Instant::now();
            let limit = BitrateLimit {
                rate: 8_000_000,
                over: Duration::from_secs(5),
            };
            let mut average = Average::new(limit, begun, 0);
            let mut ended = None;
            for tick in 1..200u64 {
                let now = begun + Duration::from_millis(100 * tick);
                if average.look(now, percent * 1000 * tick).is_err() {
                    ended = Some(tick);
                    break;
                }
            }
            assert_eq!(ended.is_none(), ok, "{percent} %");
            assert!(
                ended.is_none_or(|tick| (50..60).contains(&tick)),
                "after 5 s: {ended:?}"
            );
        }
    }

    /// 128 streams with blocks of 1 MiB are 134 MB at once: more than the ceiling gives in any short time.
    #[test]
    fn large_blocks_are_no_way_around_the_ceiling() {
        let limit = BitrateLimit {
            rate: 8_000_000,
            over: Duration::from_secs(5),
        };
        let begun = Instant::now();
        let mut average = Average::new(limit, begun, 128 << 20);
        // 160 Mbit/s.
        let ended = (1..200u32).find(|tick| {
            let now = begun + Duration::from_millis(100) * *tick;
            average.look(now, 2_000_000 * u64::from(*tick)).is_err()
        });
        assert!(ended.is_some_and(|tick| tick < 100), "{ended:?}");
    }

    /// Half a second without data, and the same again in the next half.
    #[test]
    fn a_paced_sender_that_catches_up_is_not_ended() {
        let begun = Instant::now();
        let limit = BitrateLimit {
            rate: 8_000_000,
            over: Duration::from_secs(1),
        };
        let mut average = Average::new(limit, begun, 0);
        for tick in 1..100u64 {
            let bytes = 100_000 * if (40..45).contains(&tick) { 40 } else { tick };
            let now = begun + Duration::from_millis(100 * tick);
            assert_eq!(average.look(now, bytes), Ok(()), "at {tick}");
        }
    }

    #[test]
    fn a_short_burst_is_averaged_out() {
        let begun = Instant::now();
        let limit = BitrateLimit {
            rate: 8_000_000,
            over: Duration::from_secs(5),
        };
        let mut average = Average::new(limit, begun, 0);
        // 4 MB in the first second, then nothing: 6.4 Mbit/s over 5 s.
        for tick in 1..100u64 {
            let now = begun + Duration::from_millis(100 * tick);
            assert_eq!(average.look(now, 400_000 * tick.min(10)), Ok(()));
        }
    }
}
