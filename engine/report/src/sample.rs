//! Literal reports for tests. Shared by path with the engine's tests of its writers.

use nettest_report::params::{Direction, Limit, Protocol, TestParams};
use nettest_report::report::{
    Connected, Cpu, End, Flow, HostFacts, Interval, Report, Role, Start, StreamEnd, StreamInterval,
    TcpEnd, TcpSample, Totals, UdpEnd, UdpInterval,
};
use std::time::Duration;

pub const SENT_BYTES: u64 = 2_490_368;
pub const RECEIVED_BYTES: u64 = 2_457_600;
pub const LOST: u64 = 1;
pub const JITTER_SECONDS: f64 = 0.000_025;

/// A test of two seconds after one omitted: three intervals.
pub fn report(protocol: Protocol, direction: Direction, role: Role, streams: u16) -> Report {
    let udp = protocol == Protocol::Udp;
    let params = TestParams {
        protocol,
        direction,
        streams,
        limit: Limit::Time(Duration::from_secs(2)),
        omit: Duration::from_secs(1),
        bitrate: Some(10_000_000),
        ..TestParams::default()
    };
    let members = members(direction, role, streams);
    let start = Start {
        connected: members
            .iter()
            .map(|m| Connected {
                socket: m.socket,
                local_host: "127.0.0.1".to_owned(),
                local_port: match role {
                    Role::Client => 40000 + m.socket as u16,
                    Role::Server => 5201,
                },
                remote_host: "127.0.0.1".to_owned(),
                remote_port: match role {
                    Role::Client => 5201,
                    Role::Server => 40000 + m.socket as u16,
                },
            })
            .collect(),
        version: "nettest 0.1.0".to_owned(),
        system_info: "Linux node-a 6.12.0 #1 SMP x86_64".to_owned(),
        time_unix_micros: 1_796_055_708_123_456,
        peer_host: "127.0.0.1".to_owned(),
        peer_port: match role {
            Role::Client => 5201,
            Role::Server => 39_999,
        },
        cookie: "yuggdsgzskz4qebayh7nxd3wcqfauwy45cs4".to_owned(),
        tcp_mss: (!udp).then_some(32_768),
        control_mss: Some(32_768),
        block_size: if udp { 32_768 } else { 131_072 },
        sndbuf_actual: Some(16_384),
        rcvbuf_actual: Some(131_072),
    };
    Report {
        role,
        params,
        start,
        intervals: [(0.0, 1.0, true), (0.0, 1.0, false), (1.0, 2.0, false)]
            .map(|(start, end, omitted)| Interval {
                streams: members
                    .iter()
                    .map(|m| row(m, protocol, start, end, omitted))
                    .collect(),
            })
            .to_vec(),
        end: Some(end(protocol, direction, role, streams)),
        error: None,
        server_output: None,
        file: None,
        host: HostFacts::default(),
        peer_host: None,
    }
}

pub fn end(protocol: Protocol, direction: Direction, role: Role, streams: u16) -> End {
    let udp = protocol == Protocol::Udp;
    let cpu = Cpu {
        total: 33.9,
        user: 0.1,
        system: 33.8,
    };
    End {
        streams: members(direction, role, streams)
            .iter()
            .map(|m| StreamEnd {
                socket: m.socket,
                id: m.id,
                flow: m.flow,
                sender: m.sender,
                sent: Totals {
                    start: 0.0,
                    end: 2.0,
                    bytes: Some(SENT_BYTES),
                },
                received: Totals {
                    start: 0.0,
                    end: 2.000_25,
                    bytes: Some(RECEIVED_BYTES),
                },
                tcp: (!udp).then(|| TcpEnd {
                    retransmits: Some(3),
                    max_snd_cwnd: m.sender.then_some(1_178_694),
                    max_snd_wnd: m.sender.then_some(328_704),
                    max_rtt_us: m.sender.then_some(124),
                    min_rtt_us: m.sender.then_some(114),
                    mean_rtt_us: m.sender.then_some(118),
                    reorder: None,
                }),
                udp: udp.then_some(UdpEnd {
                    packets_sent: Some(76),
                    packets_received: Some(76),
                    lost: Some(LOST),
                    out_of_order: Some(0),
                    duplicates: Some(0),
                    jitter_seconds: Some(JITTER_SECONDS),
                    socket_drops: None,
                }),
            })
            .collect(),
        local_cpu: Some(cpu),
        remote_cpu: Some(Cpu {
            total: 39.3,
            user: 0.6,
            system: 38.7,
        }),
        sender_congestion: (!udp).then(|| "cubic".to_owned()),
        receiver_congestion: (!udp).then(|| "cubic".to_owned()),
    }
}

struct Member {
    socket: i32,
    id: i32,
    flow: Flow,
    sender: bool,
}

fn members(direction: Direction, role: Role, streams: u16) -> Vec<Member> {
    let mut members = Vec::new();
    for &flow in Flow::of(direction) {
        for _ in 0..streams {
            let n = members.len() as i32;
            members.push(Member {
                socket: 5 + 2 * n,
                // iperf3 skips 2.
                id: if n == 0 { 1 } else { n + 2 },
                flow,
                sender: flow.sends(role),
            });
        }
    }
    members
}

fn row(m: &Member, protocol: Protocol, start: f64, end: f64, omitted: bool) -> StreamInterval {
    let udp = protocol == Protocol::Udp;
    StreamInterval {
        socket: m.socket,
        flow: m.flow,
        sender: m.sender,
        start,
        end,
        bytes: 1_310_720,
        omitted,
        tcp: (!udp && m.sender).then_some(TcpSample {
            snd_cwnd_bytes: 1_178_694,
            snd_wnd_bytes: Some(328_704),
            rtt_us: 117,
            rttvar_us: 21,
            pmtu: 65_535,
            reorder: None,
        }),
        retransmits: (!udp && m.sender).then_some(1),
        udp: udp.then(|| UdpInterval {
            packets: 38,
            lost: (!m.sender).then_some(LOST),
            jitter_seconds: (!m.sender).then_some(JITTER_SECONDS),
            out_of_order: (!m.sender).then_some(0),
        }),
    }
}
