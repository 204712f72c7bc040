//! Reports of what the real engine measured: hack/record-reports made the statuses and documents in recorded/.

use super::{HOSTILE, mesh, sweep};
use crate::report::{Format, render};
use crate::subject::Subject;
use flate2::read::GzDecoder;
use nettest_api::{NetTest, result::Flow, threshold::Severity};
use nettest_report::event::{Event, Measurement};
use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use std::io::Read;

/// Name, what the status says, what the engine said.
const RECORDED: [(&str, &str, &[u8]); 4] = [
    (
        "quickstart",
        include_str!("recorded/quickstart.yaml"),
        include_bytes!("recorded/quickstart.jsonl.gz"),
    ),
    (
        "pair-udp",
        include_str!("recorded/pair-udp.yaml"),
        include_bytes!("recorded/pair-udp.jsonl.gz"),
    ),
    (
        "both-ways",
        include_str!("recorded/both-ways.yaml"),
        include_bytes!("recorded/both-ways.jsonl.gz"),
    ),
    (
        "windows",
        include_str!("recorded/windows.yaml"),
        include_bytes!("recorded/windows.jsonl.gz"),
    ),
];

/// As `run --local` makes it of what it measured.
pub fn recorded(name: &str) -> Subject {
    let (_, status, documents) = RECORDED.iter().find(|(known, ..)| *known == name).unwrap();
    let test: NetTest = serde_yaml::from_str(status).unwrap();
    let mut lines = String::new();
    GzDecoder::new(*documents)
        .read_to_string(&mut lines)
        .unwrap();
    let measurements = lines.lines().map(|line| match Event::parse(line) {
        Some(Event::Measurement(measurement)) => measurement,
        other => panic!("{name}: no measurement: {other:?}"),
    });
    Subject::local(&test, &measurements.collect::<Vec<_>>())
}

fn all() -> impl Iterator<Item = (&'static str, Subject)> {
    RECORDED
        .into_iter()
        .map(|(name, ..)| (name, recorded(name)))
}

#[test]
fn what_was_measured_in_every_form() {
    for (name, subject) in all() {
        for (format, end) in [
            (Format::Markdown, "md"),
            (Format::Csv, "csv"),
            (Format::Junit, "xml"),
        ] {
            insta::assert_snapshot!(format!("{name}-{end}"), render(&subject, format).unwrap());
        }
    }
}

/// The intervals of a document that count, of one direction.
fn counted(measurement: &Measurement, key: &str) -> usize {
    let intervals = measurement.report["intervals"].as_array().unwrap();
    let counts = |sum: &&serde_json::Value| sum.is_object() && sum["omitted"] == false;
    intervals.iter().map(|of| &of[key]).filter(counts).count()
}

/// Points of each line of the charts over time, in any order.
fn drawn(html: &str) -> Vec<usize> {
    let (_, section) = html.split_once(r#"<h2 id="o">"#).unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let lines = section.split(r#" points=""#).skip(1);
    let mut lines: Vec<usize> = lines
        .map(|rest| {
            let (points, _) = rest.split_once('"').unwrap();
            points.split(' ').count()
        })
        .collect();
    lines.sort_unstable();
    lines
}

/// A line a repeat and direction, a point an interval that counts: none is lost, and the omitted ones are not drawn.
#[test]
fn every_interval_that_counts_is_drawn() {
    for (name, subject) in all() {
        let html = render(&subject, Format::Html).unwrap();
        let documents = || subject.measurements.iter().map(|of| &of.measurement);
        let mut wanted: Vec<usize> = documents()
            .flat_map(|document| ["sum", "sum_bidir_reverse"].map(|key| counted(document, key)))
            .filter(|count| *count > 0)
            .collect();
        wanted.sort_unstable();
        assert!(!wanted.is_empty(), "{name}");
        assert_eq!(drawn(&html), wanted, "{name}");
    }
    // What the recordings are for: both directions in one document, and intervals that do not count.
    let both = recorded("both-ways");
    assert!(
        both.measurements
            .iter()
            .all(|of| counted(&of.measurement, "sum_bidir_reverse") == 2)
    );
    let windows = recorded("windows");
    let first = &windows.measurements[0].measurement;
    let intervals = first.report["intervals"].as_array().unwrap().len();
    assert!(intervals > counted(first, "sum"), "some are omitted");
}

#[test]
fn a_page_tells_both_ends_and_every_figure_of_the_engine() {
    for (name, subject) in all() {
        let html = render(&subject, Format::Html).unwrap();
        let host = &subject.measurements[0].measurement.report["end"]["nettest"]["host"];
        for fact in ["kernel", "qdisc", "allowedCpus"] {
            let fact = host[fact].as_str().unwrap();
            assert!(html.contains(&format!("<td>{fact}</td>")), "{name}: {fact}");
        }
        let mtu = host["mtu"].as_u64().unwrap();
        assert!(html.contains(&format!("<td>{mtu}</td>")), "{name}: {mtu}");
        for result in subject.status().results {
            assert!(
                html.contains(&result.throughput),
                "{name}: {} has {}",
                result.variant,
                result.throughput
            );
        }
    }
    let html = render(&recorded("both-ways"), Format::Html).unwrap();
    for flow in ["tcp-p2, client to server", "tcp-p2, server to client"] {
        assert!(
            html.contains(&format!("<figcaption>{flow}</figcaption>")),
            "{flow}"
        );
    }
    let html = render(&recorded("windows"), Format::Html).unwrap();
    for word in [
        "Throughput against window",
        "Throughput against streams",
        "the bandwidth-delay product is",
    ] {
        assert!(html.contains(word), "{word}");
    }
}

/// Read back by a reader of JUnit: the counts add up, and what is missed says what was seen and what was asked.
#[test]
fn ci_reads_the_cases() {
    let hostile = format!("{HOSTILE}\u{0}\u{1b}[31m\u{ffff}]]>");
    let subjects = all().map(|(_, subject)| subject).chain([
        sweep("rack"),
        sweep(&hostile),
        mesh(4, &hostile),
    ]);
    for subject in subjects {
        let text = render(&subject, Format::Junit).unwrap();
        let report =
            Report::deserialize_from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let status = subject.status();
        let [suite] = report.test_suites.as_slice() else {
            panic!("{text}")
        };
        assert_eq!(report.tests, suite.test_cases.len(), "{text}");
        assert_eq!(suite.tests, 1 + status.thresholds.len(), "{text}");
        let missed = status
            .thresholds
            .iter()
            .filter(|of| !of.met && of.severity == Severity::Fail);
        let lost = status.progress.is_some_and(|progress| progress.failed > 0);
        assert_eq!(suite.failures, missed.count() + usize::from(lost), "{text}");
        assert_eq!(suite.errors, 0, "{text}");
        let warned = status
            .thresholds
            .iter()
            .filter(|of| !of.met && of.severity == Severity::Warn);
        assert_eq!(
            text.matches("a warning only").count(),
            warned.count(),
            "{text}"
        );
        for (case, threshold) in suite.test_cases.iter().skip(1).zip(&status.thresholds) {
            match &case.status {
                TestCaseStatus::NonSuccess { kind, message, .. } => {
                    assert_eq!(*kind, NonSuccessKind::Failure);
                    assert_eq!(message.as_ref().unwrap().as_str(), threshold.message);
                }
                TestCaseStatus::Success { .. } => {
                    assert!(
                        threshold.met || threshold.severity == Severity::Warn,
                        "{text}"
                    );
                }
                TestCaseStatus::Skipped { .. } => panic!("{text}"),
            }
        }
    }
}

/// A row a variant and direction, each of the width of the head; what the engine did not tell is empty, not 0.
#[test]
fn tables_are_read_back() {
    for (name, subject) in all() {
        let text = render(&subject, Format::Csv).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let results = subject.status().results;
        assert_eq!(rows.len(), results.len(), "{name}");
        let at = |column: &str| head.iter().position(|known| known == column).unwrap();
        for (row, result) in rows.iter().zip(&results) {
            let cell = |column: &str| row.get(at(column)).unwrap().to_owned();
            let known =
                |value: Option<i64>| value.map_or_else(String::new, |value| value.to_string());
            assert_eq!(
                cell("throughput_bits_per_second"),
                result.throughput_bits_per_second.median.to_string()
            );
            assert_eq!(cell("loss_ppm"), known(result.loss_ppm));
            assert_eq!(cell("retransmits"), known(result.retransmits));
            assert_eq!(
                cell("rtt_p99_microseconds"),
                known(result.rtt_percentiles_microseconds.map(|of| of.p99))
            );
        }
    }
    // The receiver's end does not know the sender's round-trip time.
    let results = recorded("both-ways").status().results;
    let back = results.iter().find(|of| of.flow == Flow::ServerToClient);
    assert_eq!(back.unwrap().rtt_microseconds, None);
}
