//! The pairs of a run in a status: figures over all of them, and the worst one by one, as many as fit.

mod worst;

pub use worst::worst_first;

use crate::{
    ledger::{Ledger, PairRecord},
    verdict::MeasuredPair,
};
use nettest_api::result::{Flow, PairState, Progress, Spread, VariantResult};
use std::collections::BTreeMap;

/// Each two nodes that were measured, in the order of the pairs' numbers. A second pass is apart from the first.
pub fn between<'a>(records: impl IntoIterator<Item = &'a PairRecord>) -> Vec<MeasuredPair<'a>> {
    let mut all: Vec<MeasuredPair<'a>> = Vec::new();
    let mut known: BTreeMap<(bool, &str, &str), usize> = BTreeMap::new();
    for record in records {
        if record.state != PairState::Measured {
            continue;
        }
        let index = *known
            .entry((record.second_pass, &record.client, &record.server))
            .or_insert_with(|| {
                all.push(MeasuredPair {
                    client: &record.client,
                    server: &record.server,
                    results: vec![],
                    client_link: None,
                    server_link: None,
                });
                all.len() - 1
            });
        if let Some(two) = all.get_mut(index) {
            two.results.extend(&record.results);
            two.client_link = two.client_link.or(record.client_link);
            two.server_link = two.server_link.or(record.server_link);
        }
    }
    all
}

/// Those that the verdict is about: a second pass tells nodes apart and is no result.
pub fn of_first_pass(ledger: &Ledger) -> impl Iterator<Item = &PairRecord> {
    ledger.0.values().filter(|record| !record.second_pass)
}

/// A variant, and whether the server sent.
type Key<'a> = (&'a str, bool);

fn key(result: &VariantResult) -> Key<'_> {
    (&result.variant, result.flow == Flow::ServerToClient)
}

/// One result a variant and flow, in the order in which they were measured. The throughput's spread is over the
/// pairs' medians; every other figure is that of the pair in the middle, as a pair's are those of its repeat in the
/// middle: a run that happened, and not a mixture.
pub fn summarise(ledger: &Ledger) -> Vec<VariantResult> {
    let mut groups: Vec<Vec<&VariantResult>> = Vec::new();
    let mut known: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for result in of_first_pass(ledger).flat_map(|record| &record.results) {
        let index = *known.entry(key(result)).or_insert_with(|| {
            groups.push(vec![]);
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            group.push(result);
        }
    }
    groups.into_iter().filter_map(over_pairs).collect()
}

fn over_pairs(mut results: Vec<&VariantResult>) -> Option<VariantResult> {
    let rate = |result: &VariantResult| result.throughput_bits_per_second.median;
    results.sort_by_key(|result| rate(result));
    let (min, max) = (rate(results.first()?), rate(results.last()?));
    let middle = *results.get((results.len() - 1) / 2)?;
    let median = rate(middle);
    let percent = (i128::from(max) - i128::from(min)) * 100 / i128::from(median.max(1));
    Some(VariantResult {
        throughput_bits_per_second: Spread {
            median,
            min,
            max,
            spread_percent: i64::try_from(percent).unwrap_or(i64::MAX),
        },
        ..middle.clone()
    })
}

/// Every result of a run with one pair of nodes, in the order of its lanes.
pub fn all_results(ledger: &Ledger) -> Vec<VariantResult> {
    let records = of_first_pass(ledger);
    records.flat_map(|record| record.results.clone()).collect()
}

pub fn progress(pairs: u32, running: &[u32], ledger: &Ledger) -> Progress {
    let count = |state: PairState| {
        let records = ledger.0.values().filter(|record| record.state == state);
        i32::try_from(records.count()).unwrap_or(i32::MAX)
    };
    Progress {
        pairs: i32::try_from(pairs).unwrap_or(i32::MAX),
        running: i32::try_from(running.len()).unwrap_or(i32::MAX),
        measured: count(PairState::Measured),
        failed: count(PairState::Failed),
    }
}

#[cfg(test)]
mod tests;
