//! Sums over the streams of one flow: what the SUM rows, the document's `sum` objects and the digest hold.

use crate::fairness;
use crate::report::{End, Flow, Interval, StreamEnd, StreamInterval, Totals, UdpEnd, UdpInterval};

/// Bits per second; 0 for no time at all, so that it is always finite.
pub fn bits_per_second(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 && seconds.is_finite() {
        bytes as f64 * 8.0 / seconds
    } else {
        0.0
    }
}

/// Percent lost of `packets`, always within 0..=100.
pub fn lost_percent(lost: u64, packets: u64) -> f64 {
    if packets == 0 {
        0.0
    } else {
        (lost as f64 * 100.0 / packets as f64).min(100.0)
    }
}

/// One interval of one flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowInterval {
    pub flow: Flow,
    pub sender: bool,
    pub start: f64,
    pub end: f64,
    pub bytes: u64,
    pub omitted: bool,
    pub retransmits: Option<u64>,
    /// Jitter is the mean over the streams.
    pub udp: Option<UdpInterval>,
}

impl FlowInterval {
    /// The flows of an interval, in the order of their streams.
    pub fn of(interval: &Interval) -> Vec<FlowInterval> {
        flows(interval.streams.iter().map(|s| s.flow))
            .into_iter()
            .map(|flow| {
                Self::sum(
                    flow,
                    interval.streams.iter().filter(|s| s.flow == flow).collect(),
                )
            })
            .collect()
    }

    fn sum(flow: Flow, streams: Vec<&StreamInterval>) -> FlowInterval {
        let udp: Vec<UdpInterval> = streams.iter().filter_map(|s| s.udp).collect();
        FlowInterval {
            flow,
            sender: streams.iter().any(|s| s.sender),
            start: earliest(streams.iter().map(|s| s.start)),
            end: latest(streams.iter().map(|s| s.end)),
            bytes: streams
                .iter()
                .fold(0, |sum: u64, s| sum.saturating_add(s.bytes)),
            omitted: streams.iter().any(|s| s.omitted),
            retransmits: total(streams.iter().map(|s| s.retransmits)),
            udp: (!udp.is_empty()).then(|| UdpInterval {
                packets: udp.iter().fold(0, |sum, u| sum.saturating_add(u.packets)),
                lost: total(udp.iter().map(|u| u.lost)),
                jitter_seconds: mean(udp.iter().map(|u| u.jitter_seconds)),
                out_of_order: total(udp.iter().map(|u| u.out_of_order)),
            }),
        }
    }

    pub fn bits_per_second(&self) -> f64 {
        bits_per_second(self.bytes, self.end - self.start)
    }
}

/// The totals of one flow, from both ends.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowEnd {
    pub flow: Flow,
    pub sender: bool,
    pub sent: Totals,
    pub received: Totals,
    pub retransmits: Option<u64>,
    /// Mean over the streams of their mean smoothed round-trip times.
    pub mean_rtt_us: Option<u32>,
    /// See [`fairness`].
    pub fairness: Option<f64>,
    /// Jitter is the mean over the streams.
    pub udp: Option<UdpEnd>,
}

impl FlowEnd {
    /// The flows of a test, in the order of their streams.
    pub fn of(end: &End) -> Vec<FlowEnd> {
        flows(end.streams.iter().map(|s| s.flow))
            .into_iter()
            .map(|flow| {
                Self::sum(
                    flow,
                    end.streams.iter().filter(|s| s.flow == flow).collect(),
                )
            })
            .collect()
    }

    fn sum(flow: Flow, streams: Vec<&StreamEnd>) -> FlowEnd {
        let udp: Vec<UdpEnd> = streams.iter().filter_map(|s| s.udp).collect();
        let rtts: Vec<u64> = streams
            .iter()
            .filter_map(|s| s.tcp?.mean_rtt_us)
            .map(u64::from)
            .collect();
        FlowEnd {
            flow,
            sender: streams.iter().any(|s| s.sender),
            sent: totals(streams.iter().map(|s| s.sent)),
            received: totals(streams.iter().map(|s| s.received)),
            retransmits: total(streams.iter().map(|s| s.tcp.and_then(|t| t.retransmits))),
            mean_rtt_us: (!rtts.is_empty())
                .then(|| (rtts.iter().sum::<u64>() / rtts.len() as u64) as u32),
            fairness: fairness::of(streams.iter().copied()),
            udp: (!udp.is_empty()).then(|| UdpEnd {
                packets_sent: total(udp.iter().map(|u| u.packets_sent)),
                packets_received: total(udp.iter().map(|u| u.packets_received)),
                lost: total(udp.iter().map(|u| u.lost)),
                out_of_order: total(udp.iter().map(|u| u.out_of_order)),
                duplicates: total(udp.iter().map(|u| u.duplicates)),
                jitter_seconds: mean(udp.iter().map(|u| u.jitter_seconds)),
                socket_drops: total(udp.iter().map(|u| u.socket_drops)),
            }),
        }
    }
}

impl Totals {
    pub fn seconds(&self) -> f64 {
        (self.end - self.start).max(0.0)
    }

    pub fn bits_per_second(&self) -> Option<f64> {
        self.bytes
            .map(|bytes| bits_per_second(bytes, self.seconds()))
    }

    /// As digests have it.
    pub fn whole_bits_per_second(&self) -> Option<u64> {
        self.bits_per_second().map(whole)
    }
}

/// The nearest whole number; NaN is 0.
pub fn whole(value: f64) -> u64 {
    // `as` saturates.
    value.round() as u64
}

fn flows(streams: impl Iterator<Item = Flow>) -> Vec<Flow> {
    let mut seen = Vec::with_capacity(2);
    for flow in streams {
        if !seen.contains(&flow) {
            seen.push(flow);
        }
    }
    seen
}

fn totals(parts: impl Iterator<Item = Totals> + Clone) -> Totals {
    Totals {
        start: earliest(parts.clone().map(|t| t.start)),
        end: latest(parts.clone().map(|t| t.end)),
        bytes: total(parts.map(|t| t.bytes)),
    }
}

/// The sum, unknown when any part is unknown.
fn total(mut parts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    parts.try_fold(0u64, |sum, part| Some(sum.saturating_add(part?)))
}

fn mean(parts: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let known = parts.collect::<Option<Vec<f64>>>()?;
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

fn earliest(times: impl Iterator<Item = f64>) -> f64 {
    times.reduce(f64::min).unwrap_or(0.0)
}

fn latest(times: impl Iterator<Item = f64>) -> f64 {
    times.reduce(f64::max).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Direction, Protocol};
    use crate::report::Role;
    use crate::sample;

    #[test]
    fn an_unknown_part_makes_the_sum_unknown_and_never_zero() {
        let mut end = sample::end(Protocol::Tcp, Direction::Forward, Role::Client, 4);
        assert_eq!(
            FlowEnd::of(&end)[0].received.bytes,
            Some(4 * sample::RECEIVED_BYTES)
        );
        end.streams[2].received.bytes = None;
        let sum = &FlowEnd::of(&end)[0];
        assert_eq!(sum.received.bytes, None);
        assert_eq!(sum.received.bits_per_second(), None);
        assert_eq!(sum.sent.bytes, Some(4 * sample::SENT_BYTES));
    }

    #[test]
    fn a_bidirectional_test_has_one_sum_a_flow() {
        let end = sample::end(Protocol::Udp, Direction::Bidirectional, Role::Client, 4);
        let sums = FlowEnd::of(&end);
        assert_eq!(
            sums.iter().map(|s| (s.flow, s.sender)).collect::<Vec<_>>(),
            [(Flow::ClientToServer, true), (Flow::ServerToClient, false)]
        );
        let udp = sums[0].udp.unwrap_or_default();
        assert_eq!(udp.lost, Some(4 * sample::LOST));
        assert_eq!(udp.jitter_seconds, Some(sample::JITTER_SECONDS));
    }

    #[test]
    fn no_time_gives_no_rate_and_no_packets_no_loss() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bits_per_second(1000, seconds), 0.0, "{seconds}");
        }
        assert_eq!(bits_per_second(1000, 2.0), 4000.0);
        assert_eq!(lost_percent(0, 0), 0.0);
        assert_eq!(lost_percent(7, 5), 100.0);
        assert_eq!(lost_percent(1, 4), 25.0);
    }
}
