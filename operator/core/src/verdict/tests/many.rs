//! Thresholds over many pairs.

use super::M;
use crate::{
    aggregate::aggregate,
    testing::{PAIR_TCP, digest, valid},
    verdict::{Judge, Judgement, MeasuredPair, missed_by, verdict},
};
use nettest_api::{
    Reason,
    result::{Flow, VariantResult, Verdict},
    threshold::Severity,
};
use proptest::prelude::*;

/// A result of three equal repeats.
pub(in crate::verdict) fn result(variant: &str, flow: Flow, rate: u64) -> VariantResult {
    let results = aggregate(&valid(PAIR_TCP), &digest(&[rate, rate, rate]));
    let [result] = results.try_into().expect("one");
    VariantResult {
        variant: variant.to_owned(),
        flow,
        ..result
    }
}

fn pair<'a>(server: &'a str, results: &'a [VariantResult]) -> MeasuredPair<'a> {
    MeasuredPair {
        client: "node1",
        server,
        results: results.iter().collect(),
        client_link: Some(10_000 * M),
        server_link: Some(10_000 * M),
    }
}

fn manifest(thresholds: &str) -> String {
    format!(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {{name: a, namespace: default}}
spec:
  topology: {{type: Mesh}}
  sweep: {{parallelStreams: [1, 4]}}
  thresholds: {thresholds}
"
    )
}

/// Of pairs with these rates, both ways.
fn judged(thresholds: &str, rates: &[[u64; 2]]) -> Judgement {
    let results: Vec<Vec<VariantResult>> = rates
        .iter()
        .map(|[there, back]| {
            vec![
                result("tcp-p1", Flow::ClientToServer, *there),
                result("tcp-p1", Flow::ServerToClient, *back),
            ]
        })
        .collect();
    let names: Vec<String> = (0..rates.len())
        .map(|index| format!("node{}", index + 2))
        .collect();
    let pairs: Vec<MeasuredPair<'_>> = names
        .iter()
        .zip(&results)
        .map(|(name, results)| pair(name, results))
        .collect();
    verdict(&valid(&manifest(thresholds)), &pairs, &[])
}

const LINE_RATE: &str =
    "[{name: line-rate, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90}}]";

#[test]
fn the_worst_of_all_pairs_is_told_and_how_many_miss_it() {
    let good = [9_400 * M, 9_300 * M];
    let judged = judged(
        LINE_RATE,
        &[good, [9_400 * M, 4_210 * M], [8_000 * M, 7_000 * M], good],
    );
    assert_eq!(
        (judged.verdict, judged.reason),
        (Verdict::Failed, Reason::ThresholdNotMet)
    );
    let [found] = judged.thresholds.try_into().expect("one");
    assert_eq!(
        (found.met, found.observed, found.wanted, found.missed_pairs),
        (false, Some(4_210_000_000), Some(9_000_000_000), Some(2))
    );
    assert_eq!(found.variant.as_deref(), Some("tcp-p1"));
    assert_eq!(found.pair.as_deref(), Some("node1 -> node3"));
    assert_eq!(
        found.message,
        "4.21 Gbit/s from node3 to node1, at least 9.00 Gbit/s (90 % of the 10.0 Gbit/s link) asked; missed by 2 of 4 pairs"
    );
}

#[test]
fn a_median_forgives_one_pair() {
    let median = "[{name: a, metric: Throughput, min: 900M, scope: Median}]";
    let rates = [[950 * M, 950 * M], [1, 950 * M], [900 * M, 950 * M]];
    let judgement = judged(median, &rates);
    assert_eq!(judgement.verdict, Verdict::Passed);
    let found = &judgement.thresholds[0];
    assert_eq!((found.pair.as_deref(), found.missed_pairs), (None, None));
    assert_eq!(
        found.message,
        "median of 3 pairs, client to server: 900 Mbit/s at the receiver, at least 900 Mbit/s asked"
    );
    // Of two in the middle the lower.
    assert_eq!(judged(median, &rates[..2]).verdict, Verdict::Failed);
}

#[test]
fn a_warning_is_told_and_fails_nothing() {
    let judgement = judged(
        "[{name: wish, metric: Throughput, min: 900M, severity: Warn}, {name: need, metric: Throughput, min: 1M}]",
        &[[500 * M, 950 * M], [950 * M, 950 * M]],
    );
    assert_eq!(
        (judgement.verdict, judgement.reason),
        (Verdict::Passed, Reason::Passed)
    );
    assert_eq!(
        judgement.missed(Severity::Warn),
        "wish: 500 Mbit/s from node1 to node2, at least 900 Mbit/s asked; missed by 1 of 2 pairs"
    );
    assert_eq!(judgement.missed(Severity::Fail), "");
}

#[test]
fn a_pair_is_bad_by_what_fails_and_shows_what_only_warns_too() {
    let thresholds = "[{name: wish, metric: Throughput, min: 900M, severity: Warn}, {name: need, metric: Throughput, min: 100M}, {name: all, metric: Throughput, min: 1G, scope: Median}, {name: four, metric: Throughput, min: 800M, variant: tcp-p4}]";
    let test = valid(&manifest(thresholds));
    let of = |rate: u64| {
        let results = [
            result("tcp-p1", Flow::ClientToServer, rate),
            result("tcp-p4", Flow::ClientToServer, 850 * M),
        ];
        let pair = pair("node2", &results);
        (
            missed_by(&test, &pair, &[]),
            Judge::new(&test, &[]).fails(&pair),
        )
    };
    assert_eq!(of(950 * M), (vec!["wish".to_owned()], false));
    assert_eq!(
        of(99 * M),
        (vec!["wish".to_owned(), "need".to_owned()], true)
    );
}

#[test]
fn several_variants_are_named() {
    let test = valid(&manifest("[{name: a, metric: Throughput, min: 900M}]"));
    let results = [
        result("tcp-p1", Flow::ClientToServer, 700 * M),
        result("tcp-p4", Flow::ClientToServer, 950 * M),
    ];
    let judged =
        |pairs: &[MeasuredPair<'_>]| verdict(&test, pairs, &[]).thresholds[0].message.clone();
    assert_eq!(
        judged(&[pair("b", &results), pair("c", &results[1..])]),
        "tcp-p1: 700 Mbit/s from node1 to b, at least 900 Mbit/s asked; missed by 1 of 2 pairs"
    );
    assert_eq!(
        judged(&[pair("b", &results)]),
        "tcp-p1: 700 Mbit/s at the receiver, at least 900 Mbit/s asked"
    );
}

proptest! {
    #[test]
    fn each_scope_is_what_it_says(
        rates in prop::collection::vec([0u64..2_000, 0u64..2_000], 1..12),
        bound in 0u64..2_000,
    ) {
        let of = |scope: &str| {
            let thresholds = format!("[{{name: a, metric: Throughput, min: {bound}, scope: {scope}}}]");
            judged(&thresholds, &rates).thresholds.remove(0)
        };
        let (each, worst, median) = (of("EachPair"), of("WorstPair"), of("Median"));
        let lowest = rates.iter().flatten().min().copied().unwrap_or(0);
        prop_assert_eq!(each.met, lowest >= bound);
        prop_assert_eq!(each.observed, Some(i64::try_from(lowest).unwrap()));
        prop_assert_eq!(&worst, &each);
        let missing = rates.iter().filter(|both| both.iter().any(|rate| *rate < bound)).count();
        if rates.len() > 1 {
            prop_assert_eq!(each.missed_pairs, Some(i32::try_from(missing).unwrap()));
        }
        let middle = [0, 1].map(|way| {
            let mut rates: Vec<u64> = rates.iter().map(|both| both[way]).collect();
            rates.sort_unstable();
            rates[(rates.len() - 1) / 2]
        });
        prop_assert_eq!(median.met, middle.iter().all(|rate| *rate >= bound));
        prop_assert_eq!(median.observed, middle.into_iter().min().map(|rate| i64::try_from(rate).unwrap()));
    }
}
