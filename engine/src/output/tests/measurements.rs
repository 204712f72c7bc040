//! The measurement stream and its digest.

use super::*;

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
        kernel: "6.12.0-12345-very-long-vendor-suffix-smp-preempt_dynamic.x86_64".to_owned(),
        node: Some("node-a.rack-12.example.net".to_owned()),
        allowed_cpus: cpus.to_owned(),
        allowed_cpu_count: 64,
        online_cpu_count: 256,
        throttled_periods: Some(u64::MAX),
        throttled_usec: Some(u64::MAX),
        mtu: Some(65536),
        qdisc: Some("mqprio/fq_codel".to_owned()),
        sockets: nettest_report::report::SocketFacts {
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
