//! What a scrape gets, from the status that a user sees.

use crate::metrics::{
    Figures, Finished, Metrics, RunKey, TestKey,
    figures::{MOST_PAIRS, MOST_RESULTS},
};
use nettest_api::{
    NetTest,
    result::{PairState, VariantResult, Verdict},
    threshold::Threshold,
};
use nettest_core::ledger::{Ledger, PairRecord};

const MEASURED: &str = r#"
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: rack, namespace: default}
spec: {thresholds: [{name: line-rate, metric: Throughput, min: 1M}]}
status:
  verdict: Passed
  latestRun: rack-1
  lastRunTime: "2026-11-30T16:00:00Z"
  nextRunTime: "2026-12-01T03:00:00Z"
  pair: {client: {node: node1, zone: east}, server: {node: node2}}
  thresholds: [{name: line-rate, met: true, message: m}]
  results:
  - variant: tcp
    flow: ClientToServer
    throughput: 191 Mbit/s
    throughputBitsPerSecond: {median: 191000000, min: 190000000, max: 192000000, spreadPercent: 1}
    senderBitsPerSecond: 200000000
    receiverBitsPerSecond: 191000000
    sentBytes: 25000000
    receivedBytes: 23875000
    retransmits: 0
    rttMicroseconds: 250
    rttPercentilesMicroseconds: {p50: 240, p90: 300, p99: 900}
    clientCPUMilli: 120
    repeats: 3
"#;

fn key(name: &str) -> TestKey {
    TestKey {
        namespace: "default".into(),
        name: name.into(),
    }
}

fn run(name: &str) -> RunKey {
    RunKey {
        name: name.into(),
        finished: None,
    }
}

fn finished(thresholds: &[Threshold]) -> Finished<'_> {
    Finished {
        asked: thresholds,
        thresholds: &[],
        verdict: Verdict::Error,
        finished: None,
        last_success: None,
        next_run: None,
        progress: None,
        suspects: &[],
        port: 5201,
    }
}

fn publish(metrics: &Metrics, manifest: &str) {
    let test: NetTest = serde_yaml::from_str(manifest).unwrap();
    let status = test.status.unwrap();
    let finished = Finished {
        thresholds: &status.thresholds,
        verdict: status.verdict.unwrap(),
        finished: status.last_run_time.map(|time| time.0),
        next_run: status.next_run_time.map(|time| time.0),
        progress: status.progress,
        suspects: &status.suspects,
        ..finished(&test.spec.thresholds)
    };
    let figures = Figures::Pair {
        pair: status.pair.as_ref(),
        results: &status.results,
    };
    let run = run(&status.latest_run.unwrap());
    metrics.publish(
        key(&test.metadata.name.unwrap()),
        run,
        &finished,
        Some(figures),
    );
}

fn lines(metrics: &Metrics, with: &str) -> Vec<String> {
    let text = metrics.render().unwrap();
    let lines = text.lines().filter(|line| line.contains(with));
    lines.map(str::to_owned).collect()
}

fn of_tests(metrics: &Metrics) -> Vec<String> {
    lines(metrics, "nettest_namespace=")
}

#[test]
fn bytes_seconds_and_ratios_are_shown_and_the_unknown_is_absent() {
    let metrics = Metrics::new(false).unwrap();
    publish(&metrics, MEASURED);
    let pair = r#"client_node="node1",client_zone="east",direction="ClientToServer",nettest="rack",nettest_namespace="default",path="PodIP",protocol="TCP""#;
    let end = r#"server_node="node2",server_zone="""#;
    let test = r#"nettest="rack",nettest_namespace="default""#;
    let expected = [
        format!(
            r#"nettest_engine_cpu_seconds_per_second{{{pair},role="client",{end},variant="tcp"}} 0.12"#
        ),
        format!("nettest_last_run_timestamp_seconds{{{test}}} 1796054400"),
        format!("nettest_next_run_timestamp_seconds{{{test}}} 1796094000"),
        format!(r#"nettest_retransmits{{{pair},{end},variant="tcp"}} 0"#),
        format!(r#"nettest_round_trip_mean_seconds{{{pair},{end},variant="tcp"}} 0.00025"#),
        format!(r#"nettest_round_trip_seconds{{{pair},{end},stat="p50",variant="tcp"}} 0.00024"#),
        format!(r#"nettest_round_trip_seconds{{{pair},{end},stat="p90",variant="tcp"}} 0.0003"#),
        format!(r#"nettest_round_trip_seconds{{{pair},{end},stat="p99",variant="tcp"}} 0.0009"#),
        format!("nettest_success{{{test}}} 1"),
        format!(
            r#"nettest_threshold_met{{metric="Throughput",{test},severity="Fail",threshold="line-rate"}} 1"#
        ),
        format!(
            r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="max",variant="tcp"}} 24000000"#
        ),
        format!(
            r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="median",variant="tcp"}} 23875000"#
        ),
        format!(
            r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="min",variant="tcp"}} 23750000"#
        ),
    ];
    assert_eq!(of_tests(&metrics), expected);
}

#[test]
fn datagrams_are_those_that_arrived_each_second() {
    let metrics = Metrics::new(false).unwrap();
    let udp = MEASURED.replace(
        "    retransmits: 0",
        "    datagrams: 1100\n    lostDatagrams: 100\n    lossPPM: 90910\n    jitterMicroseconds: 12",
    );
    publish(&metrics, &udp);
    for (name, value) in [
        // 1,000 in the one second in which 23,875,000 bytes arrived.
        ("nettest_datagrams_per_second{", "1000"),
        ("nettest_datagram_loss_ratio{", "0.09091"),
        ("nettest_jitter_seconds{", "0.000012"),
    ] {
        let found = lines(&metrics, name);
        assert!(
            found.len() == 1 && found[0].ends_with(&format!(" {value}")),
            "{found:?}"
        );
    }
}

#[test]
fn the_names_of_the_common_exporter_are_there_when_asked_for() {
    let metrics = Metrics::new(false).unwrap();
    publish(&metrics, MEASURED);
    assert_eq!(lines(&metrics, "iperf3_"), [""; 0]);
    let metrics = Metrics::new(true).unwrap();
    publish(&metrics, MEASURED);
    let labels = r#"client_node="node1",direction="ClientToServer",nettest="rack",nettest_namespace="default",port="5201",target="node2",variant="tcp""#;
    let values: Vec<String> = lines(&metrics, "iperf3_")
        .into_iter()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let expected = [
        ("received_bytes", "23875000"),
        ("received_seconds", "1"),
        ("retransmits", "0"),
        ("sent_bytes", "25000000"),
        ("sent_seconds", "1"),
        ("up", "1"),
    ]
    .map(|(name, value)| format!("iperf3_{name}{{{labels}}} {value}"));
    assert_eq!(values, expected);
}

#[test]
fn a_run_that_was_not_measured_has_no_figures() {
    let metrics = Metrics::new(false).unwrap();
    publish(&metrics, MEASURED);
    let figures = Figures::Pair {
        pair: None,
        results: &[],
    };
    metrics.publish(key("rack"), run("rack-2"), &finished(&[]), Some(figures));
    assert_eq!(
        of_tests(&metrics),
        [r#"nettest_success{nettest="rack",nettest_namespace="default"} 0"#]
    );
}

#[test]
fn a_pair_that_was_not_measured_is_down_for_the_exporter() {
    let metrics = Metrics::new(true).unwrap();
    let mut ledger = mesh(3);
    let failed = ledger.0.get_mut(&1).unwrap();
    failed.state = PairState::Failed;
    failed.results.clear();
    let figures = Figures::Pairs(&ledger);
    metrics.publish(key("mesh"), run("mesh-1"), &finished(&[]), Some(figures));
    let down: Vec<String> = lines(&metrics, "iperf3_up{")
        .into_iter()
        .filter(|line| line.ends_with(" 0"))
        .collect();
    assert_eq!(
        down,
        [
            r#"iperf3_up{client_node="node-000",direction="",nettest="mesh",nettest_namespace="default",port="5201",target="node-002",variant=""} 0"#
        ]
    );
    let none = Figures::Pair {
        pair: None,
        results: &[],
    };
    metrics.publish(key("mesh"), run("mesh-2"), &finished(&[]), Some(none));
    let up = lines(&metrics, "iperf3_up{");
    assert!(up.len() == 1 && up[0].ends_with(" 0"), "{up:?}");
}

#[test]
fn series_go_with_the_object() {
    let metrics = Metrics::new(false).unwrap();
    publish(&metrics, MEASURED);
    publish(&metrics, &MEASURED.replace("rack", "other"));
    metrics.forget(&key("rack"));
    assert!(of_tests(&metrics).iter().all(|line| line.contains("other")));
    // Nobody told us of the deletion: the object is absent, so are its series.
    metrics.before_scrape(|metrics| metrics.retain(|_| false));
    assert_eq!(of_tests(&metrics), [""; 0]);
}

/// A full mesh of so many nodes in zones a and b by turns; node-000 is slow.
fn mesh(nodes: usize) -> Ledger {
    let name = |node: usize| format!("node-{node:03}");
    let zone = |node: usize| ["a", "b"][node % 2];
    let pairs = (0..nodes).flat_map(|one| (one + 1..nodes).map(move |other| (one, other)));
    let records = pairs.map(|(one, other)| {
        let rate = if one == 0 { 10_000_000 + other } else { 9_000_000_000 + other };
        let text = format!(
            "{{client: {}, server: {}, clientZone: {}, serverZone: {}, lane: {{client: Pod, server: Pod}}, state: Measured, attempt: 1, results: [\
             {{variant: tcp, flow: ClientToServer, throughput: x, throughputBitsPerSecond: {{median: {rate}, min: {rate}, max: {rate}, spreadPercent: 0}}, \
             senderBitsPerSecond: 1, receiverBitsPerSecond: 1, sentBytes: 1, receivedBytes: 1, repeats: 1}}]}}",
            name(one), name(other), zone(one), zone(other)
        );
        serde_yaml::from_str::<PairRecord>(&text).unwrap()
    });
    Ledger((0..).zip(records).collect())
}

#[test]
fn each_pair_of_a_mesh_is_shown_and_each_node_and_each_two_zones() {
    let metrics = Metrics::new(false).unwrap();
    let mut ledger = mesh(4);
    // A second pass tells nodes apart and is no result; what was not measured has no figure.
    let second = PairRecord {
        second_pass: true,
        ..ledger.0[&0].clone()
    };
    ledger.0.insert(6, second);
    metrics.publish(
        key("mesh"),
        run("mesh-1"),
        &finished(&[]),
        Some(Figures::Pairs(&ledger)),
    );
    let throughput = lines(&metrics, "nettest_throughput_bytes_per_second{");
    assert_eq!(throughput.len(), 6 * 3, "{throughput:#?}");
    assert!(throughput.iter().any(|line| {
        [
            r#"client_node="node-000""#,
            r#"server_node="node-003""#,
            r#"client_zone="a""#,
            r#"server_zone="b""#,
            r#"stat="median""#,
        ]
        .iter()
        .all(|label| line.contains(label))
            && line.ends_with(" 1250000.375")
    }));
    let nodes = lines(&metrics, "nettest_node_throughput_bytes_per_second{");
    let slow: Vec<&String> = nodes
        .iter()
        .filter(|line| line.contains(r#"node="node-000""#) && line.contains("median"))
        .collect();
    assert!(
        slow.len() == 1 && slow[0].ends_with(" 1250000.25"),
        "{nodes:#?}"
    );
    // node-000 never serves, node-003 is never a client.
    assert_eq!(nodes.len(), (3 + 3) * 3, "{nodes:#?}");
    let all = lines(&metrics, "nettest_pairs_throughput_bytes_per_second{");
    assert_eq!(
        all,
        [("max", "1125000000.375"), ("median", "1250000.375"), ("min", "1250000.125")].map(
            |(stat, rate)| format!(
                r#"nettest_pairs_throughput_bytes_per_second{{direction="ClientToServer",nettest="mesh",nettest_namespace="default",stat="{stat}",variant="tcp"}} {rate}"#
            )
        )
    );
    let zones = lines(&metrics, "nettest_zone_throughput_bytes_per_second{");
    assert_eq!(zones.len(), 4 * 3, "{zones:#?}");
    // The next pass brings no figures of this run: they stay. Another run's do not.
    metrics.publish(key("mesh"), run("mesh-1"), &finished(&[]), None);
    assert!(metrics.shows(&key("mesh"), &run("mesh-1")));
    assert_eq!(
        lines(&metrics, "nettest_throughput_bytes_per_second{"),
        throughput
    );
    assert!(!metrics.shows(&key("mesh"), &run("mesh-2")));
    metrics.publish(key("mesh"), run("mesh-2"), &finished(&[]), None);
    assert_eq!(
        lines(&metrics, "nettest_throughput_bytes_per_second{"),
        [""; 0]
    );
}

#[test]
fn of_too_many_pairs_the_worst_are_shown() {
    let metrics = Metrics::new(false).unwrap();
    let ledger = mesh(40);
    assert!(ledger.0.len() > MOST_PAIRS);
    metrics.publish(
        key("mesh"),
        run("mesh-1"),
        &finished(&[]),
        Some(Figures::Pairs(&ledger)),
    );
    let throughput = lines(&metrics, "nettest_throughput_bytes_per_second{");
    assert_eq!(throughput.len(), 100 * 3);
    let slow = throughput
        .iter()
        .filter(|line| line.contains(r#"client_node="node-000""#));
    assert_eq!(
        slow.count(),
        39 * 3,
        "all pairs of the slow node are among the worst"
    );
    // All 780 pairs count for the nodes: 39 are clients, 39 servers.
    let nodes = lines(&metrics, "nettest_node_throughput_bytes_per_second{");
    assert_eq!(nodes.len(), 2 * 39 * 3);
}

#[test]
fn many_variants_of_few_pairs_are_bounded_too() {
    let metrics = Metrics::new(false).unwrap();
    let mut ledger = mesh(20);
    for record in ledger.0.values_mut() {
        let one = record.results.remove(0);
        let variant = |number: u32| VariantResult {
            variant: format!("tcp-p{number}"),
            ..one.clone()
        };
        record.results = (0..128).map(variant).collect();
    }
    let figures = Figures::Pairs(&ledger);
    metrics.publish(key("mesh"), run("mesh-1"), &finished(&[]), Some(figures));
    let median = |line: &String| line.contains(r#"stat="median""#);
    let shown = lines(&metrics, "nettest_throughput_bytes_per_second{");
    let pairs = MOST_RESULTS / 128;
    assert_eq!(
        shown.iter().filter(|line| median(line)).count(),
        pairs * 128
    );
    // Node-000 is the slow one: its 19 pairs are among them.
    let slow = shown.iter().filter(|line| median(line));
    let slow = slow.filter(|line| line.contains(r#"client_node="node-000""#));
    assert_eq!(slow.count(), 19 * 128);
    let all = lines(&metrics, "nettest_pairs_throughput_bytes_per_second{");
    assert_eq!(all.len(), 128 * 3);
}
