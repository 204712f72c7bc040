//! Two runs side by side: what changed, and whether that is more than the repeats of one run differ by.

use nettest_api::result::{Flow, Spread, VariantResult};
use serde::Serialize;

/// Whether a change means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Noise {
    /// The repeats of the two overlap, or the medians are nearer than the repeats of one of them are.
    Within,
    /// Every repeat of one is above every repeat of the other, by more than either spreads.
    Beyond,
    /// One repeat has no spread.
    Unknown,
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
