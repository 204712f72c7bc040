//! The `end` section.

use super::number::Num;
use super::{nettest, shows_sender_detail};
use crate::report::{self, Cpu, DiskFile, Report, Role, StreamEnd, TcpEnd, Totals, UdpEnd};
use crate::sums::{FlowEnd, lost_percent};
use serde::Serialize;

/// Empty when the test did not reach its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct End<'a> {
    #[serde(flatten)]
    results: Option<Results<'a>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Results<'a> {
    streams: Vec<Stream<'a>>,
    #[serde(flatten)]
    forward: Option<Sums>,
    #[serde(flatten)]
    reverse: Option<ReverseSums>,
    cpu_utilization_percent: CpuPercent,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender_tcp_congestion: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver_tcp_congestion: Option<&'a str>,
    nettest: nettest::End<'a>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(
    clippy::large_enum_variant,
    reason = "every element of a document is of the same variant"
)]
enum Stream<'a> {
    Tcp {
        sender: Row,
        #[serde(skip_serializing_if = "Option::is_none")]
        diskfile: Option<File<'a>>,
        receiver: Row,
    },
    Udp {
        udp: Row,
    },
}

/// With `-F` at this end. Percent are whole numbers, as iperf3's.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct File<'a> {
    sent: Option<u64>,
    received: Option<u64>,
    size: Option<u64>,
    percent_sent: Option<u64>,
    percent_received: Option<u64>,
    filename: &'a str,
}

/// The first flow of the test.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Sums {
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Row>,
    sum_sent: Row,
    sum_received: Row,
}

/// The second flow of a bidirectional test.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ReverseSums {
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_bidir_reverse: Option<Row>,
    sum_sent_bidir_reverse: Row,
    sum_received_bidir_reverse: Row,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<i32>,
    start: Num,
    end: Num,
    seconds: Num,
    bytes: Option<u64>,
    bits_per_second: Option<Num>,
    #[serde(flatten)]
    retransmits: Option<Retransmits>,
    #[serde(flatten)]
    tcp: Option<Tcp>,
    #[serde(flatten)]
    udp: Option<Udp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_order: Option<Option<u64>>,
    sender: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Retransmits {
    retransmits: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tcp {
    reorder: Option<u32>,
    max_snd_cwnd: Option<u64>,
    max_snd_wnd: Option<u64>,
    max_rtt: Option<u32>,
    min_rtt: Option<u32>,
    mean_rtt: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Udp {
    jitter_ms: Option<Num>,
    lost_packets: Option<u64>,
    packets: Option<u64>,
    lost_percent: Option<Num>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct CpuPercent {
    host_total: Option<Num>,
    host_user: Option<Num>,
    host_system: Option<Num>,
    remote_total: Option<Num>,
    remote_user: Option<Num>,
    remote_system: Option<Num>,
}

impl<'a> End<'a> {
    pub fn of(report: &'a Report) -> Self {
        End {
            results: report.end.as_ref().map(|end| Results::of(report, end)),
        }
    }

    /// What is left when single streams are not told.
    pub(super) fn drop_streams(&mut self) {
        if let Some(results) = &mut self.results {
            results.streams.clear();
            results.nettest.drop_streams();
        }
    }
}

impl<'a> Results<'a> {
    fn of(report: &'a Report, end: &'a report::End) -> Self {
        let role = report.role;
        let mut flows = FlowEnd::of(end).into_iter();
        let sends = end.streams.iter().any(|s| s.sender);
        // A server names only its own end's algorithm: that of its sockets (iperf3's keys).
        let (shows_sender, shows_receiver) = match role {
            Role::Client => (true, true),
            Role::Server => (sends, !sends),
        };
        Results {
            streams: end.streams.iter().map(|s| Stream::of(report, s)).collect(),
            forward: flows.next().map(|flow| Sums::of(role, &flow)),
            reverse: flows.next().map(|flow| {
                let Sums {
                    sum,
                    sum_sent,
                    sum_received,
                } = Sums::of(role, &flow);
                ReverseSums {
                    sum_bidir_reverse: sum,
                    sum_sent_bidir_reverse: sum_sent,
                    sum_received_bidir_reverse: sum_received,
                }
            }),
            cpu_utilization_percent: CpuPercent::of(end.local_cpu, end.remote_cpu),
            sender_tcp_congestion: end.sender_congestion.as_deref().filter(|_| shows_sender),
            receiver_tcp_congestion: end
                .receiver_congestion
                .as_deref()
                .filter(|_| shows_receiver),
            nettest: nettest::End::of(report, end),
        }
    }
}

impl<'a> Stream<'a> {
    fn of(report: &'a Report, stream: &StreamEnd) -> Self {
        let role = report.role;
        if let Some(udp) = &stream.udp {
            return Stream::Udp {
                udp: Row {
                    socket: Some(stream.socket),
                    udp: Some(Udp::of(udp, udp.packets_sent.or(udp.packets_received))),
                    out_of_order: Some(udp.out_of_order),
                    ..Row::of(&stream.sent, stream.sender)
                },
            };
        }
        let detail = stream
            .tcp
            .filter(|t| shows_sender_detail(role, stream.sender, t.retransmits));
        Stream::Tcp {
            sender: Row {
                socket: Some(stream.socket),
                retransmits: detail.map(|t| Retransmits {
                    retransmits: t.retransmits,
                }),
                tcp: detail.map(|t| Tcp::of(&t)),
                ..Row::of(&stream.sent, stream.sender)
            },
            diskfile: report.file.as_ref().map(|file| File::of(file, stream)),
            receiver: Row {
                socket: Some(stream.socket),
                ..Row::of(&stream.received, stream.sender)
            },
        }
    }
}

impl<'a> File<'a> {
    fn of(file: &'a DiskFile, stream: &StreamEnd) -> Self {
        let (sent, received) = (stream.sent.bytes, stream.received.bytes);
        File {
            sent,
            received,
            size: file.size,
            percent_sent: file.percent(sent),
            percent_received: file.percent(received),
            filename: &file.name,
        }
    }
}

impl Sums {
    fn of(role: Role, flow: &FlowEnd) -> Self {
        let Some(udp) = &flow.udp else {
            return Sums {
                sum: None,
                sum_sent: Row {
                    retransmits: (flow.retransmits.is_some()
                        && shows_sender_detail(role, flow.sender, flow.retransmits))
                    .then_some(Retransmits {
                        retransmits: flow.retransmits,
                    }),
                    ..Row::of(&flow.sent, flow.sender)
                },
                sum_received: Row::of(&flow.received, flow.sender),
            };
        };
        // A sender has no jitter and misses nothing: iperf3 prints zeros there.
        let as_sender = UdpEnd {
            jitter_seconds: Some(0.0),
            lost: Some(0),
            ..*udp
        };
        Sums {
            sum: Some(Row {
                udp: Some(Udp::of(udp, udp.packets_sent.or(udp.packets_received))),
                ..Row::of(&flow.sent, flow.sender)
            }),
            sum_sent: Row {
                udp: Some(Udp::of(&as_sender, udp.packets_sent)),
                ..Row::of(&flow.sent, true)
            },
            sum_received: Row {
                udp: Some(Udp::of(udp, udp.packets_received)),
                ..Row::of(&flow.received, false)
            },
        }
    }
}

impl Row {
    fn of(totals: &Totals, sender: bool) -> Self {
        Row {
            socket: None,
            start: Num::seconds(totals.start),
            end: Num::seconds(totals.end),
            seconds: Num::seconds(totals.seconds()),
            bytes: totals.bytes,
            bits_per_second: totals.bits_per_second().map(Num),
            retransmits: None,
            tcp: None,
            udp: None,
            out_of_order: None,
            sender,
        }
    }
}

impl Tcp {
    fn of(tcp: &TcpEnd) -> Self {
        Tcp {
            reorder: tcp.reorder,
            max_snd_cwnd: tcp.max_snd_cwnd,
            max_snd_wnd: tcp.max_snd_wnd,
            max_rtt: tcp.max_rtt_us,
            min_rtt: tcp.min_rtt_us,
            mean_rtt: tcp.mean_rtt_us,
        }
    }
}

impl Udp {
    fn of(udp: &UdpEnd, packets: Option<u64>) -> Self {
        Udp {
            jitter_ms: udp.jitter_seconds.map(|s| Num(s * 1e3)),
            lost_packets: udp.lost,
            packets,
            lost_percent: udp
                .lost
                .zip(packets)
                .map(|(lost, packets)| Num(lost_percent(lost, packets))),
        }
    }
}

impl CpuPercent {
    fn of(local: Option<Cpu>, remote: Option<Cpu>) -> Self {
        CpuPercent {
            host_total: local.map(|c| Num(c.total)),
            host_user: local.map(|c| Num(c.user)),
            host_system: local.map(|c| Num(c.system)),
            remote_total: remote.map(|c| Num(c.total)),
            remote_user: remote.map(|c| Num(c.user)),
            remote_system: remote.map(|c| Num(c.system)),
        }
    }
}
