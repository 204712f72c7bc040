//! Which pairs a status has room for.

use super::{Key, between, key, summarise};
use crate::{
    ledger::{Ledger, PairRecord},
    valid::ValidTest,
    verdict::{History, Judge, Missed},
};
use nettest_api::{
    result::{Flow, PairFigures, PairResult, PairState, VariantResult},
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
    let mut two_nodes: BTreeMap<Nodes<'_>, Vec<(u32, &PairRecord)>> = BTreeMap::new();
    for (number, record) in &ledger.0 {
        let records = two_nodes.entry(nodes(record)).or_default();
        records.push((*number, record));
    }
    let missing: BTreeMap<u32, Misses> = two_nodes
        .values()
        .flat_map(|records| misses_of(&judge, records))
        .collect();
    let summary = summarise(ledger);
    let medians: BTreeMap<Key<'_>, i64> = summary
        .iter()
        .map(|result| (key(result), result.throughput_bits_per_second.median))
        .collect();
    let mut ranked: Vec<(Rank, &PairRecord)> = ledger
        .0
        .iter()
        .map(|(number, record)| {
            let misses = missing.get(number).copied().unwrap_or_default();
            (rank(record, misses, &medians), record)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(ROWS);
    let figures = (FIGURES / ranked.len().max(1)).min(FIGURES_OF_ONE);
    let several_lanes = test.lanes().len() > 1;
    let mut left = bytes;
    ranked
        .into_iter()
        .map(|(_, record)| {
            let records = two_nodes.get(&nodes(record)).into_iter().flatten();
            let pairs = between(records.map(|(_, record)| *record));
            let missed = pairs.iter().flat_map(|pair| judge.missed(pair));
            let missed: Vec<Missed<'_>> = missed.collect();
            shown(record, &missed, several_lanes, figures, &medians)
        })
        .take_while(|row| {
            let size = serde_json::to_string(row).map_or(usize::MAX, |text| text.len() + 1);
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        })
        .collect()
}

/// Whose results are judged together: the pass, the client, the server.
type Nodes<'a> = (bool, &'a str, &'a str);

fn nodes(record: &PairRecord) -> Nodes<'_> {
    (record.second_pass, &record.client, &record.server)
}

/// How many thresholds a pair misses. Which figures miss them is looked up for the pairs that are shown alone: of a
/// large mesh they would be a hundred megabytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Misses {
    fail: usize,
    warn: usize,
}

/// Of two nodes' records, those that miss something, by number.
fn misses_of(judge: &Judge<'_>, records: &[(u32, &PairRecord)]) -> Vec<(u32, Misses)> {
    let pairs = between(records.iter().map(|(_, record)| *record));
    let owners: BTreeMap<Key<'_>, u32> = records
        .iter()
        .flat_map(|(number, record)| record.results.iter().map(|result| (key(result), *number)))
        .collect();
    let mut found: BTreeMap<u32, (Misses, usize)> = BTreeMap::new();
    for missed in pairs.iter().flat_map(|pair| judge.missed(pair)) {
        let wanted = (missed.variant, missed.flow == Flow::ServerToClient);
        let Some(number) = owners.get(&wanted) else {
            continue;
        };
        // The misses of a threshold come one after the other.
        let (misses, last) = found
            .entry(*number)
            .or_insert((Misses::default(), usize::MAX));
        if *last != missed.number {
            *last = missed.number;
            match missed.threshold.severity {
                Severity::Fail => misses.fail += 1,
                Severity::Warn => misses.warn += 1,
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|(number, (misses, _))| (number, misses))
        .collect()
}

/// The lower the worse: whether it was measured, what it misses, the share of the slowest flow in millionths of what
/// the pair in the middle has.
type Rank = (bool, Reverse<Misses>, i128);

fn rank(record: &PairRecord, misses: Misses, medians: &BTreeMap<Key<'_>, i64>) -> Rank {
    let shares = record.results.iter().map(|result| share(result, medians));
    (
        record.state != PairState::Failed,
        Reverse(misses),
        shares.min().unwrap_or(i128::MAX),
    )
}

/// `missed`: by its two nodes, on whichever lanes.
fn shown(
    record: &PairRecord,
    missed: &[Missed<'_>],
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
        client_zone: _,
        server_zone: _,
        documents: _,
    } = record;
    let is_own = |missed: &&Missed<'_>| results.iter().any(|result| is_about(missed, result));
    let mut names: Vec<String> = Vec::new();
    for missed in missed.iter().filter(is_own) {
        if names.last() != Some(&missed.threshold.name) {
            names.push(missed.threshold.name.clone());
        }
    }
    // The worst of them, in the order in which they were measured.
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.sort_by_cached_key(|&index| {
        results.get(index).map(|result| {
            let misses = missed.iter().any(|missed| is_about(missed, result));
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
