//! Whether a client's test has what was asked for: time, bytes or blocks.

use super::meter::Meter;
use super::streams;
use crate::wire::server::longest_gap;
use nettest_report::params::{Direction, Limit, Protocol, TestParams};
use std::time::{Duration, Instant};

/// Silence after which a peer's budget is taken for used up, where its last part may never be seen here.
const QUIET: Duration = Duration::from_secs(2);
/// The ends' omitted parts do not end at the same moment. With one of them, a peer whose bytes have all come by this
/// end's count gets so much silence, or so long at the most, to send the rest of its own.
const REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_millis(500);
/// A peer that ends its streams without a word for so long has sent all it had.
const ENDED: Duration = Duration::from_secs(1);
/// Received bytes and blocks are only seen by looking.
const COUNTING: Duration = Duration::from_millis(2);
const IDLE: Duration = Duration::from_millis(500);

/// What ends the test, as one end's figures show it.
#[derive(Debug, Clone)]
pub struct Goal {
    limit: Limit,
    direction: Direction,
    udp: bool,
    omits: bool,
    block: u64,
    longest_gap: Duration,
    all_came_at: Option<Instant>,
}

impl Goal {
    pub fn of(params: &TestParams) -> Self {
        Goal {
            limit: params.limit,
            direction: params.direction,
            udp: params.protocol == Protocol::Udp,
            omits: !params.omit.is_zero(),
            block: u64::from(streams::block_size(params)).max(1),
            longest_gap: longest_gap(params),
            all_came_at: None,
        }
    }

    /// How long the driver may go without a look.
    pub fn look(&self) -> Duration {
        let counts = !matches!(self.limit, Limit::Time(_));
        if counts && self.direction != Direction::Forward {
            COUNTING
        } else {
            IDLE
        }
    }

    /// `all_sent`: this end's budget is used up. `counted_at`: when data last arrived.
    pub fn reached(
        &mut self,
        meter: &Meter,
        all_sent: bool,
        now: Instant,
        counted_at: Instant,
    ) -> bool {
        if meter.is_omitting() {
            return meter.file_sent();
        }
        let wanted = match self.limit {
            // A file that is shorter than the time ends the test, too.
            Limit::Time(_) => {
                return meter.file_sent()
                    || self.peer_ended(meter, now, counted_at)
                    || meter.nominal_end().is_some_and(|end| now >= end);
            }
            Limit::Bytes(n) | Limit::Blocks(n) => n,
        };
        let sent = self.direction == Direction::Reverse || all_sent;
        let received = self.direction == Direction::Forward
            || meter.all_finished(false)
            || self.received(self.seen(meter), wanted, now, counted_at);
        sent && received
    }

    /// The peer has closed all streams in order, and its control connection has nothing to say of it: its file is sent.
    fn peer_ended(&self, meter: &Meter, now: Instant, counted_at: Instant) -> bool {
        self.direction == Direction::Reverse
            && !meter.tracks.is_empty()
            && meter.all_finished(false)
            && now.saturating_duration_since(counted_at) > ENDED
    }

    /// Units of the budget that the peer has sent for certain.
    fn seen(&self, meter: &Meter) -> u64 {
        let receivers = meter.tracks.iter().filter(|track| !track.sender);
        receivers
            .map(|track| track.counted())
            .map(|counted| match (self.limit, self.udp) {
                // A lost datagram was sent all the same (field report 003).
                (Limit::Bytes(_), true) => counted.highest_seq.saturating_mul(self.block),
                (Limit::Bytes(_), false) | (Limit::Time(_), _) => counted.bytes,
                (Limit::Blocks(_), true) => counted.highest_seq,
                (Limit::Blocks(_), false) => counted.bytes / self.block,
            })
            // A lying peer numbers its datagrams as it likes.
            .fold(0, u64::saturating_add)
    }

    /// All has come, or what is missing will not: the last datagrams may be among the lost, and what was on the
    /// way when the omitted part ended was counted by the sender only.
    fn received(&mut self, seen: u64, wanted: u64, now: Instant, counted_at: Instant) -> bool {
        let silence = now.saturating_duration_since(counted_at);
        if seen < wanted {
            let tail_may_be_missing = self.omits || (self.udp && seen > 0);
            return tail_may_be_missing && silence > QUIET + self.longest_gap * 4;
        }
        let all_came_at = *self.all_came_at.get_or_insert(now);
        !self.omits
            || silence > REST + self.longest_gap * 2
            || now.saturating_duration_since(all_came_at) > LONGEST_REST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reverse(protocol: Protocol, omit: u64) -> Goal {
        Goal::of(&TestParams {
            protocol,
            direction: Direction::Reverse,
            limit: Limit::Bytes(1000),
            omit: Duration::from_secs(omit),
            ..TestParams::default()
        })
    }

    /// Whether the goal is reached with `seen` of `wanted` after so much silence.
    fn received(goal: &Goal, seen: u64, wanted: u64, silence: u64) -> bool {
        let now = Instant::now();
        let later = now + Duration::from_millis(silence);
        goal.clone().received(seen, wanted, later, now)
    }

    /// Field report 003: lost datagrams at the end must not make the test endless.
    #[test]
    fn report_003_a_lost_tail_ends_a_udp_test_and_silence_alone_does_not() {
        let udp = reverse(Protocol::Udp, 0);
        assert!(received(&udp, 1000, 1000, 0));
        assert!(!received(&udp, 900, 1000, 1000));
        assert!(received(&udp, 900, 1000, 3000));
        assert!(!received(&udp, 0, 1000, 3000), "nothing has come at all");
    }

    #[test]
    fn a_tcp_test_waits_for_its_bytes_unless_some_fell_into_the_omitted_part() {
        assert!(!received(&reverse(Protocol::Tcp, 0), 900, 1000, 3000));
        let omits = reverse(Protocol::Tcp, 1);
        assert!(received(&omits, 900, 1000, 3000));
        assert!(
            received(&omits, 0, 1000, 3000),
            "a short test fell in as a whole"
        );
    }

    /// This end counts what the peer omitted, when its own omitted part ended first.
    #[test]
    fn after_an_omitted_part_the_peer_may_send_its_rest() {
        let mut omits = reverse(Protocol::Udp, 1);
        assert!(!received(&omits, 1000, 1000, 10));
        assert!(received(&omits, 1000, 1000, 200));
        // A peer that never stops (iperf3 does not count its own bytes).
        let now = Instant::now();
        let at = |millis| now + Duration::from_millis(millis);
        assert!(!omits.received(1000, 1000, at(0), at(0)));
        assert!(!omits.received(2000, 1000, at(400), at(400)));
        assert!(omits.received(3000, 1000, at(600), at(600)));
    }

    #[test]
    fn a_slow_rate_is_no_silence() {
        let slow = Goal::of(&TestParams {
            protocol: Protocol::Udp,
            bitrate: Some(8000),
            block_size: Some(1000),
            ..TestParams::default()
        });
        assert!(!received(&slow, 1, 10, 3000), "a datagram a second");
        assert!(received(&slow, 1, 10, 7000));
    }

    #[test]
    fn the_time_ends_a_timed_test_and_nothing_an_endless_one() {
        let (now, far) = (Instant::now(), Duration::from_secs(86_400));
        for (seconds, ends) in [(10, true), (0, false)] {
            let params = TestParams {
                limit: Limit::Time(Duration::from_secs(seconds)),
                ..TestParams::default()
            };
            let meter = Meter::new(Vec::new(), &params, Duration::ZERO, now);
            let mut goal = Goal::of(&params);
            assert!(!goal.reached(&meter, true, now, now));
            assert_eq!(goal.reached(&meter, true, now + far, now), ends);
        }
    }
}
