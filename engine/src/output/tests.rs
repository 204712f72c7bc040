//! What a user sees, from literal reports.

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
fn json_is_one_document() {
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
fn json_stream_writes_a_line_an_event() {
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
fn a_server_gives_its_report_as_text_or_as_an_object() {
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

fn label() -> RunLabel {
    RunLabel {
        uid: "0b5c8d0e-1111-4222-8333-444455556666".to_owned(),
        attempt: 2,
        variant: "tcp-p4".to_owned(),
    }
}

fn stream(reports: &[Report]) -> (Vec<Event>, String) {
    let (sink, seen) = memory();
    let mut observer = Measurements::new(&sink, label(), reports.len() as u32);
    for (n, report) in reports.iter().enumerate() {
        observer.repeat(n as u32 + 1);
        replay(report, &mut observer);
    }
    observer.digest(digest::of_client(
        &label(),
        reports,
        reports.len() as u32,
        None,
        Some(observer.document()),
    ));
    let text = seen.text();
    let events = text.lines().map(|l| Event::parse(l).unwrap()).collect();
    (events, text)
}

#[test]
fn the_measurement_stream_ends_with_a_digest_of_its_measurements() {
    use sha2::Digest as _;
    let report = sample::report(Protocol::Tcp, Direction::Bidirectional, Role::Client, 2);
    let (events, text) = stream(&[report.clone(), report]);
    let names: Vec<&str> = events
        .iter()
        .map(|e| match e {
            Event::Interval(_) => "interval",
            Event::Measurement(_) => "measurement",
            Event::Digest(_) => "digest",
        })
        .collect();
    // Two flows in each of three intervals.
    assert_eq!(
        names[..7],
        [
            "interval",
            "interval",
            "interval",
            "interval",
            "interval",
            "interval",
            "measurement"
        ]
    );
    assert_eq!(names.len(), 15);
    let Some(Event::Digest(digest)) = events.last() else {
        panic!("no digest at the end: {names:?}");
    };
    let lines: String = text
        .lines()
        .filter(|l| matches!(Event::parse(l), Some(Event::Measurement(_))))
        .map(|l| format!("{l}\n"))
        .collect();
    let hash: String = sha2::Sha256::digest(&lines)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let document = digest.document.clone().unwrap();
    assert_eq!(document.bytes, lines.len() as u64);
    assert_eq!(document.sha256, hash);
    assert_eq!(digest.outcome, Outcome::Complete);
    assert_eq!(digest.figures.len(), 2);
    assert_eq!(digest.figures[1].flow, "ServerToClient");
    assert_eq!(digest.figures[0].sent_bytes, [2 * sample::SENT_BYTES; 2]);
    assert_eq!(digest.figures[0].retransmits, [6, 6]);
    assert_eq!(digest.figures[0].client_cpu_milli, [339, 339]);
    let Event::Measurement(first) = &events[6] else {
        panic!("not a measurement");
    };
    assert_eq!((first.repeat, first.attempt, first.thinned), (1, 2, false));
    assert_eq!(first.run, label().uid);
    assert!(first.report["end"]["sum_sent"]["bytes"].is_u64());
}

#[test]
fn a_long_measurement_is_thinned_and_the_log_stays_small() {
    let mut report = sample::report(Protocol::Tcp, Direction::Bidirectional, Role::Client, 128);
    let one = report.intervals[1].clone();
    report.intervals = vec![one; 200];
    let (events, text) = stream(&[report.clone(), report]);
    assert!(text.len() < 8 << 20, "{}", text.len());
    let thinned: Vec<bool> = events
        .iter()
        .filter_map(|e| match e {
            Event::Measurement(m) => Some(m.thinned),
            _ => None,
        })
        .collect();
    assert_eq!(thinned, [true, true]);
    let Some(Event::Measurement(m)) = events.iter().find(|e| matches!(e, Event::Measurement(_)))
    else {
        panic!("no measurement");
    };
    assert_eq!(m.report["intervals"].as_array().map(Vec::len), Some(200));
    assert_eq!(
        m.report["end"]["streams"].as_array().map(Vec::len),
        Some(256)
    );
}

#[test]
fn progress_lines_stop_before_they_fill_the_log() {
    let mut report = sample::report(Protocol::Udp, Direction::Forward, Role::Client, 1);
    let one = report.intervals[1].clone();
    report.intervals = vec![one; 20_000];
    let (events, text) = stream(&[report]);
    assert!(text.len() < 8 << 20, "{}", text.len());
    assert!(
        events
            .iter()
            .filter(|e| matches!(e, Event::Interval(_)))
            .count()
            > 1000
    );
    assert!(matches!(events.last(), Some(Event::Digest(_))));
}

#[test]
fn a_failed_repeat_is_no_measurement_and_no_result() {
    let good = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    let mut bad = good.clone();
    bad.error = Some("cut short".to_owned());
    let (events, _) = stream(&[good.clone(), bad.clone()]);
    let measured = events
        .iter()
        .filter(|e| matches!(e, Event::Measurement(_)))
        .count();
    assert_eq!(measured, 1);
    let Some(Event::Digest(digest)) = events.last() else {
        panic!("no digest");
    };
    assert_eq!(digest.outcome, Outcome::Failed);
    assert!(digest.figures.is_empty());
    let told = digest::of_client(
        &label(),
        &[bad],
        1,
        Some((FailureReason::ServerBusy, "the server is busy".to_owned())),
        None,
    );
    assert_eq!(told.reason, Some(FailureReason::ServerBusy));
    assert_eq!(told.message, "the server is busy");
}

/// An unknown figure of one repeat makes the array absent: no 0 stands in for it.
#[test]
fn unknown_figures_are_left_out_of_the_digest() {
    let good = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    let mut blind = good.clone();
    if let Some(end) = &mut blind.end {
        end.remote_cpu = None;
        end.streams[0].tcp = None;
    }
    let digest = digest::of_client(&label(), &[good, blind], 2, None, None);
    let figures = &digest.figures[0];
    assert!(figures.retransmits.is_empty());
    assert!(figures.server_cpu_milli.is_empty());
    assert_eq!(figures.client_cpu_milli.len(), 2);
    assert!(figures.datagrams.is_empty());
}

fn host(cpus: &str) -> HostFacts {
    HostFacts {
        hostname: "node-a.rack-12.example.net".repeat(4),
        kernel: "Linux 6.12.0-very-long-vendor-suffix #1 SMP PREEMPT_DYNAMIC x86_64".to_owned(),
        node: Some("node-a.rack-12.example.net".to_owned()),
        allowed_cpus: cpus.to_owned(),
        allowed_cpu_count: 64,
        online_cpu_count: 256,
        throttled_periods: Some(u64::MAX),
        throttled_usec: Some(u64::MAX),
        mtu: Some(65536),
    }
}

#[test]
fn the_digest_always_fits_a_termination_message() {
    for protocol in [Protocol::Tcp, Protocol::Udp] {
        for (repeats, cpus) in [(1, 1), (20, 4), (100, 400)] {
            let mut report = sample::report(protocol, Direction::Bidirectional, Role::Client, 4);
            report.host = host(&"100-101,".repeat(cpus));
            report.peer_host = Some(host(&"100-101,".repeat(cpus)));
            for stream in &mut report.end.as_mut().unwrap().streams {
                // 400 Gbit/s for a day.
                stream.sent.bytes = Some(1_080_000_000_000_000);
                stream.sent.end = 86_400.0;
                stream.received = stream.sent;
                if let Some(udp) = &mut stream.udp {
                    udp.packets_sent = Some(720_000_000_000);
                    udp.lost = Some(72_000_000_000);
                    udp.out_of_order = Some(72_000_000_000);
                }
            }
            let reports = vec![report; repeats];
            let whole = digest::of_client(&label(), &reports, repeats as u32, None, None);
            let (fitted, json) = digest::fit(whole.clone());
            assert!(json.len() <= MAX_DIGEST_BYTES, "{repeats}: {}", json.len());
            assert_eq!(fitted.outcome, Outcome::Complete);
            assert_eq!(
                serde_json::from_str::<nettest_report::digest::Digest>(&json).unwrap(),
                fitted
            );
            if fitted != whole {
                assert!(
                    fitted.message.starts_with("left out for space: "),
                    "{}",
                    fitted.message
                );
            }
            if repeats <= 20 {
                let received = &fitted.figures[1].received_bits_per_second;
                assert_eq!(received.len(), repeats, "{protocol:?}");
                if protocol == Protocol::Udp {
                    assert_eq!(fitted.figures[1].lost_datagrams.len(), repeats);
                }
                assert_eq!(fitted.client_host.map(|h| h.allowed_cpu_count), Some(64));
            }
        }
    }
    let long = "é\u{1}".repeat(9000);
    let failed = digest::failed(&label(), FailureReason::EngineCrashed, &long);
    let (fitted, json) = digest::fit(failed);
    assert!(json.len() <= MAX_DIGEST_BYTES);
    assert!(!fitted.message.is_empty() && fitted.message.len() <= 512);
}

/// A closed pipe or a full disk is not a success.
#[test]
fn a_sink_remembers_its_first_failure() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink::new(Box::new(Full));
    assert!(sink.failure().is_none());
    sink.write("x");
    sink.write("y");
    assert_eq!(
        sink.failure().map(|e| e.kind()),
        Some(std::io::ErrorKind::StorageFull)
    );
}

/// Field report 054.
#[test]
fn an_unwritable_log_file_is_an_error() {
    assert!(Sink::open(Some("/nonexistent/x".as_ref())).is_err());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    for line in ["one\n", "two\n"] {
        Sink::open(Some(&path)).unwrap().write(line);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
}
