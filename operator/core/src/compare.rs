//! Two runs side by side: what changed, and whether that is more than the repeats of one run differ by.

use crate::ledger::PairRecord;
use nettest_api::result::{Flow, Spread, VariantResult};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether a change means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Noise {
    /// The repeats of the two overlap, or the medians are nearer than the repeats of one of them are.
    Within,
    /// Every repeat of one is above every repeat of the other, by more than either spreads.
    Beyond,
    /// One repeat has no spread.
    Unknown,
    /// The spread is over several pairs: how far they differ, and not how far their repeats do. Each pair says it for itself.
    OverPairs,
}

/// One variant and flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub variant: String,
    pub flow: Flow,
    /// `None`: only the other run has it.
    pub before: Option<Spread>,
    pub after: Option<Spread>,
    pub change: Option<Change>,
}

/// One pair of two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfPair {
    pub client: String,
    pub server: String,
    #[serde(flatten)]
    pub comparison: Comparison,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Of the median, in tenths of a percent of the one before. `None`: there was no throughput.
    pub permille: Option<i64>,
    pub noise: Noise,
}

/// In the order of the first, then what only the second has.
pub fn compare(before: &[VariantResult], after: &[VariantResult]) -> Vec<Comparison> {
    let same = |one: &VariantResult, other: &VariantResult| {
        one.variant == other.variant && one.flow == other.flow
    };
    let both = before.iter().map(|one| {
        let other = after.iter().find(|other| same(one, other));
        of(one, Some(one), other)
    });
    let new = after
        .iter()
        .filter(|other| !before.iter().any(|one| same(one, other)))
        .map(|other| of(other, None, Some(other)));
    both.chain(new).collect()
}

/// The figures over the pairs of two runs with several.
pub fn compare_summaries(before: &[VariantResult], after: &[VariantResult]) -> Vec<Comparison> {
    let mut all = compare(before, after);
    for change in all.iter_mut().filter_map(|one| one.change.as_mut()) {
        change.noise = Noise::OverPairs;
    }
    all
}

/// Each pair against itself, the largest loss first; what only one of the runs has is left out. A second pass tells nodes apart
/// and is no result.
pub fn compare_pairs(
    before: &BTreeMap<u32, PairRecord>,
    after: &BTreeMap<u32, PairRecord>,
) -> Vec<OfPair> {
    let (before, after) = (by_ends(before), by_ends(after));
    let both = before
        .iter()
        .filter_map(|(ends, results)| Some((ends, results, after.get(ends)?)));
    let mut all: Vec<OfPair> = both
        .flat_map(|((client, server), before, after)| {
            let compared = compare(before, after).into_iter();
            let known = compared.filter(|one| one.change.is_some());
            known.map(|comparison| OfPair {
                client: (*client).to_owned(),
                server: (*server).to_owned(),
                comparison,
            })
        })
        .collect();
    all.sort_by_key(|pair| pair.comparison.change.and_then(|change| change.permille));
    all
}

fn by_ends(pairs: &BTreeMap<u32, PairRecord>) -> BTreeMap<(&str, &str), Vec<VariantResult>> {
    let mut by_ends: BTreeMap<_, Vec<VariantResult>> = BTreeMap::new();
    for record in pairs.values().filter(|record| !record.second_pass) {
        let ends = (record.client.as_str(), record.server.as_str());
        by_ends
            .entry(ends)
            .or_default()
            .extend_from_slice(&record.results);
    }
    by_ends
}

fn of(
    named: &VariantResult,
    before: Option<&VariantResult>,
    after: Option<&VariantResult>,
) -> Comparison {
    Comparison {
        variant: named.variant.clone(),
        flow: named.flow,
        before: before.map(|result| result.throughput_bits_per_second),
        after: after.map(|result| result.throughput_bits_per_second),
        change: before
            .zip(after)
            .map(|(before, after)| change(before, after)),
    }
}

fn change(before: &VariantResult, after: &VariantResult) -> Change {
    let (one, other) = (
        before.throughput_bits_per_second,
        after.throughput_bits_per_second,
    );
    let difference = i128::from(other.median) - i128::from(one.median);
    // To the nearest, which integer division alone is not. The difference of two i64 leaves room in an i128.
    let was = i128::from(one.median);
    let permille = (difference * 2000 + difference.signum() * was)
        .checked_div(2 * was)
        .and_then(|permille| i64::try_from(permille).ok());
    let width = |spread: Spread| i128::from(spread.max) - i128::from(spread.min);
    let overlap = one.min <= other.max && other.min <= one.max;
    let noise = if before.repeats.min(after.repeats) < 2 {
        Noise::Unknown
    } else if overlap || difference.abs() <= width(one).max(width(other)) {
        Noise::Within
    } else {
        Noise::Beyond
    };
    Change { permille, noise }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(variant: &str, rates: [i64; 3], repeats: i32) -> VariantResult {
        let [min, median, max] = rates;
        serde_yaml::from_str(&format!(
            "{{variant: {variant}, flow: ClientToServer, throughput: x, throughputBitsPerSecond: {{median: {median}, min: {min}, max: {max}, spreadPercent: 0}}, \
             senderBitsPerSecond: 1, receiverBitsPerSecond: 1, sentBytes: 1, receivedBytes: 1, repeats: {repeats}}}"
        ))
        .unwrap()
    }

    #[test]
    fn of_meshes_each_pair_is_compared_with_itself() {
        let record = |server: &str, rates: [i64; 3], second_pass: bool| {
            let text = format!(
                "{{client: a, server: {server}, lane: {{client: Pod, server: Pod}}, state: Measured, attempt: 1, secondPass: {second_pass}}}"
            );
            let mut record: PairRecord = serde_yaml::from_str(&text).unwrap();
            record.results = vec![result("tcp-p1", rates, 3)];
            record
        };
        // B was always slow, and is no slower now; c has lost half of it, which the spread over the pairs would hide.
        let before: BTreeMap<u32, PairRecord> = [
            (0, record("b", [9, 10, 11], false)),
            (1, record("c", [990, 1_000, 1_010], false)),
            (2, record("gone", [1, 1, 1], false)),
        ]
        .into();
        let after: BTreeMap<u32, PairRecord> = [
            (0, record("c", [490, 500, 510], false)),
            (1, record("b", [9, 10, 11], false)),
            (2, record("gone", [1, 1, 1], true)),
        ]
        .into();
        let compared = compare_pairs(&before, &after);
        let told: Vec<_> = compared
            .iter()
            .map(|pair| (pair.server.as_str(), pair.comparison.change.unwrap()))
            .map(|(server, change)| (server, change.permille, change.noise))
            .collect();
        assert_eq!(
            told,
            [
                ("c", Some(-500), Noise::Beyond),
                ("b", Some(0), Noise::Within)
            ]
        );
        let all = |rates| [result("tcp-p1", rates, 3)];
        let over = compare_summaries(&all([10, 1_000, 1_010]), &all([10, 500, 510]));
        assert_eq!(over[0].change.unwrap().noise, Noise::OverPairs);
    }

    #[test]
    fn a_change_within_the_repeats_is_noise() {
        for (before, after, repeats, permille, noise) in [
            ([90, 100, 110], [95, 105, 120], 3, Some(50), Noise::Within),
            // Apart, but by less than the repeats of one of them differ.
            ([60, 100, 101], [102, 110, 112], 3, Some(100), Noise::Within),
            ([99, 100, 101], [79, 80, 81], 3, Some(-200), Noise::Beyond),
            (
                [99, 100, 101],
                [199, 200, 201],
                2,
                Some(1000),
                Noise::Beyond,
            ),
            ([100, 100, 100], [50, 50, 50], 1, Some(-500), Noise::Unknown),
            ([0, 0, 0], [50, 50, 50], 3, None, Noise::Beyond),
            // 14.98 %, and no tenth less.
            (
                [9_400, 9_410, 9_420],
                [7_900, 8_000, 8_100],
                3,
                Some(-150),
                Noise::Beyond,
            ),
        ] {
            let compared = compare(
                &[result("tcp-p1", before, repeats)],
                &[result("tcp-p1", after, 3)],
            );
            let change = compared[0].change.unwrap();
            assert_eq!(
                (change.permille, change.noise),
                (permille, noise),
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn what_only_one_has_is_there_without_a_change() {
        let compared = compare(
            &[
                result("tcp-p1", [1, 1, 1], 3),
                result("tcp-p4", [1, 1, 1], 3),
            ],
            &[
                result("tcp-p4", [1, 1, 1], 3),
                result("udp-p1", [1, 1, 1], 3),
            ],
        );
        let names: Vec<_> = compared
            .iter()
            .map(|c| (c.variant.as_str(), c.before.is_some(), c.after.is_some()))
            .collect();
        assert_eq!(
            names,
            [
                ("tcp-p1", true, false),
                ("tcp-p4", true, true),
                ("udp-p1", false, true)
            ]
        );
        assert!(compared[0].change.is_none() && compared[1].change.is_some());
    }
}
