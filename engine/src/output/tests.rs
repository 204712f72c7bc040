//! What a user sees, from literal reports.
//!
//! - [`measurements`]: the measurement stream and its digest
//! - [`schema`]: the published schema
//! - [`sink`]: outputs that cannot be written

mod backlog;
mod measurements;
mod schema;
mod sink;

use super::text::{self, Style};
use super::*;
use crate::cli::{OutputConfig, OutputKind, RunLabel};
use crate::session::Observer;
use nettest_report::digest::{FailureReason, MAX_DIGEST_BYTES, Outcome};
use nettest_report::event::Event;
use nettest_report::params::{Direction, Limit, Protocol};
use nettest_report::report::{HostFacts, Report, Role};
use nettest_report::units::Format;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// A whole run of an observer over a report, and what it wrote.
fn watch(report: &Report, observe: impl FnOnce(&Sink) -> Box<dyn Observer>) -> String {
    let (sink, seen) = memory();
    let mut observer = observe(&sink);
    replay(report, observer.as_mut());
    seen.text()
}

fn replay(report: &Report, observer: &mut dyn Observer) {
    let mut so_far = Report {
        intervals: Vec::new(),
        end: None,
        error: None,
        ..report.clone()
    };
    if report.role == Role::Server {
        observer.listening(5201, 1);
        observer.accepted(([127, 0, 0, 1], report.start.peer_port).into());
    }
    if !report.start.connected.is_empty() {
        observer.started(&so_far);
    }
    for interval in &report.intervals {
        so_far.intervals.push(interval.clone());
        observer.interval(&so_far, interval);
    }
    observer.finished(report);
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn memory() -> (Sink, Memory) {
    let memory = Memory::default();
    (Sink::new(Box::new(memory.clone())), memory)
}

fn text_of(protocol: Protocol, direction: Direction, role: Role, streams: u16) -> String {
    let report = sample::report(protocol, direction, role, streams);
    // Trailing blanks are part of iperf3's rows: make them visible.
    watch(&report, |sink| observer::of(&OutputConfig::default(), sink))
        .lines()
        .map(|line| format!("{line}|\n"))
        .collect()
}

#[test]
fn a_tcp_client_prints_iperf3s_rows() {
    insta::assert_snapshot!(text_of(Protocol::Tcp, Direction::Forward, Role::Client, 1));
}

#[test]
fn a_tcp_server_prints_its_banner_and_its_own_side() {
    insta::assert_snapshot!(text_of(Protocol::Tcp, Direction::Forward, Role::Server, 1));
}

#[test]
fn parallel_streams_have_sums_and_separators() {
    insta::assert_snapshot!(text_of(Protocol::Tcp, Direction::Reverse, Role::Client, 2));
}

#[test]
fn a_bidirectional_test_names_roles() {
    insta::assert_snapshot!(text_of(
        Protocol::Tcp,
        Direction::Bidirectional,
        Role::Server,
        2
    ));
}

#[test]
fn a_udp_client_counts_datagrams() {
    insta::assert_snapshot!(text_of(Protocol::Udp, Direction::Forward, Role::Client, 2));
}

#[test]
fn udp_both_ways_keeps_its_columns() {
    insta::assert_snapshot!(text_of(
        Protocol::Udp,
        Direction::Bidirectional,
        Role::Client,
        1
    ));
}

#[test]
fn verbose_says_what_ran_and_what_it_cost() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.intervals.clear();
    let style = Style {
        verbose: true,
        format: Format::Bytes(2),
    };
    insta::assert_snapshot!(
        text::start(&report, style) + &summary::end(&report, style) + summary::done()
    );
    report.params.limit = Limit::Bytes(5);
    assert!(text::start(&report, style).contains("5 bytes to send"));
}

#[test]
fn a_file_has_a_row_of_its_own() {
    use nettest_report::report::DiskFile;
    for (role, size, row) in [
        (
            Role::Client,
            Some(2 * sample::SENT_BYTES),
            "        Sent 2.38 MBytes / 4.75 MBytes (50%) of data",
        ),
        (Role::Client, None, "        Sent 2.38 MBytes of data"),
        (
            Role::Server,
            Some(sample::RECEIVED_BYTES),
            "        Received 2.34 MBytes / 2.34 MBytes (100%) of data",
        ),
    ] {
        let mut report = sample::report(Protocol::Tcp, Direction::Forward, role, 1);
        report.file = Some(DiskFile {
            name: "data".to_owned(),
            size,
        });
        let seen = watch(&report, |sink| observer::of(&OutputConfig::default(), sink));
        assert!(seen.lines().any(|line| line == row), "{row}:\n{seen}");
    }
}

/// Rows of the stock tool (3.12), taken from real runs.
#[test]
fn rows_are_byte_for_byte_iperf3s() {
    let ours = |protocol, direction, streams| {
        watch(
            &sample::report(protocol, direction, Role::Client, streams),
            |sink| observer::of(&OutputConfig::default(), sink),
        )
    };
    let tcp = ours(Protocol::Tcp, Direction::Forward, 1);
    for line in [
        "Connecting to host 127.0.0.1, port 5201",
        "[  5] local 127.0.0.1 port 40005 connected to 127.0.0.1 port 5201",
        "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd",
        "[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    1   1.12 MBytes       (omitted)",
        "[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    1   1.12 MBytes       ",
        "- - - - - - - - - - - - - - - - - - - - - - - - -",
        "[ ID] Interval           Transfer     Bitrate         Retr",
        "[  5]   0.00-2.00   sec  2.38 MBytes  9.96 Mbits/sec    3             sender",
        "[  5]   0.00-2.00   sec  2.34 MBytes  9.83 Mbits/sec                  receiver",
        "iperf Done.",
    ] {
        assert!(tcp.lines().any(|l| l == line), "{line:?} in\n{tcp}");
    }
    let tcp = ours(Protocol::Tcp, Direction::Bidirectional, 4);
    for line in [
        "[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd",
        "[SUM][TX-C]   0.00-1.00   sec  5.00 MBytes  41.9 Mbits/sec    4             ",
        "[SUM][RX-C]   0.00-1.00   sec  5.00 MBytes  41.9 Mbits/sec                  (omitted)",
    ] {
        assert!(tcp.lines().any(|l| l == line), "{line:?} in\n{tcp}");
    }
    let udp = ours(Protocol::Udp, Direction::Bidirectional, 1);
    for line in [
        "[  5][TX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec            38  ",
        "[  7][RX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  0.025 ms  1/38 (2.6%)  (omitted)",
        "[  5][TX-C]   0.00-2.00   sec  2.38 MBytes  9.96 Mbits/sec  0.000 ms  0/76 (0%)  sender",
    ] {
        assert!(udp.lines().any(|l| l == line), "{line:?} in\n{udp}");
    }
}

#[test]
fn figures_that_never_came_are_said_to_be_missing() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    if let Some(end) = &mut report.end {
        end.streams[0].received.bytes = None;
    }
    report.error = Some("interrupted by SIGINT".to_owned());
    let seen = watch(&report, |sink| observer::of(&OutputConfig::default(), sink));
    assert!(seen.contains("[  5] (receiver statistics not available)\n"));
    assert!(seen.contains("  sender\n"), "{seen}");
    assert!(!seen.contains("iperf Done."));
}

#[test]
fn out_of_order_and_duplicates_get_a_row_only_when_there_are_some() {
    let mut report = sample::report(Protocol::Udp, Direction::Reverse, Role::Client, 1);
    let quiet = watch(&report, |sink| observer::of(&OutputConfig::default(), sink));
    assert!(!quiet.contains("out-of-order"));
    if let Some(udp) = report.end.as_mut().and_then(|e| e.streams[0].udp.as_mut()) {
        udp.out_of_order = Some(40);
        udp.duplicates = Some(5);
    }
    let seen = watch(&report, |sink| observer::of(&OutputConfig::default(), sink));
    assert!(
        seen.contains("[  5]   0.00-2.00   sec  40 datagrams received out-of-order\n"),
        "{seen}"
    );
    assert!(seen.contains("  5 duplicate datagrams\n"));
}

#[test]
fn a_title_stands_before_every_line() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.params.title = Some("rack a".to_owned());
    let seen = watch(&report, |sink| observer::of(&OutputConfig::default(), sink));
    assert!(
        seen.lines().all(|line| line.starts_with("rack a:  ")),
        "{seen}"
    );
}

fn output(kind: OutputKind) -> OutputConfig {
    OutputConfig {
        kind,
        ..OutputConfig::default()
    }
}

/// Field reports 042, 044: exactly one value on stdout, also on failure.
#[test]
fn reports_042_044_json_is_one_document() {
    for role in [Role::Client, Role::Server] {
        let mut report = sample::report(Protocol::Udp, Direction::Bidirectional, role, 4);
        for error in [None, Some("the control connection was closed".to_owned())] {
            report.error = error.clone();
            let seen = watch(&report, |sink| {
                observer::of(&output(OutputKind::Json), sink)
            });
            let values: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&seen)
                .into_iter()
                .collect::<Result<_, _>>()
                .unwrap();
            assert_eq!(values.len(), 1);
            assert_eq!(
                values[0].get("error").and_then(|e| e.as_str()),
                error.as_deref()
            );
            assert!(seen.ends_with("}\n"));
        }
    }
}

/// Field report 051: a line as soon as there is something to say.
#[test]
fn report_051_json_stream_writes_a_line_an_event() {
    let report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 2);
    let seen = watch(&report, |sink| {
        observer::of(&output(OutputKind::JsonStream { full: false }), sink)
    });
    let events: Vec<String> = seen
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["event"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(events, ["start", "interval", "interval", "interval", "end"]);
}

/// Field report 050: the whole report, the end section too.
#[test]
fn report_050_a_server_gives_its_report_as_text_or_as_an_object() {
    use nettest_report::report::ServerOutput;
    let report = sample::report(Protocol::Tcp, Direction::Forward, Role::Server, 1);
    let (sink, _) = memory();
    let Some(ServerOutput::Text(text)) =
        observer::of(&output(OutputKind::Text), &sink).server_output(&report)
    else {
        panic!("no text");
    };
    assert!(text.starts_with("Accepted connection from 127.0.0.1, port 39999\n"));
    assert!(text.ends_with("receiver\n"), "{text}");
    let Some(ServerOutput::Json(value)) =
        observer::of(&output(OutputKind::Json), &sink).server_output(&report)
    else {
        panic!("no object");
    };
    assert!(value["end"]["sum_received"]["bytes"].is_u64());
}

#[test]
fn a_peers_words_do_not_steer_the_terminal() {
    use nettest_report::report::ServerOutput;
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.server_output = Some(ServerOutput::Text(
        "\x1b[2Jrow\tone\r\x07\n\u{9b}31m\n".to_owned(),
    ));
    let text = watch(&report, |sink| {
        observer::of(&output(OutputKind::Text), sink)
    });
    let shown = text.split("Server output:\n").nth(1).unwrap();
    assert!(shown.contains("[2Jrow\tone"), "{shown}");
    assert!(!text.contains(['\x1b', '\r', '\x07', '\u{9b}']), "{text:?}");
}
