//! The status of a run with several pairs.

use crate::{
    documents,
    ledger::{PairRecord, shard_of},
    names,
    plan::Many,
    summary,
    valid::ValidTest,
    verdict::{History, Judgement, verdict},
};
use nettest_api::{
    NetTestRun, NetTestRunStatus, Reason,
    net_test_run::LedgerStatus,
    result::{EndpointStatus, PairResult, PairState, PairStatus, Verdict},
};
use std::collections::BTreeMap;

/// As the definition's maxItems.
const MAX_SUSPECTS: usize = 50;
const MAX_RESULTS: usize = 128;
const MAX_ON_THE_WAY: usize = 20;
/// Bytes of a status' JSON that pairs may fill up: it stays under 200 KiB.
const MAX_STATUS: usize = 190 * 1024;

/// What is known of the pairs, at the end and on the way.
pub(super) fn note(status: &mut NetTestRunStatus, run: &NetTestRun, test: &ValidTest, many: &Many) {
    let Many {
        nodes,
        pairs,
        running,
        ledger,
        suspects,
    } = many;
    status.nodes = nodes.iter().map(|node| node.as_str().to_owned()).collect();
    // A second pass has a pair a node at most: who reads the ConfigMaps later must find all of them.
    let lanes = u32::try_from(test.lanes().len()).unwrap_or(1);
    let most = u32::try_from(nodes.len())
        .unwrap_or(u32::MAX)
        .saturating_mul(lanes)
        .saturating_add(*pairs);
    status.ledger = run.metadata.name.as_deref().map(|name| LedgerStatus {
        prefix: names::ledger_prefix(name),
        shards: i32::try_from(shard_of(most).saturating_add(1)).unwrap_or(i32::MAX),
    });
    status.progress = Some(summary::progress(*pairs, running, ledger));
    status.documents = documents::of_pairs(ledger);
    status.suspects = suspects.iter().take(MAX_SUSPECTS).cloned().collect();
    let mut results = if test.is_one_pair() {
        summary::all_results(ledger)
    } else {
        summary::summarise(ledger)
    };
    results.truncate(MAX_RESULTS);
    status.results = results;
    if let (true, [client, server]) = (test.is_one_pair(), nodes.as_slice()) {
        let first = ledger.0.values().next();
        let end = |node: &str, zone: Option<&String>| EndpointStatus {
            node: node.to_owned(),
            zone: zone.cloned(),
            ..EndpointStatus::default()
        };
        status.pair = Some(PairStatus {
            client: end(
                client.as_str(),
                first.and_then(|record| record.client_zone.as_ref()),
            ),
            server: end(
                server.as_str(),
                first.and_then(|record| record.server_zone.as_ref()),
            ),
        });
    }
}

/// The pairs that the status has room for.
pub(super) fn pairs(
    status: &NetTestRunStatus,
    test: &ValidTest,
    many: &Many,
    history: &History,
    ended: bool,
) -> Vec<PairResult> {
    let rest = serde_json::to_string(status).map_or(0, |text| text.len());
    let room = MAX_STATUS.saturating_sub(rest);
    let mut pairs = summary::worst_first(test, &many.ledger, history, room);
    if !ended {
        // On the way each pair that ends is a write: it tells of trouble, and of little more.
        pairs.retain(|pair| pair.state == PairState::Failed || !pair.missed.is_empty());
        pairs.truncate(MAX_ON_THE_WAY);
    }
    pairs
}

/// The verdict over all pairs. One that could not be measured is no pass: what it would have shown is not known.
pub(super) fn judge(test: &ValidTest, many: Option<&Many>, history: &History) -> Judgement {
    let records: Vec<&PairRecord> = many
        .iter()
        .flat_map(|many| summary::of_first_pass(&many.ledger))
        .collect();
    let measured = summary::between(records.iter().copied());
    let mut judgement = verdict(test, &measured, history);
    let failed = records
        .iter()
        .filter(|record| record.state == PairState::Failed);
    match (failed.count(), measured.is_empty()) {
        (0, false) => {}
        // One pair's paths belong together: without one of them the comparison is not there.
        (_, is_empty) if is_empty || test.is_one_pair() => {
            judgement.verdict = Verdict::Error;
            judgement.reason = commonest(&records);
        }
        (_, _) => {
            judgement.verdict = Verdict::Failed;
            // What is known to be bad comes before what is not known.
            if judgement.reason != Reason::ThresholdNotMet {
                judgement.reason = Reason::NotMeasured;
            }
        }
    }
    judgement
}

/// Why most of the pairs that were not measured were not; of equally many, the first in the list of reasons.
fn commonest(records: &[&PairRecord]) -> Reason {
    let mut counts: BTreeMap<Reason, usize> = BTreeMap::new();
    for reason in records.iter().filter_map(|record| record.reason) {
        *counts.entry(reason).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(Reason::NotMeasured, |(reason, _)| reason)
}
