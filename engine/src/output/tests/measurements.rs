//! The measurement stream and its digest.

use super::*;
use crate::output::digest::{Tally, failed};
use crate::session::Turn;
use nettest_report::digest::{Digest, DocumentSum, Figures, decode, encode, find_in_log};
use nettest_report::report::SocketFacts;

fn label() -> RunLabel {
    RunLabel {
        uid: "0b5c8d0e-1111-4222-8333-444455556666".to_owned(),
        attempt: 2,
    }
}

/// One variant's measurements.
fn stream(reports: &[Report]) -> (Vec<Event>, String) {
    let (sink, seen) = memory();
    let repeats = reports.len() as u32;
    let mut observer = Measurements::new(&sink, label(), reports.len());
    for (n, report) in reports.iter().enumerate() {
        observer.repeat(Turn {
            variant: "tcp-p4",
            variants: 1,
            repeat: n as u32 + 1,
            repeats,
        });
        replay(report, &mut observer);
    }
    observer.digest(tallied(reports, None, Some(observer.document())));
    let text = seen.text();
    let events = text.lines().map(|l| Event::parse(l).unwrap()).collect();
    (events, text)
}

fn tallied(
    reports: &[Report],
    failure: Option<(FailureReason, String)>,
    document: Option<DocumentSum>,
) -> Digest {
    let mut tally = Tally::of(["tcp-p4"]);
    for report in reports {
        tally.note(0, report);
    }
    tally.digest(&label(), reports.len() as u32, failure, document)
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
    assert_eq!(digest.figures[1].fairness_ppm, [1_000_000; 2]);
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
    let busy = (FailureReason::ServerBusy, "the server is busy".to_owned());
    let told = tallied(&[bad], Some(busy), None);
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
    let digest = tallied(&[good, blind], None, None);
    let figures = &digest.figures[0];
    assert!(figures.retransmits.is_empty());
    assert!(figures.server_cpu_milli.is_empty());
    assert_eq!(figures.client_cpu_milli.len(), 2);
    assert!(figures.datagrams.is_empty());
}

fn host(cpus: &str) -> HostFacts {
    HostFacts {
        hostname: "node-a.rack-12.example.net".repeat(4),
        kernel: "6.12.0-12345-very-long-vendor-suffix-smp-preempt_dynamic.x86_64".to_owned(),
        node: Some("node-a.rack-12.example.net".to_owned()),
        allowed_cpus: cpus.to_owned(),
        allowed_cpu_count: 64,
        online_cpu_count: 256,
        throttled_periods: Some(u64::MAX),
        throttled_usec: Some(u64::MAX),
        mtu: Some(65536),
        qdisc: Some("mqprio/fq_codel".to_owned()),
        link_speed_bits_per_second: Some(400_000_000_000),
        sockets: SocketFacts {
            sndbuf: Some(u32::MAX),
            rcvbuf: Some(u32::MAX),
            mss: Some(u32::MAX),
            congestion: Some("abcdefghijklmno".to_owned()),
            mptcp: Some(false),
            gso: Some(false),
            gro: Some(false),
            zerocopy: Some(false),
            skip_rx_copy: Some(false),
            fq_rate: Some(u64::MAX),
        },
    }
}

/// 400 Gbit/s for a day.
fn busy(protocol: Protocol, cpus: usize) -> Report {
    let mut report = sample::report(protocol, Direction::Bidirectional, Role::Client, 4);
    report.host = host(&"100-101,".repeat(cpus));
    report.peer_host = Some(report.host.clone());
    for stream in &mut report.end.as_mut().unwrap().streams {
        stream.sent.bytes = Some(1_080_000_000_000_000);
        stream.sent.end = 86_400.0;
        stream.received = stream.sent;
        if let Some(udp) = &mut stream.udp {
            udp.packets_sent = Some(720_000_000_000);
            udp.lost = Some(72_000_000_000);
            udp.out_of_order = Some(72_000_000_000);
        }
    }
    report
}

#[test]
fn the_digest_always_fits_a_termination_message() {
    for protocol in [Protocol::Tcp, Protocol::Udp] {
        for (repeats, cpus) in [(1, 1), (20, 4), (100, 128)] {
            let whole = tallied(&vec![busy(protocol, cpus); repeats], None, None);
            let text = encode(&whole);
            assert!(text.len() <= MAX_DIGEST_BYTES, "{repeats}: {}", text.len());
            assert_eq!(decode(&text).unwrap(), whole, "{protocol:?} {repeats}");
        }
    }
    let long = "é\u{1}".repeat(9000);
    let text = encode(&failed(&label(), FailureReason::EngineCrashed, &long));
    assert!(text.len() <= MAX_DIGEST_BYTES);
    let read = decode(&text).unwrap();
    assert!(!read.message.is_empty() && read.message.len() <= 512);
}

/// A series in which every variant has the same report each time, but for its figures.
fn series(variants: &[(&str, &Report)], repeats: u32, most: u32) -> (String, Digest) {
    let (sink, seen) = memory();
    let mut observer = Measurements::new(&sink, label(), variants.len() * most as usize);
    let mut tally = Tally::of(variants.iter().map(|(name, _)| *name));
    for repeat in 1..=repeats {
        for (at, (variant, report)) in variants.iter().enumerate() {
            observer.repeat(Turn {
                variant,
                variants: variants.len(),
                repeat,
                repeats,
            });
            replay(report, &mut observer);
            tally.note(at, report);
        }
    }
    let mut digest = tally.digest(&label(), repeats, None, Some(observer.document()));
    digest.thinned = observer.thinned();
    observer.digest(digest.clone());
    (seen.text(), digest)
}

/// 128 streams each way. Two rows of a hundred are enough: none is ever told, and a debug build is slow.
fn wide(protocol: Protocol) -> Report {
    let mut report = busy(protocol, 8);
    let moved = report.end.as_ref().unwrap().streams[0].clone();
    let all = sample::report(protocol, Direction::Bidirectional, Role::Client, 128);
    report.start = all.start;
    report.end = all.end;
    for stream in &mut report.end.as_mut().unwrap().streams {
        stream.sent = moved.sent;
        stream.received = moved.received;
        stream.udp = moved.udp;
    }
    report.params.streams = 128;
    report.intervals = all.intervals[..2].to_vec();
    report
}

/// Everything at its most: 64 variants, 50 repeats, 128 streams each way, both protocols.
#[test]
fn a_sweep_of_everything_stays_below_8_mib() {
    let both = [Protocol::Udp, Protocol::Tcp].map(wide);
    let names: Vec<String> = (0..64)
        .map(|n| format!("variant-{n}-of-a-sweep-with-long-names"))
        .collect();
    let named = names.iter().enumerate();
    let variants: Vec<_> = named
        .map(|(n, name)| (name.as_str(), &both[n % 2]))
        .collect();
    let (text, digest) = series(&variants, 50, 50);
    assert!(text.len() < 15 << 19, "{}", text.len());
    assert_eq!(digest.thinned, 64 * 50);
    assert_eq!(digest.figures.len(), 128);
    let repeats = |f: &Figures| f.received_bits_per_second.len();
    assert!(digest.figures.iter().all(|f| repeats(f) == 50));
    let message = encode(&digest);
    assert!(message.len() <= MAX_DIGEST_BYTES);
    let line = Event::Digest(digest.clone()).to_line().unwrap();
    assert!(line.len() < 64 * 50 * 512, "{}", line.len());
    assert_eq!(find_in_log(&text, &decode(&message).unwrap()), Some(digest));
}

/// By variant: how much of each repeat's document was told.
fn told(text: &str, variant: &str) -> Vec<&'static str> {
    let documents = text.lines().filter_map(|line| match Event::parse(line)? {
        Event::Measurement(m) if m.variant == variant => Some(m),
        _ => None,
    });
    documents
        .map(|m| {
            let rows = m.report["intervals"].as_array().map_or(0, Vec::len);
            let row_streams = m.report["intervals"][0]["streams"].as_array();
            let streams = m.report["end"]["streams"].as_array().map_or(0, Vec::len);
            let sums = m.report["end"]["sum_received"]["bytes"].is_u64();
            let what = match (rows, row_streams.map_or(0, Vec::len), streams, sums) {
                (1.., 1.., 1.., true) => "whole",
                (1.., 0, 1.., true) => "no rows of streams",
                (0, 0, 1.., true) => "no rows",
                (0, 0, 0, true) => "sums",
                (0, 0, 0, false) => "nothing",
                other => panic!("{other:?}"),
            };
            assert_eq!(m.thinned, what != "whole");
            what
        })
        .collect()
}

#[test]
fn documents_are_thinned_in_steps_and_alike_for_all_repeats() {
    let narrow = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    let mut wide = sample::report(Protocol::Tcp, Direction::Bidirectional, Role::Client, 16);
    let row = wide.intervals[1].clone();
    wide.intervals = vec![row; 200];
    for (most, wanted) in [
        (2, "whole"),
        (10, "no rows of streams"),
        (100, "no rows"),
        (500, "sums"),
        (1600, "nothing"),
    ] {
        let variants = [("wide", &wide), ("narrow", &narrow)];
        let (text, digest) = series(&variants, 2, most);
        assert_eq!(told(&text, "wide"), [wanted; 2], "{most}");
        let small = if most == 1600 { wanted } else { "whole" };
        assert_eq!(told(&text, "narrow"), [small; 2], "{most}");
        let thinned = [wanted, small].map(|what| if what == "whole" { 0 } else { 2 });
        assert_eq!(digest.thinned, thinned.iter().sum::<u32>(), "{most}");
        // The same again, to the byte.
        assert_eq!(series(&variants, 2, most).0, text);
    }
}

/// What concerns one variant stands with it; the hosts have what is the same for all.
#[test]
fn several_variants_have_sockets_of_their_own() {
    let mut one = sample::report(Protocol::Tcp, Direction::Bidirectional, Role::Client, 1);
    one.host = host("0");
    one.host.throttled_periods = Some(2);
    one.peer_host = Some(host("1"));
    let mut other = one.clone();
    other.host.sockets.congestion = Some("bbr".to_owned());
    other.host.qdisc = Some("fq".to_owned());
    let (_, digest) = series(&[("a", &one), ("b", &other)], 2, 2);
    assert_eq!(digest.outcome, Outcome::Complete);
    let congestion = |sockets: &Option<SocketFacts>| sockets.as_ref().unwrap().congestion.clone();
    let named: Vec<_> = digest
        .figures
        .iter()
        .map(|f| {
            (
                f.variant.as_str(),
                f.flow.as_str(),
                congestion(&f.sender_sockets),
            )
        })
        .collect();
    let (theirs, bbr) = (one.host.sockets.congestion.clone(), Some("bbr".to_owned()));
    assert_eq!(
        named,
        [
            ("a", "ClientToServer", theirs.clone()),
            ("a", "ServerToClient", theirs.clone()),
            ("b", "ClientToServer", bbr.clone()),
            ("b", "ServerToClient", theirs),
        ]
    );
    assert_eq!(congestion(&digest.figures[3].receiver_sockets), bbr);
    let client = digest.client_host.unwrap();
    assert_eq!(client.sockets, SocketFacts::default());
    assert_eq!((client.mtu, client.qdisc), (Some(65536), None));
    assert_eq!(client.throttled_periods, Some(8));
    assert_eq!(
        digest.server_host.unwrap().qdisc.as_deref(),
        Some("mqprio/fq_codel")
    );

    let alone = tallied(&[one], None, None);
    assert_eq!(alone.figures[0].sender_sockets, None);
    assert!(alone.client_host.unwrap().sockets.congestion.is_some());
}

#[test]
fn a_variant_that_fails_is_named() {
    let good = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    let mut tally = Tally::of(["a", "b"]);
    tally.note(0, &good);
    tally.note(1, &good);
    tally.note(0, &good);
    let digest = tally.digest(&label(), 2, None, None);
    assert_eq!(digest.outcome, Outcome::Failed);
    assert_eq!(digest.message, "variant b: 1 of 2 repeats were measured");
    assert!(digest.figures.is_empty());
    assert_eq!(tally.about(1, "refused"), "variant b: refused");
    assert_eq!(Tally::of(["a"]).about(0, "refused"), "refused");
}
