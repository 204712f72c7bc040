//! One element of `intervals`.

use super::number::Num;
use crate::report::{self, Flow, StreamInterval, UdpInterval};
use crate::sums::{FlowInterval, bits_per_second, lost_percent};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    streams: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_bidir_reverse: Option<Row>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<i32>,
    start: Num,
    end: Num,
    seconds: Num,
    bytes: u64,
    bits_per_second: Num,
    #[serde(skip_serializing_if = "Option::is_none")]
    retransmits: Option<u64>,
    #[serde(flatten)]
    tcp: Option<Tcp>,
    #[serde(flatten)]
    udp: Option<Udp>,
    omitted: bool,
    sender: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tcp {
    snd_cwnd: u64,
    snd_wnd: Option<u64>,
    rtt: u32,
    rttvar: u32,
    pmtu: u32,
    reorder: Option<u32>,
}

/// A receiver's row has all of them, a sender's the datagrams alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Udp {
    #[serde(skip_serializing_if = "Option::is_none")]
    jitter_ms: Option<Option<Num>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_packets: Option<Option<u64>>,
    packets: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_percent: Option<Option<Num>>,
}

impl Interval {
    pub fn of(interval: &report::Interval) -> Self {
        let mut sums = FlowInterval::of(interval).into_iter();
        let sum = sums.next();
        Interval {
            streams: interval.streams.iter().map(Row::of).collect(),
            sum: sum.map(|s| Row::sum(&s)),
            // A second flow exists in a bidirectional test only.
            sum_bidir_reverse: sums
                .find(|s| s.flow == Flow::ServerToClient)
                .map(|s| Row::sum(&s)),
        }
    }

    pub(super) fn thin(&mut self) {
        self.streams.clear();
    }
}

impl Row {
    fn of(row: &StreamInterval) -> Self {
        let seconds = row.end - row.start;
        Row {
            socket: Some(row.socket),
            start: Num::seconds(row.start),
            end: Num::seconds(row.end),
            seconds: Num(seconds),
            bytes: row.bytes,
            bits_per_second: Num(bits_per_second(row.bytes, seconds)),
            retransmits: row.retransmits,
            tcp: row.tcp.map(|t| Tcp {
                snd_cwnd: t.snd_cwnd_bytes,
                snd_wnd: t.snd_wnd_bytes,
                rtt: t.rtt_us,
                rttvar: t.rttvar_us,
                pmtu: t.pmtu,
                reorder: t.reorder,
            }),
            udp: row.udp.map(|u| Udp::of(&u, row.sender)),
            omitted: row.omitted,
            sender: row.sender,
        }
    }

    fn sum(sum: &FlowInterval) -> Self {
        Row {
            socket: None,
            start: Num::seconds(sum.start),
            end: Num::seconds(sum.end),
            seconds: Num(sum.end - sum.start),
            bytes: sum.bytes,
            bits_per_second: Num(sum.bits_per_second()),
            retransmits: sum.retransmits,
            tcp: None,
            udp: sum.udp.map(|u| Udp::of(&u, sum.sender)),
            omitted: sum.omitted,
            sender: sum.sender,
        }
    }
}

impl Udp {
    fn of(row: &UdpInterval, sender: bool) -> Self {
        let percent = row.lost.map(|lost| Num(lost_percent(lost, row.packets)));
        Udp {
            jitter_ms: (!sender).then_some(row.jitter_seconds.map(|s| Num(s * 1e3))),
            lost_packets: (!sender).then_some(row.lost),
            packets: row.packets,
            lost_percent: (!sender).then_some(percent),
        }
    }
}
