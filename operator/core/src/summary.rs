//! The pairs of a run in a status: figures over all of them, and the worst one by one, as many as fit.

use crate::{
    ledger::{Ledger, PairRecord},
    valid::ValidTest,
    verdict::{self, History, MeasuredPair},
};
use nettest_api::result::{
    Flow, PairFigures, PairResult, PairState, Progress, Spread, VariantResult,
};
use std::collections::BTreeMap;

/// Rows of a status, as its schema has it.
const ROWS: usize = 200;
/// … and figures in all of them, so that a status stays under 200 KiB.
const FIGURES: usize = 400;
/// Bytes of a row's message.
const MESSAGE: usize = 256;

/// Two nodes with all that was measured between them, on whichever lanes, so that paths can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    client: String,
    server: String,
    results: Vec<VariantResult>,
    client_link: Option<u64>,
    server_link: Option<u64>,
}

impl Between {
    /// Client and server.
    pub fn nodes(&self) -> (String, String) {
        (self.client.clone(), self.server.clone())
    }

    pub fn measured(&self) -> MeasuredPair<'_> {
        MeasuredPair {
            client: &self.client,
            server: &self.server,
            results: &self.results,
            client_link: self.client_link,
            server_link: self.server_link,
        }
    }
}

/// Each two nodes that were measured, in the order of the pairs' numbers.
pub fn between<'a>(records: impl IntoIterator<Item = &'a PairRecord>) -> Vec<Between> {
    let mut all: Vec<Between> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in records {
        if record.state != PairState::Measured {
            continue;
        }
        let index = *known
            .entry((&record.client, &record.server))
            .or_insert_with(|| {
                all.push(Between {
                    client: record.client.clone(),
                    server: record.server.clone(),
                    results: vec![],
                    client_link: None,
                    server_link: None,
                });
                all.len() - 1
            });
        if let Some(two) = all.get_mut(index) {
            two.results.extend(record.results.iter().cloned());
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

/// One result a variant and flow. The throughput's spread is over the pairs' medians; every other figure is that of
/// the pair in the middle.
pub fn summarise(ledger: &Ledger) -> Vec<VariantResult> {
    let mut groups: BTreeMap<(usize, bool), Vec<&VariantResult>> = BTreeMap::new();
    let mut names: Vec<&str> = Vec::new();
    for result in of_first_pass(ledger).flat_map(|record| &record.results) {
        let known = names.iter().position(|name| *name == result.variant);
        let index = known.unwrap_or_else(|| {
            names.push(&result.variant);
            names.len() - 1
        });
        let back = result.flow == Flow::ServerToClient;
        groups.entry((index, back)).or_default().push(result);
    }
    groups
        .into_values()
        .filter_map(|mut results| {
            results.sort_by_key(|result| result.throughput_bits_per_second.median);
            let rate = |result: &&VariantResult| result.throughput_bits_per_second.median;
            let (min, max) = (rate(results.first()?), rate(results.last()?));
            let middle = *results.get((results.len() - 1) / 2)?;
            let median = rate(&middle);
            let percent = i128::from(max - min) * 100 / i128::from(median.max(1));
            Some(VariantResult {
                throughput_bits_per_second: Spread {
                    median,
                    min,
                    max,
                    spread_percent: i64::try_from(percent).unwrap_or(i64::MAX),
                },
                ..middle.clone()
            })
        })
        .collect()
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

/// The pairs that are known, worst first: those that could not be measured, those that missed a threshold, then by
/// how far their throughput is below the others'.
pub fn worst_first(test: &ValidTest, ledger: &Ledger, history: &History) -> Vec<PairResult> {
    let medians: BTreeMap<(String, bool), i64> = summarise(ledger)
        .into_iter()
        .map(|result| {
            let back = result.flow == Flow::ServerToClient;
            (
                (result.variant, back),
                result.throughput_bits_per_second.median,
            )
        })
        .collect();
    // Millionths of the median of the slowest flow.
    let share = |record: &PairRecord| {
        record
            .results
            .iter()
            .filter_map(|result| {
                let back = result.flow == Flow::ServerToClient;
                let median = *medians.get(&(result.variant.clone(), back))?;
                let own = i128::from(result.throughput_bits_per_second.median);
                Some(own * 1_000_000 / i128::from(median.max(1)))
            })
            .min()
            .unwrap_or(i128::MAX)
    };
    let all = between(ledger.0.values());
    let missed_between: BTreeMap<(&str, &str), Vec<String>> = all
        .iter()
        .map(|two| {
            let missed = verdict::missed_by(test, two.measured(), history);
            ((two.client.as_str(), two.server.as_str()), missed)
        })
        .collect();
    let mut rows: Vec<_> = ledger
        .0
        .values()
        .map(|record| {
            let missed = missed_between.get(&(record.client.as_str(), record.server.as_str()));
            let missed = missed.filter(|_| record.state == PairState::Measured);
            let missed = missed.cloned().unwrap_or_default();
            let rank = (
                record.state != PairState::Failed,
                std::cmp::Reverse(missed.len()),
                share(record),
            );
            (rank, record, missed)
        })
        .collect();
    rows.sort_by_key(|(rank, _, _)| *rank);
    let several_lanes = test.lanes().len() > 1;
    let mut figures_left = FIGURES;
    rows.into_iter()
        .take(ROWS)
        .map(|(_, record, missed)| {
            let row = row(record, missed, several_lanes, figures_left);
            figures_left = figures_left.saturating_sub(row.figures.len());
            row
        })
        .collect()
}

fn row(
    record: &PairRecord,
    missed: Vec<String>,
    several_lanes: bool,
    figures: usize,
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
        client_link: _,
        server_link: _,
    } = record;
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
        missed,
        figures: results.iter().take(figures).map(key_figures).collect(),
    }
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

fn shortened(text: &str) -> String {
    if text.len() <= MESSAGE {
        return text.to_owned();
    }
    let mut end = MESSAGE - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        testing::{PAIR_TCP, digest, valid},
        valid::Lane,
    };
    use nettest_api::Reason;

    fn record(client: &str, server: &str, rate: Option<u64>) -> PairRecord {
        let test = valid(PAIR_TCP);
        PairRecord {
            client: client.to_owned(),
            server: server.to_owned(),
            lane: Lane::PODS,
            second_pass: false,
            state: if rate.is_some() {
                PairState::Measured
            } else {
                PairState::Failed
            },
            attempt: 1,
            reason: rate.is_none().then_some(Reason::PeerUnreachable),
            message: "x".repeat(if rate.is_none() { 5_000 } else { 0 }),
            results: rate.map_or(vec![], |rate| {
                crate::aggregate::aggregate(&test, &digest(&[rate, rate, rate]))
            }),
            client_link: None,
            server_link: None,
        }
    }

    #[test]
    fn the_worst_come_first() {
        let rates = [Some(950_000_000), Some(100), None, Some(940_000_000)];
        let servers = ["b", "c", "d", "e"];
        let records = rates.into_iter().zip(servers);
        let records = records.map(|(rate, server)| record("a", server, rate));
        let ledger = Ledger((0..).zip(records).collect());
        let rows = worst_first(&valid(PAIR_TCP), &ledger, &[]);
        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                let rate = row.figures.first();
                (
                    row.state,
                    rate.map(|rate| rate.throughput_bits_per_second),
                    row.missed.len(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (PairState::Failed, None, 0),
                (PairState::Measured, Some(100), 1),
                (PairState::Measured, Some(940_000_000), 0),
                (PairState::Measured, Some(950_000_000), 0),
            ]
        );
        let [all] = summarise(&ledger).try_into().expect("one variant");
        let spread = all.throughput_bits_per_second;
        assert_eq!(
            (spread.min, spread.median, spread.max),
            (100, 940_000_000, 950_000_000)
        );
        assert_eq!(
            progress(7, &[5], &ledger),
            Progress {
                pairs: 7,
                running: 1,
                measured: 3,
                failed: 1
            }
        );
    }

    #[test]
    fn the_rows_of_a_mesh_of_a_hundred_nodes_fit_a_status() {
        let node =
            |number: u32| format!("node-{number:03}.a-rather-long-domain.of.a.cloud.example.com");
        let mut ledger = Ledger::default();
        for number in 0..4_950u32 {
            let rate = (number % 7 != 0).then_some(u64::from(number) * 1_000_000);
            let mut record = record(&node(number % 100), &node(number / 50), rate);
            let results = record.results.clone();
            // Both ways, and many variants of each.
            record.results = (0..64).flat_map(|_| results.clone()).collect();
            ledger.0.insert(number, record);
        }
        let rows = worst_first(&valid(PAIR_TCP), &ledger, &[]);
        assert_eq!(rows.len(), ROWS);
        let size = serde_json::to_string(&rows).unwrap().len();
        assert!(size < 150 * 1024, "{size}");
    }
}
