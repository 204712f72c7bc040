//! A report as iperf3 prints it, piece by piece. Pure: the observer decides where the pieces go.

use super::row::{Columns, Header, Row, SEPARATOR, Who, role_mark};
use super::summary;
use crate::session::Turn;
use nettest_report::params::{Direction, Limit, Protocol};
use nettest_report::report::{Interval, Report, Role, StreamInterval, UdpInterval};
use nettest_report::sums::{FlowInterval, bits_per_second};
use nettest_report::units::Format;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub format: Format,
    pub verbose: bool,
}

/// The lines that `-V` begins with.
pub fn about(version: &str, system_info: &str) -> String {
    format!("{version}\n{system_info}\n")
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
    if style.verbose && client {
        out += &about(&start.version, &start.system_info);
        if let Some(mss) = start.control_mss {
            out += &format!("Control connection MSS {mss}\n");
        }
        if report.is_udp() && params.block_size.is_none() {
            out += &format!("Setting UDP block size to {}\n", start.block_size);
        }
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
            _ if params.protocol != Protocol::Tcp => {}
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
            params.protocol.name(),
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
        out += &Header::of_rows(report, interval).line(bidirectional);
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

/// Before each test of several variants.
pub fn turn(turn: Turn<'_>) -> String {
    let Turn {
        variant,
        variants: _,
        repeat,
        repeats,
    } = turn;
    match repeat {
        extra if extra > repeats => {
            format!("Variant {variant}, repeat {extra}: its rates lie too far apart\n")
        }
        repeat => format!("Variant {variant}, repeat {repeat} of {repeats}\n"),
    }
}

/// A server's whole report, as a client gets it with `--get-server-output`.
pub fn server_report(report: &Report, style: Style) -> String {
    let mut out = accepted(&report.start.peer_host, report.start.peer_port);
    out += &start(report, style);
    for (n, one) in report.intervals.iter().enumerate() {
        out += &interval(report, one, n == 0, style);
    }
    out + &summary::end(report, style)
}
