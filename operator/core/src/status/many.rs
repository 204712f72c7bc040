//! The status of a run with several pairs.

use crate::{
    ledger::{PairRecord, shard_of},
    names,
    plan::Many,
    summary::{self, Between},
    valid::ValidTest,
    verdict::{History, Judgement, MeasuredPair, verdict},
};
use nettest_api::{
    NetTestRun, NetTestRunStatus, Reason,
    net_test_run::LedgerStatus,
    result::{EndpointStatus, PairState, PairStatus, Verdict},
};

/// As the definition's maxItems.
const MAX_SUSPECTS: usize = 50;
const MAX_RESULTS: usize = 128;
const MAX_ON_THE_WAY: usize = 20;

/// What is known of the pairs, at the end and on the way.
pub(super) fn note(
    status: &mut NetTestRunStatus,
    run: &NetTestRun,
    test: &ValidTest,
    many: &Many,
    history: &History,
    ended: bool,
) {
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
    status.pairs = summary::worst_first(test, ledger, history);
    if !ended {
        // On the way each pair that ends is a write: it tells of trouble, and of little more.
        status
            .pairs
            .retain(|pair| pair.state == PairState::Failed || !pair.missed.is_empty());
        status.pairs.truncate(MAX_ON_THE_WAY);
    }
    status.suspects = suspects.iter().take(MAX_SUSPECTS).cloned().collect();
    let mut results = if test.is_one_pair() {
        summary::all_results(ledger)
    } else {
        summary::summarise(ledger)
    };
    results.truncate(MAX_RESULTS);
    status.results = results;
    if let (true, [client, server]) = (test.is_one_pair(), nodes.as_slice()) {
        let end = |node: &str| EndpointStatus {
            node: node.to_owned(),
            ..EndpointStatus::default()
        };
        status.pair = Some(PairStatus {
            client: end(client.as_str()),
            server: end(server.as_str()),
        });
    }
}

/// The verdict over all pairs. One that could not be measured is no pass: what it would have shown is not known.
pub(super) fn judge(test: &ValidTest, many: Option<&Many>, history: &History) -> Judgement {
    let records: Vec<&PairRecord> = many
        .iter()
        .flat_map(|many| summary::of_first_pass(&many.ledger))
        .collect();
    let between = summary::between(records.iter().copied());
    let measured: Vec<MeasuredPair<'_>> = between.iter().map(Between::measured).collect();
    let mut judgement = verdict(test, &measured, history);
    let failed = records
        .iter()
        .filter(|record| record.state == PairState::Failed);
    match (failed.count(), measured.is_empty()) {
        (0, false) => {}
        (_, true) => {
            judgement.verdict = Verdict::Error;
            let reasons = records.iter().filter_map(|record| record.reason);
            judgement.reason = reasons.min().unwrap_or(Reason::NotMeasured);
        }
        // One pair's paths belong together: without one of them the comparison is not there.
        (_, false) if test.is_one_pair() => {
            judgement.verdict = Verdict::Error;
            let reasons = records.iter().filter_map(|record| record.reason);
            judgement.reason = reasons.min().unwrap_or(Reason::NotMeasured);
        }
        (_, false) => {
            let missed = judgement.reason == Reason::ThresholdNotMet;
            judgement.verdict = Verdict::Failed;
            if !missed {
                judgement.reason = Reason::NotMeasured;
            }
        }
    }
    judgement
}
