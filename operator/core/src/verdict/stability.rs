//! Whether the repeats of a variant lie near enough to each other.

use super::{MeasuredPair, words};
use crate::{
    units,
    valid::{Stability, ValidTest},
};
use nettest_api::result::{Flow, VariantResult};

/// So many are told one by one.
const TOLD: usize = 5;

/// The spread is still above what is allowed after the last repeat.
pub fn is_unstable(test: &ValidTest, result: &VariantResult) -> bool {
    let spread = result.throughput_bits_per_second.spread_percent;
    test.repeats
        .stability
        .is_some_and(|stability| spread > i64::from(stability.max_spread_percent))
}

/// What is too far apart, the widest first, and how many more there are.
pub(super) fn unstable(test: &ValidTest, pairs: &[MeasuredPair<'_>]) -> Vec<String> {
    let several = pairs.len() > 1;
    let mut found: Vec<(&MeasuredPair<'_>, &VariantResult)> = pairs
        .iter()
        .flat_map(|pair| pair.results.iter().map(move |result| (pair, *result)))
        .filter(|(_, result)| is_unstable(test, result))
        .collect();
    found.sort_by_key(|(_, result)| {
        std::cmp::Reverse(result.throughput_bits_per_second.spread_percent)
    });
    let mut told: Vec<String> = found
        .iter()
        .take(TOLD)
        .map(|(pair, result)| {
            let place = match (several, result.flow) {
                (true, Flow::ClientToServer) => format!(" from {} to {}", pair.client, pair.server),
                (true, Flow::ServerToClient) => format!(" from {} to {}", pair.server, pair.client),
                (false, flow) => format!(", {}", words::flow(flow)),
            };
            format!(
                "{}{place}: {}",
                result.variant,
                spread_in_words(test, result)
            )
        })
        .collect();
    match found.len().saturating_sub(TOLD) {
        0 => {}
        more => told.push(format!("and {more} more")),
    }
    told
}

/// The figures alone.
pub fn spread_in_words(test: &ValidTest, result: &VariantResult) -> String {
    let spread = result.throughput_bits_per_second;
    let rate = |bits: i64| units::bits_per_second(u64::try_from(bits).unwrap_or(0));
    let asked = match test.repeats.stability {
        Some(Stability {
            max_spread_percent, ..
        }) => format!(", at most {max_spread_percent} % asked"),
        None => String::new(),
    };
    format!(
        "{} to {} over {} repeats, a spread of {} %{asked}",
        rate(spread.min),
        rate(spread.max),
        result.repeats,
        spread.spread_percent,
    )
}
