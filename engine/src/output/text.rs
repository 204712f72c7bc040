//! A report as iperf3 prints it, piece by piece. Pure: the observer decides where the pieces go.

use super::row::{Columns, Header, Row, SEPARATOR, Who, role_mark};
use nettest_report::params::{Direction, Limit};
use nettest_report::report::{
    End, Flow, Interval, Report, Role, ServerOutput, StreamEnd, StreamInterval, UdpInterval,
};
use nettest_report::sums::{FlowEnd, FlowInterval, bits_per_second};
use nettest_report::units::Format;
use std::fmt::Write;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub format: Format,
    pub verbose: bool,
}

/// The server's banner before each test.
pub fn banner(port: u16, test_number: u64) -> String {
    let rule = "-".repeat(59);
    format!("{rule}\nServer listening on {port} (test #{test_number})\n{rule}\n")
}

pub fn accepted(host: &str, port: u16) -> String {
    format!("Accepted connection from {host}, port {port}\n")
}

/// Up to the first row. A server's accepted-connection line is [`accepted`].
pub fn start(report: &Report, style: Style) -> String {
    let (start, params) = (&report.start, &report.params);
    let mut out = String::new();
    let client = report.role == Role::Client;
    if style.verbose {
        out += &format!("{}\n{}\n", start.version, start.system_info);
        out += &format!("Time: {}\n", report.start_date());
    }
    if client {
        out += &format!(
            "Connecting to host {}, port {}\n",
            start.peer_host, start.peer_port
        );
        if params.direction == Direction::Reverse {
            out += &format!("Reverse mode, remote host {} is sending\n", start.peer_host);
        }
    }
    if style.verbose {
        out += &format!("      Cookie: {}\n", start.cookie);
        match (params.mss, start.tcp_mss) {
            _ if report.is_udp() => {}
            (Some(asked), _) => out += &format!("      TCP MSS: {asked}\n"),
            (None, Some(mss)) => out += &format!("      TCP MSS: {mss} (default)\n"),
            (None, None) => {}
        }
        if let Some(rate) = params.bitrate {
            out += &format!("      Target Bitrate: {rate}\n");
        }
    }
    for c in &start.connected {
        out += &format!(
            "[{:3}] local {} port {} connected to {} port {}\n",
            c.socket, c.local_host, c.local_port, c.remote_host, c.remote_port
        );
    }
    if style.verbose {
        let limit = match params.limit {
            Limit::Time(time) => format!("{} second test", time.as_secs_f64()),
            Limit::Bytes(bytes) => format!("{bytes} bytes to send"),
            Limit::Blocks(blocks) => format!("{blocks} blocks to send"),
        };
        out += &format!(
            "Starting Test: protocol: {}, {} streams, {} byte blocks, omitting {} seconds, {limit}, tos {}\n",
            if report.is_udp() { "UDP" } else { "TCP" },
            params.streams,
            start.block_size,
            params.omit.as_secs_f64(),
            params.tos
        );
    }
    out
}

/// The rows of one interval; the first brings the header.
pub fn interval(report: &Report, interval: &Interval, first: bool, style: Style) -> String {
    let mut out = String::new();
    let bidirectional = report.params.direction == Direction::Bidirectional;
    if first {
        out += &Header::of_intervals(report).line(bidirectional);
    } else if report.params.streams > 1 {
        out += SEPARATOR;
    }
    for sum in FlowInterval::of(interval) {
        for row in interval.streams.iter().filter(|s| s.flow == sum.flow) {
            out += &stream_row(report, row, style);
        }
        if report.params.streams > 1 {
            out += &sum_row(report, &sum, style);
        }
    }
    out
}

fn stream_row(report: &Report, s: &StreamInterval, style: Style) -> String {
    let columns = match (s.udp, s.retransmits, s.tcp) {
        (Some(udp), ..) => datagrams(report, &udp, s.sender),
        (None, Some(retransmits), Some(tcp)) => Columns::RetransmitsAndWindow {
            retransmits,
            window: tcp.snd_cwnd_bytes,
        },
        (None, Some(retransmits), None) => Columns::Retransmits(retransmits),
        (None, None, _) => Columns::None,
    };
    let row = Row {
        who: Who::Stream(s.socket),
        role: role_mark(report, s.sender),
        start: s.start,
        end: s.end,
    };
    let rate = bits_per_second(s.bytes, s.end - s.start);
    row.line(s.bytes, rate, style.format, columns, omitted(s.omitted))
}

fn sum_row(report: &Report, sum: &FlowInterval, style: Style) -> String {
    let columns = match (sum.udp, sum.retransmits) {
        (Some(udp), _) => datagrams(report, &udp, sum.sender),
        (None, Some(retransmits)) => Columns::Retransmits(retransmits),
        (None, None) => Columns::None,
    };
    let row = Row {
        who: Who::Sum,
        role: role_mark(report, sum.sender),
        start: sum.start,
        end: sum.end,
    };
    row.line(
        sum.bytes,
        sum.bits_per_second(),
        style.format,
        columns,
        omitted(sum.omitted),
    )
}

fn datagrams(report: &Report, udp: &UdpInterval, sender: bool) -> Columns {
    match (sender, udp.lost, udp.jitter_seconds) {
        (false, Some(lost), Some(jitter_seconds)) => Columns::Received {
            jitter_seconds,
            lost,
            datagrams: udp.packets,
        },
        _ => Columns::Sent {
            datagrams: udp.packets,
            aligned: report.params.direction == Direction::Bidirectional,
        },
    }
}

fn omitted(omitted: bool) -> &'static str {
    if omitted { "(omitted)" } else { "" }
}

/// The summary and what follows it. Empty when the test has no figures.
pub fn end(report: &Report, style: Style) -> String {
    let Some(end) = &report.end else {
        return String::new();
    };
    let mut out = SEPARATOR.to_owned();
    if style.verbose {
        out += if report.error.is_none() {
            "Test Complete. Summary Results:\n"
        } else {
            "Test cut short. Partial Results:\n"
        };
    }
    let shows = |sender: bool| report.role == Role::Client || sender;
    let counts = end
        .streams
        .iter()
        .any(|s| shows(s.sender) && s.tcp.is_some_and(|t| t.retransmits.is_some()));
    let header = match (report.is_udp(), counts) {
        (true, _) => Header::Received,
        (false, true) => Header::Retransmits,
        (false, false) => Header::Plain,
    };
    out += &header.line(report.params.direction == Direction::Bidirectional);
    for flow in FlowEnd::of(end) {
        for stream in end.streams.iter().filter(|s| s.flow == flow.flow) {
            out += &summary(
                report,
                Who::Stream(stream.socket),
                &of_stream(stream),
                style,
            );
        }
        if report.params.streams > 1 {
            out += &summary(report, Who::Sum, &flow, style);
        }
    }
    if style.verbose {
        out += &cpu_and_congestion(report, end);
    }
    if let Some(output) = &report.server_output {
        let text = match output {
            ServerOutput::Text(text) => text.clone(),
            ServerOutput::Json(value) => format!("{value:#}\n"),
        };
        out += &format!("\nServer output:\n{text}\n");
    }
    out
}

/// What ends a client's whole test.
pub fn done() -> &'static str {
    "\niperf Done.\n"
}

fn of_stream(s: &StreamEnd) -> FlowEnd {
    FlowEnd {
        flow: s.flow,
        sender: s.sender,
        sent: s.sent,
        received: s.received,
        retransmits: s.tcp.and_then(|t| t.retransmits),
        mean_rtt_us: s.tcp.and_then(|t| t.mean_rtt_us),
        udp: s.udp,
    }
}

/// The sender's and the receiver's row. A server shows its own side only (iperf3).
fn summary(report: &Report, who: Who, flow: &FlowEnd, style: Style) -> String {
    let mut out = String::new();
    let client = report.role == Role::Client;
    let role = role_mark(report, flow.sender);
    if client || flow.sender {
        let row = Row {
            who,
            role,
            start: flow.sent.start,
            end: flow.sent.end,
        };
        let columns = match (flow.udp, flow.retransmits) {
            (Some(udp), _) => Some(Columns::Received {
                jitter_seconds: 0.0,
                lost: 0,
                datagrams: udp.packets_sent.unwrap_or(0),
            }),
            (None, Some(retransmits)) => Some(Columns::Retransmits(retransmits)),
            (None, None) => Some(Columns::None),
        };
        out += &figures(
            &row,
            flow.sent.bytes,
            flow.sent.seconds(),
            columns,
            "sender",
            style,
        );
    }
    if client || !flow.sender {
        let row = Row {
            who,
            role,
            start: flow.received.start,
            end: flow.received.end,
        };
        let columns = match flow.udp {
            None => Some(Columns::None),
            Some(udp) => udp
                .lost
                .zip(udp.jitter_seconds)
                .map(|(lost, jitter_seconds)| Columns::Received {
                    jitter_seconds,
                    lost,
                    datagrams: udp.packets_received.or(udp.packets_sent).unwrap_or(0),
                }),
        };
        out += &figures(
            &row,
            flow.received.bytes,
            flow.received.seconds(),
            columns,
            "receiver",
            style,
        );
        let udp = flow.udp.unwrap_or_default();
        for (count, what) in [
            (udp.out_of_order, "datagrams received out-of-order"),
            (udp.duplicates, "duplicate datagrams"),
            (
                udp.socket_drops,
                "datagrams dropped by the receiver's own socket buffer",
            ),
        ] {
            if let Some(count) = count.filter(|&n| n > 0) {
                out += &row.words(&format!("{count} {what}"));
            }
        }
    }
    out
}

fn figures(
    row: &Row,
    bytes: Option<u64>,
    seconds: f64,
    columns: Option<Columns>,
    whose: &str,
    style: Style,
) -> String {
    match (bytes, columns) {
        (Some(bytes), Some(columns)) => row.line(
            bytes,
            bits_per_second(bytes, seconds),
            style.format,
            columns,
            whose,
        ),
        _ => row.unavailable(whose),
    }
}

fn cpu_and_congestion(report: &Report, end: &End) -> String {
    let mut out = String::new();
    let side = |sends: bool, receives: bool| match (sends, receives) {
        (true, true) => "sender+receiver",
        (true, false) => "sender",
        _ => "receiver",
    };
    let has = |flow: Flow| Flow::of(report.params.direction).contains(&flow);
    let (up, down) = (has(Flow::ClientToServer), has(Flow::ServerToClient));
    let (local, remote) = match report.role {
        Role::Client => (side(up, down), side(down, up)),
        Role::Server => (side(down, up), side(up, down)),
    };
    if let (Some(l), Some(r)) = (end.local_cpu, end.remote_cpu) {
        let _ = writeln!(
            out,
            "CPU Utilization: local/{local} {:.1}% ({:.1}%u/{:.1}%s), remote/{remote} {:.1}% ({:.1}%u/{:.1}%s)",
            l.total, l.user, l.system, r.total, r.user, r.system
        );
    }
    if let Some(name) = &end.sender_congestion {
        let _ = writeln!(out, "snd_tcp_congestion {name}");
    }
    if let Some(name) = &end.receiver_congestion {
        let _ = writeln!(out, "rcv_tcp_congestion {name}");
    }
    out
}

/// A server's whole report, as a client gets it with `--get-server-output`.
pub fn server_report(report: &Report, style: Style) -> String {
    let mut out = accepted(&report.start.peer_host, report.start.peer_port);
    out += &start(report, style);
    for (n, one) in report.intervals.iter().enumerate() {
        out += &interval(report, one, n == 0, style);
    }
    out + &end(report, style)
}
