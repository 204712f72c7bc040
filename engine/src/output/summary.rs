//! The summary at the end of a test, and what follows it.

use super::addenda;
use super::row::{Columns, Header, Row, SEPARATOR, Who, role_mark};
use super::text::Style;
use nettest_report::params::Direction;
use nettest_report::report::{Report, Role, ServerOutput, StreamEnd};
use nettest_report::sums::{FlowEnd, bits_per_second};
use nettest_report::units::transfer;

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
            out += &file(report, stream);
        }
        if report.params.streams > 1 {
            out += &summary(report, Who::Sum, &flow, style);
        }
    }
    out += &addenda::of(report, end, style.verbose);
    if let Some(output) = &report.server_output {
        let text = match output {
            ServerOutput::Text(text) => text.clone(),
            ServerOutput::Json(value) => format!("{value:#}\n"),
        };
        out += &format!("\nServer output:\n{text}\n");
    }
    out
}

/// What this end read from, or wrote to, the file of `-F`. (iperf3 says "Sent" at both ends.)
fn file(report: &Report, stream: &StreamEnd) -> String {
    let Some(file) = &report.file else {
        return String::new();
    };
    let (did, bytes) = match stream.sender {
        true => ("Sent", stream.sent.bytes),
        false => ("Received", stream.received.bytes),
    };
    let moved = bytes.map_or_else(|| "?".to_owned(), transfer);
    let of = match (file.size, file.percent(bytes)) {
        (Some(size), Some(percent)) => format!(" / {} ({percent}%)", transfer(size)),
        _ => String::new(),
    };
    format!("        {did} {moved}{of} of {}\n", file.name)
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
        fairness: None,
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
