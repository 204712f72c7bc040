//! Which pairs a status has room for.

use super::{Key, between, key, summarise};
use crate::{
    ledger::{Ledger, PairRecord},
    valid::ValidTest,
    verdict::{History, Judge, Missed},
};
use nettest_api::{
    result::{PairFigures, PairResult, PairState, VariantResult},
    threshold::Severity,
};
use std::{cmp::Reverse, collections::BTreeMap};

/// Rows of a status, as its schema has it.
pub(super) const ROWS: usize = 200;
/// Figures in all rows …
const FIGURES: usize = 400;
/// … and in one, as its schema has it.
const FIGURES_OF_ONE: usize = 128;
/// Bytes of a row's message.
const MESSAGE: usize = 256;

/// The pairs that are known, worst first: those that could not be measured, those that missed a threshold, then by
/// how far their throughput is below the others'. As many as `bytes` of JSON hold, and 200 at most. A row has the worst
/// of its figures where all of them are too many.
pub fn worst_first(
    test: &ValidTest,
    ledger: &Ledger,
    history: &History,
    bytes: usize,
) -> Vec<PairResult> {
    let judge = Judge::new(test, history);
    let passes = [false, true].map(|second_pass| {
        let records = ledger.0.values();
        let pairs = between(records.filter(|record| record.second_pass == second_pass));
        (second_pass, pairs)
    });
    let mut missed: BTreeMap<(bool, &str, &str), Vec<Missed<'_>>> = BTreeMap::new();
    for (second_pass, pairs) in &passes {
        for pair in pairs {
            let misses: Vec<Missed<'_>> = judge.missed(pair).collect();
            if !misses.is_empty() {
                missed.insert((*second_pass, pair.client, pair.server), misses);
            }
        }
    }
    let summary = summarise(ledger);
    let medians: BTreeMap<Key<'_>, i64> = summary
        .iter()
        .map(|result| (key(result), result.throughput_bits_per_second.median))
        .collect();
    let mut rows: Vec<Row<'_>> = ledger
        .0
        .values()
        .map(|record| {
            let nodes = (
                record.second_pass,
                record.client.as_str(),
                record.server.as_str(),
            );
            Row::new(
                record,
                missed.get(&nodes).map_or(&[], Vec::as_slice),
                &medians,
            )
        })
        .collect();
    rows.sort_by_key(|row| row.rank);
    rows.truncate(ROWS);
    let figures = (FIGURES / rows.len().max(1)).min(FIGURES_OF_ONE);
    let several_lanes = test.lanes().len() > 1;
    let mut left = bytes;
    rows.into_iter()
        .map(|row| row.shown(several_lanes, figures, &medians))
        .take_while(|row| {
            let size = serde_json::to_string(row).map_or(usize::MAX, |text| text.len() + 1);
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        })
        .collect()
}

/// The lower the worse: whether it was measured, thresholds that fail the test and those that warn, the share of the
/// slowest flow in millionths of what the pair in the middle has.
type Rank = (bool, Reverse<(usize, usize)>, i128);

struct Row<'a> {
    record: &'a PairRecord,
    missed: Vec<Missed<'a>>,
    rank: Rank,
}

impl<'a> Row<'a> {
    /// `missed`: by its two nodes, on whichever lanes.
    fn new(
        record: &'a PairRecord,
        missed: &[Missed<'a>],
        medians: &BTreeMap<Key<'_>, i64>,
    ) -> Self {
        let is_own = |missed: &&Missed<'a>| {
            let mut results = record.results.iter();
            results.any(|result| is_about(missed, result))
        };
        let missed: Vec<Missed<'a>> = match record.state {
            PairState::Measured => missed.iter().filter(is_own).copied().collect(),
            _ => vec![],
        };
        let count = |severity| {
            let missed = missed.iter().map(|missed| missed.threshold);
            let mut names: Vec<&str> = missed
                .filter(|threshold| threshold.severity == severity)
                .map(|threshold| threshold.name.as_str())
                .collect();
            names.dedup();
            names.len()
        };
        let slowest = record.results.iter().map(|result| share(result, medians));
        Row {
            record,
            rank: (
                record.state != PairState::Failed,
                Reverse((count(Severity::Fail), count(Severity::Warn))),
                slowest.min().unwrap_or(i128::MAX),
            ),
            missed,
        }
    }

    fn shown(
        self,
        several_lanes: bool,
        figures: usize,
        medians: &BTreeMap<Key<'_>, i64>,
    ) -> PairResult {
        let PairRecord {
            client,
            server,
            lane: _,
            second_pass,
            state,
            attempt: _,
            reason,
            message,
            results,
            diagnosis: _,
            unpinned: _,
            client_link: _,
            server_link: _,
        } = self.record;
        let mut names: Vec<String> = Vec::new();
        for missed in &self.missed {
            if names.last() != Some(&missed.threshold.name) {
                names.push(missed.threshold.name.clone());
            }
        }
        // The worst of them, in the order in which they were measured.
        let mut order: Vec<usize> = (0..results.len()).collect();
        order.sort_by_key(|&index| {
            results.get(index).map(|result| {
                let misses = self.missed.iter().any(|missed| is_about(missed, result));
                (!misses, share(result, medians))
            })
        });
        order.truncate(figures);
        order.sort_unstable();
        PairResult {
            client: client.clone(),
            server: server.clone(),
            path: results
                .first()
                .map(|result| result.path)
                .filter(|_| several_lanes),
            state: *state,
            second_pass: *second_pass,
            reason: reason.map(|reason| reason.as_str().to_owned()),
            message: Some(shortened(message)).filter(|message| !message.is_empty()),
            missed: names,
            figures: order
                .into_iter()
                .filter_map(|index| results.get(index))
                .map(key_figures)
                .collect(),
        }
    }
}

fn is_about(missed: &Missed<'_>, result: &VariantResult) -> bool {
    missed.variant == result.variant && missed.flow == result.flow
}

/// Of the throughput that the pair in the middle has, in millionths.
fn share(result: &VariantResult, medians: &BTreeMap<Key<'_>, i64>) -> i128 {
    let own = i128::from(result.throughput_bits_per_second.median);
    let median = medians.get(&key(result)).copied().unwrap_or(1);
    own * 1_000_000 / i128::from(median.max(1))
}

fn key_figures(result: &VariantResult) -> PairFigures {
    PairFigures {
        variant: result.variant.clone(),
        flow: result.flow,
        throughput_bits_per_second: result.throughput_bits_per_second.median,
        spread_percent: result.throughput_bits_per_second.spread_percent,
        retransmits: result.retransmits,
        rtt_microseconds: result.rtt_microseconds,
        loss_ppm: result.loss_ppm,
        jitter_microseconds: result.jitter_microseconds,
    }
}

/// Cut between letters.
pub(crate) fn shortened(text: &str) -> String {
    if text.len() <= MESSAGE {
        return text.to_owned();
    }
    let mut end = MESSAGE - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}
