//! Thresholds that are relative to the link, another variant, earlier runs.

use super::M;
use crate::{
    testing::valid,
    verdict::{MeasuredPair, tests::many::result, verdict},
};
use nettest_api::result::{Flow, ThresholdResult, VariantResult, Verdict};

fn manifest(threshold: &str) -> String {
    format!(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {{name: a, namespace: nettest-system}}
spec:
  sweep: {{paths: [PodIP, Host]}}
  thresholds: [{{name: a, {threshold}}}]
"
    )
}

fn judged(
    threshold: &str,
    results: &[VariantResult],
    links: [Option<u64>; 2],
    history: &[Vec<VariantResult>],
) -> ThresholdResult {
    let test = valid(&manifest(threshold));
    let pair = MeasuredPair {
        client: "a",
        server: "b",
        results: results.iter().collect(),
        client_link: links[0],
        server_link: links[1],
    };
    let judged = verdict(&test, &[pair], history);
    let [threshold] = judged.thresholds.try_into().expect("one");
    assert_eq!(judged.verdict == Verdict::Passed, threshold.met);
    threshold
}

fn of_pods(rate: u64) -> Vec<VariantResult> {
    vec![result("tcp-p1-podip", Flow::ClientToServer, rate)]
}

#[test]
fn of_the_slower_link_and_nothing_passes_by_rounding() {
    let link = "metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90}";
    let (ten, twenty_five) = (Some(10_000 * M), Some(25_000 * M));
    let met = judged(link, &of_pods(9_000 * M), [twenty_five, ten], &[]);
    assert!(met.met);
    assert_eq!(
        (met.observed, met.wanted),
        (Some(9_000_000_000), Some(9_000_000_000))
    );
    assert_eq!(
        met.message,
        "9.00 Gbit/s at the receiver, at least 9.00 Gbit/s (90 % of the 10.0 Gbit/s link) asked"
    );
    // The one that is known.
    assert!(!judged(link, &of_pods(9_000 * M), [None, twenty_five], &[]).met);
    // 90 % of 11 is 9.9.
    assert!(!judged(link, &of_pods(9), [Some(11), None], &[]).met);
    assert!(judged(link, &of_pods(10), [Some(11), None], &[]).met);
}

#[test]
fn a_link_that_nobody_knows_is_not_reached() {
    let missed = judged(
        "metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 1}",
        &of_pods(M),
        [None, None],
        &[],
    );
    assert_eq!((missed.met, missed.wanted), (false, None));
    assert_eq!(
        missed.message,
        "1.00 Mbit/s at the receiver, and the speed of the link is unknown: measure with host network, or set relativeTo.nodeLabel to a node label that has it"
    );
    let missed = judged(
        "metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 1, nodeLabel: example.com/link}",
        &of_pods(M),
        [None, None],
        &[],
    );
    assert!(
        missed.message.ends_with("their label example.com/link"),
        "{}",
        missed.message
    );
}

#[test]
fn of_another_variant_of_the_same_pair() {
    let pods = "metric: Throughput, relativeTo: {kind: Variant, variant: tcp-p1-host, percent: 90}";
    let both = |pods: u64, hosts: u64| {
        vec![
            result("tcp-p1-podip", Flow::ClientToServer, pods),
            result("tcp-p1-host", Flow::ClientToServer, hosts),
        ]
    };
    assert!(judged(pods, &both(90, 100), [None; 2], &[]).met);
    let missed = judged(pods, &both(89 * M, 100 * M), [None; 2], &[]);
    assert!(!missed.met);
    assert_eq!(
        missed.message,
        "89.0 Mbit/s at the receiver, at least 90.0 Mbit/s (90 % of the 100 Mbit/s of tcp-p1-host) asked"
    );
    // What the others are held against is not held against itself.
    let twice =
        "metric: Throughput, relativeTo: {kind: Variant, variant: tcp-p1-host, percent: 200}";
    assert!(judged(twice, &both(200, 100), [None; 2], &[]).met);
    // Without it nobody knows.
    let missed = judged(pods, &of_pods(M), [None; 2], &[]);
    assert_eq!(
        (missed.met, missed.message.as_str()),
        (
            false,
            "1.00 Mbit/s at the receiver, and that of tcp-p1-host is unknown"
        )
    );
    // The other way's figure is another one.
    let other_way = vec![
        result("tcp-p1-podip", Flow::ClientToServer, 90),
        result("tcp-p1-host", Flow::ServerToClient, 100),
    ];
    assert!(!judged(pods, &other_way, [None; 2], &[]).met);
}

#[test]
fn of_the_runs_before_as_many_as_there_are() {
    let runs = "metric: Throughput, relativeTo: {kind: History, percent: 90, runs: 3}";
    let history = |rates: &[u64]| -> Vec<Vec<VariantResult>> {
        rates.iter().map(|rate| of_pods(*rate)).collect()
    };
    let judged =
        |rate: u64, before: &[u64]| judged(runs, &of_pods(rate), [None; 2], &history(before));
    let first = judged(1, &[]);
    assert_eq!(
        (first.met, first.message.as_str()),
        (
            true,
            "1 bit/s at the receiver, with no earlier run to compare with"
        )
    );
    let one = judged(89 * M, &[100 * M]);
    assert_eq!(
        (one.met, one.message.as_str()),
        (
            false,
            "89.0 Mbit/s at the receiver, at least 90.0 Mbit/s (90 % of the 100 Mbit/s of the last run) asked"
        )
    );
    // The fourth is too old; of two in the middle the lower.
    let three = judged(90 * M, &[100 * M, 1, 200 * M, 5_000 * M, 5_000 * M]);
    assert_eq!(
        (three.met, three.message.as_str()),
        (
            true,
            "90.0 Mbit/s at the receiver, at least 90.0 Mbit/s (90 % of 100 Mbit/s, the median of the last 3 runs) asked"
        )
    );
    assert!(judged(90, &[200, 100]).met);
    // Runs that did not measure this variant are none.
    let others = vec![vec![result("tcp-p8", Flow::ClientToServer, 1)]];
    let test = valid(&manifest(runs));
    let now = of_pods(1);
    let pair = MeasuredPair {
        client: "a",
        server: "b",
        results: now.iter().collect(),
        client_link: None,
        server_link: None,
    };
    assert_eq!(verdict(&test, &[pair], &others).verdict, Verdict::Passed);
}

#[test]
fn more_than_so_much_of_a_round_trip_time_is_too_much() {
    let rtt = |microseconds: Option<i64>| {
        let mut results = of_pods(1);
        results[0].rtt_microseconds = microseconds;
        results
    };
    let runs = "metric: RTTMicroseconds, relativeTo: {kind: History, percent: 150}";
    let before = vec![rtt(Some(101))];
    assert!(judged(runs, &rtt(Some(151)), [None; 2], &before).met);
    let missed = judged(runs, &rtt(Some(152)), [None; 2], &before);
    assert_eq!(
        (missed.met, missed.message.as_str()),
        (
            false,
            "a round-trip time of 152 µs, at most 151 µs (150 % of the 101 µs of the last run) asked"
        )
    );
    // What is unknown meets nothing, also in a first run.
    let unknown = judged(runs, &rtt(None), [None; 2], &[]);
    assert_eq!(
        (unknown.met, unknown.message.as_str()),
        (
            false,
            "the round-trip time is unknown, with no earlier run to compare with"
        )
    );
}
