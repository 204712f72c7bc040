//! Reports of a pair and of a mesh, in every form.

use super::{Format, render};
use crate::subject::{PairMeasurement, Subject, run_of};
use nettest_api::{NetTest, NetTestRun};
use nettest_core::ledger::PairRecord;
use nettest_report::event::Measurement;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// A name as an attacker would choose it.
pub const HOSTILE: &str = r#"<script>alert("1")</script>&'|*_`"#;

fn result(variant: &str, flow: &str, mbits: [i64; 3], rtt: i64) -> serde_json::Value {
    let [min, median, max] = mbits.map(|rate| rate * 1_000_000);
    json!({
        "variant": variant, "flow": flow, "throughput": "x",
        "throughputBitsPerSecond": {"median": median, "min": min, "max": max, "spreadPercent": (max - min) * 100 / median},
        "senderBitsPerSecond": median, "receiverBitsPerSecond": median, "sentBytes": median / 8, "receivedBytes": median / 8,
        "retransmits": 12, "rttMicroseconds": rtt, "rttPercentilesMicroseconds": {"p50": rtt, "p90": rtt * 2, "p99": rtt * 3},
        "clientCPUMilli": 640, "serverCPUMilli": 710, "repeats": 3,
    })
}

/// Documents as the engine writes them, as far as a report reads them.
pub fn measurement(variant: &str, repeat: u32, host: &str, rates: &[f64]) -> PairMeasurement {
    let interval = |(second, rate): (usize, &f64)| json!({"sum": {"start": second, "end": second + 1, "bits_per_second": rate, "omitted": second == 0}});
    let host = json!({"hostname": host, "kernel": "6.1.0", "mtu": 1500, "qdisc": "fq", "allowedCpus": "0-3", "onlineCpuCount": 4, "linkSpeedBitsPerSecond": 25_000_000_000_u64, "sockets": {"congestion": "cubic", "sndbuf": 4_194_304}});
    PairMeasurement {
        pair: None,
        measurement: Measurement {
            run: "u".into(),
            attempt: 1,
            variant: variant.into(),
            repeat,
            thinned: false,
            report: json!({
                "start": {"test_start": {"reverse": 0, "bidir": 0}},
                "intervals": rates.iter().enumerate().map(interval).collect::<Vec<_>>(),
                "end": {"nettest": {"host": host, "peer_host": host}},
            }),
        },
    }
}

/// A sweep over streams with a knee at 4, a missed threshold, a diagnosis.
pub fn sweep(name: &str) -> Subject {
    let results = [
        result("tcp-p1", "ClientToServer", [2_300, 2_400, 2_500], 180),
        result("tcp-p2", "ClientToServer", [4_500, 4_700, 4_800], 200),
        result("tcp-p4", "ClientToServer", [9_200, 9_300, 9_400], 240),
        result("tcp-p8", "ClientToServer", [9_300, 9_400, 9_410], 900),
    ];
    let test = json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {"name": name, "namespace": "lab"},
        "spec": {"sweep": {"parallelStreams": [1, 2, 4, 8]}, "thresholds": [{"name": "line-rate", "metric": "Throughput", "min": "9500M"}]},
        "status": {
            "verdict": "Failed", "latestRun": format!("{name}-1"), "lastRunTime": "2026-12-01T10:00:00Z",
            "conditions": [{"type": "Succeeded", "status": "False", "reason": "ThresholdNotMet", "message": "line-rate: 2.40 Gbit/s", "lastTransitionTime": "2026-12-01T10:00:00Z"}],
            "pair": {"client": {"node": name, "zone": "east"}, "server": {"node": "node2"}},
            "results": results,
            "thresholds": [{"name": "line-rate", "met": false, "observed": 2_400_000_000_i64, "wanted": 9_500_000_000_i64, "message": "2.40 Gbit/s at the receiver, at least 9.50 Gbit/s asked"}],
            "diagnosis": [{"reason": "WindowLimited", "message": format!("window / RTT is the throughput of {name}"), "hint": "raise traffic.windowSize"}],
        },
    });
    let test: NetTest = serde_json::from_value(test).unwrap();
    let of = |variant: &str, base: f64| {
        (1..=3)
            .map(move |repeat| {
                let rates: Vec<f64> = (0..11)
                    .map(|second| {
                        base * (1.0 + f64::from((second * 7 + repeat as i32 * 3) % 5) / 50.0)
                    })
                    .collect();
                (repeat, rates)
            })
            .map(|(repeat, rates)| measurement(variant, repeat, name, &rates))
            .collect::<Vec<_>>()
    };
    Subject {
        name: name.to_owned(),
        namespace: Some("lab".to_owned()),
        run: run_of(&test),
        pairs: BTreeMap::new(),
        measurements: [of("tcp-p1", 2.3e9), of("tcp-p4", 9.2e9)].concat(),
    }
}

/// A full mesh, both ways; the node with the name `bad` is slow, and one pair could not be measured.
pub fn mesh(nodes: usize, bad: &str) -> Subject {
    let name = |index: usize| {
        if index == 1 {
            bad.to_owned()
        } else {
            format!("worker-{index:02}")
        }
    };
    let mut pairs = BTreeMap::new();
    for one in 0..nodes {
        for other in one + 1..nodes {
            let slow = one == 1 || other == 1;
            let rate = if slow {
                940
            } else {
                9_100 + i64::try_from((one * 7 + other * 13) % 300).unwrap()
            };
            let failed = (one, other) == (0, 2);
            let mut record = json!({"client": name(one), "server": name(other), "lane": {"client": "Pod", "server": "Pod"}, "state": "Measured", "attempt": 1,
                "results": [result("tcp-p1", "ClientToServer", [rate; 3], 180), result("tcp-p1", "ServerToClient", [rate - 10; 3], 180)]});
            if failed {
                record["state"] = json!("Failed");
                record["results"] = json!([]);
                record["reason"] = json!("PeerUnreachable");
            }
            let record: PairRecord = serde_json::from_value(record).unwrap();
            pairs.insert(u32::try_from(pairs.len()).unwrap(), record);
        }
    }
    let run = json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTestRun", "metadata": {"name": "mesh-3", "namespace": "lab"},
        "spec": {"testName": "mesh", "test": {"topology": {"type": "Mesh"}, "thresholds": [{"name": "line-rate", "metric": "Throughput", "min": "9G"}]}},
        "status": {
            "verdict": "Failed", "finishTime": "2026-12-01T10:00:00Z",
            "conditions": [{"type": "Succeeded", "status": "False", "reason": "ThresholdNotMet", "message": "line-rate missed", "lastTransitionTime": "2026-12-01T10:00:00Z"}],
            "progress": {"pairs": pairs.len(), "running": 0, "measured": pairs.len() - 1, "failed": 1},
            "results": [result("tcp-p1", "ClientToServer", [940, 9_200, 9_399], 180), result("tcp-p1", "ServerToClient", [930, 9_190, 9_389], 180)],
            "thresholds": [{"name": "line-rate", "met": false, "observed": 930_000_000, "wanted": 9_000_000_000_i64, "message": "930 Mbit/s"}],
            "suspects": [{"node": bad, "confirmed": true, "badPairs": 5, "goodPairs": 0, "message": "failed against five good nodes"}],
        },
    });
    let run: NetTestRun = serde_json::from_value(run).unwrap();
    Subject {
        name: "mesh".to_owned(),
        namespace: Some("lab".to_owned()),
        run,
        pairs,
        measurements: vec![],
    }
}

/// A mesh whose ways have every colour.
pub fn graded(nodes: usize) -> Subject {
    let mut subject = mesh(nodes, "worker-one");
    let mut shares = [100, 92, 80, 60, 30, 10].into_iter().cycle();
    for record in subject.pairs.values_mut() {
        for result in &mut record.results {
            let share = shares.next().unwrap();
            result.throughput_bits_per_second.median = 94_000_000 * share;
        }
    }
    subject
}

#[test]
fn tickets_tables_and_ci() {
    for (format, end) in [
        (Format::Markdown, "md"),
        (Format::Csv, "csv"),
        (Format::Junit, "xml"),
    ] {
        insta::assert_snapshot!(
            format!("sweep-{end}"),
            render(&sweep("rack"), format).unwrap()
        );
        insta::assert_snapshot!(
            format!("mesh-{end}"),
            render(&mesh(4, "worker-xx"), format).unwrap()
        );
    }
}

#[test]
fn json_is_read_back() {
    let text = render(&mesh(4, "b"), Format::Json).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["run"]["status"]["verdict"], "Failed");
    assert_eq!(report["pairs"].as_object().unwrap().len(), 6);
    let text = render(&sweep("rack"), Format::Json).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["documents"].as_array().unwrap().len(), 6);
    assert_eq!(report["documents"][0]["variant"], "tcp-p1");
}

/// Whatever names hold, nothing of them is markup.
#[test]
fn names_are_text_in_every_form() {
    for subject in [sweep(HOSTILE), mesh(6, HOSTILE)] {
        for format in [Format::Html, Format::Junit, Format::Markdown] {
            let text = render(&subject, format).unwrap();
            assert!(!text.contains("<script>alert"), "{format:?}: {text}");
        }
        let html = render(&subject, Format::Html).unwrap();
        assert!(
            html.contains("&#60;script&#62;") || html.contains("&lt;script&gt;"),
            "{html}"
        );
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for subject in [sweep("rack"), mesh(6, "b")] {
        let html = render(&subject, Format::Html).unwrap();
        for word in ["http:", "https:", "<script", "src=", "@import", "url("] {
            assert!(!html.contains(word), "{word}");
        }
        for word in [
            "FAILED",
            "line-rate",
            "aria-labelledby",
            "<caption>",
            "prefers-color-scheme",
            "@media print",
        ] {
            assert!(html.contains(word), "{word}");
        }
    }
    let html = render(&sweep("rack"), Format::Html).unwrap();
    assert!(
        html.contains("knee: 4") && html.contains("the knee is at 4"),
        "the knee is marked"
    );
    assert!(html.contains("Throughput over time") && html.contains("WindowLimited"));
    let html = render(&mesh(6, "slow-one"), Format::Html).unwrap();
    assert!(
        html.contains("bad node slow-one") && html.contains("slow-one to worker-00: 0.93 Gbit/s")
    );
}

#[test]
fn a_run_that_was_not_measured_has_its_reason_and_no_empty_parts() {
    let test = json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {"name": "a", "namespace": "lab"}, "spec": {},
        "status": {"verdict": "Error", "conditions": [{"type": "Succeeded", "status": "False", "reason": "PeerUnreachable", "message": "no answer", "lastTransitionTime": "2026-12-01T10:00:00Z"}]},
    });
    let test: NetTest = serde_json::from_value(test).unwrap();
    let subject = Subject::local(&test, &[]);
    let html = render(&subject, Format::Html).unwrap();
    assert!(
        html.contains("ERROR") && html.contains("PeerUnreachable") && html.contains("no answer")
    );
    for heading in [
        "Results</h2>",
        "Thresholds</h2>",
        "Sweep</h2>",
        "Environment</h2>",
    ] {
        assert!(!html.contains(heading), "{heading}");
    }
    let junit = render(&subject, Format::Junit).unwrap();
    assert!(junit.contains(r#"errors="1""#), "{junit}");
}

#[test]
fn the_end_of_a_files_name_says_the_form() {
    for (name, format) in [
        ("a.html", Some(Format::Html)),
        ("a.MD", Some(Format::Markdown)),
        ("a.xml", Some(Format::Junit)),
        ("a.csv", Some(Format::Csv)),
        ("a.json", Some(Format::Json)),
        ("a.yaml", None),
        ("html", None),
    ] {
        assert_eq!(Format::of_file(Path::new(name)), format, "{name}");
    }
}

mod browser;
pub mod recorded;
