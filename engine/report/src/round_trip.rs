//! Quantiles of the smoothed round-trip time over the intervals of a test.

use crate::report::{Flow, Interval};

/// Microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantiles {
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
}

/// Of every stream of a flow whose sender is here, one sample an interval, omitted ones left out. By the nearest rank, so
/// that each is a time that was seen. `None`: the sender is elsewhere, or has no round-trip times.
pub fn quantiles(intervals: &[Interval], flow: Flow) -> Option<Quantiles> {
    let streams = intervals.iter().flat_map(|interval| &interval.streams);
    let ours = streams.filter(|stream| stream.flow == flow && stream.sender && !stream.omitted);
    let mut samples: Vec<u32> = ours
        .filter_map(|stream| stream.tcp.as_ref().map(|tcp| tcp.rtt_us))
        .filter(|rtt| *rtt > 0)
        .collect();
    samples.sort_unstable();
    let rank = |percent: usize| {
        let index = (samples.len() * percent).div_ceil(100).checked_sub(1)?;
        samples.get(index).copied().map(u64::from)
    };
    Some(Quantiles {
        p50: rank(50)?,
        p90: rank(90)?,
        p99: rank(99)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{StreamInterval, TcpSample};

    fn interval(rtt_us: u32, sender: bool, omitted: bool) -> Interval {
        let stream = StreamInterval {
            socket: 5,
            flow: Flow::ClientToServer,
            sender,
            start: 0.0,
            end: 1.0,
            bytes: 1,
            omitted,
            tcp: Some(TcpSample {
                snd_cwnd_bytes: 1,
                snd_wnd_bytes: None,
                rtt_us,
                rttvar_us: 1,
                pmtu: 1500,
                reorder: None,
            }),
            retransmits: None,
            udp: None,
        };
        Interval {
            streams: vec![stream],
        }
    }

    #[test]
    fn each_is_a_time_that_was_seen() {
        let mut intervals: Vec<Interval> =
            (1..=10).map(|n| interval(n * 10, true, false)).collect();
        intervals.push(interval(9_000, true, true));
        intervals.push(interval(8_000, false, false));
        intervals.push(interval(0, true, false));
        let found = quantiles(&intervals, Flow::ClientToServer);
        let wanted = Quantiles {
            p50: 50,
            p90: 90,
            p99: 100,
        };
        assert_eq!(found, Some(wanted));
        assert_eq!(quantiles(&intervals, Flow::ServerToClient), None);
        assert_eq!(quantiles(&[], Flow::ClientToServer), None);
    }
}
