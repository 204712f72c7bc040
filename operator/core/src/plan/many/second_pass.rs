//! After the first pass of a mesh: who is measured once more, and who is suspect.

use crate::{
    layout::Layout,
    ledger::{Ledger, PairRecord},
    mesh::second_pass::{self as pass, PairOutcome, Verdict},
    summary,
    valid::{ValidTest, ValidTopology},
    verdict::Judge,
};
use nettest_api::{
    Reason,
    result::{PairState, Suspect},
    topology::SecondPass,
};
use std::collections::BTreeSet;

/// Add the second pass to the layout once the first is done, and say who is suspect once all is done.
pub(super) fn look(test: &ValidTest, layout: &mut Layout, ledger: &Ledger) -> Vec<Suspect> {
    let ValidTopology::Mesh(mesh) = &test.topology else {
        return vec![];
    };
    if !(0..layout.first_len()).all(|number| ledger.is_done(number)) {
        return vec![];
    }
    let bad = missing(test, ledger);
    let first = outcomes(&bad, layout, ledger, 0..layout.first.len());
    let wanted = pass::second_pass(&layout.nodes, &first);
    if mesh.second_pass == SecondPass::SuspectsOnly
        && let pass::SecondPass::Retest(pairs) = wanted
    {
        layout.second = pairs;
        if !(0..layout.len()).all(|number| ledger.is_done(number)) {
            return vec![];
        }
    }
    let (begin, end) = (layout.first.len(), layout.first.len() + layout.second.len());
    let second = outcomes(&bad, layout, ledger, begin..end);
    pass::conclude(&layout.nodes, &first, &second)
        .suspects
        .into_iter()
        .map(|suspect| Suspect {
            node: suspect.node.as_str().to_owned(),
            confirmed: suspect.confirmed,
            bad_pairs: i32::try_from(suspect.bad_pairs).unwrap_or(i32::MAX),
            good_pairs: i32::try_from(suspect.good_pairs).unwrap_or(i32::MAX),
            message: suspect.message,
        })
        .collect()
}

/// Of the pairs of nodes with these indexes: the worst of their lanes.
fn outcomes(
    bad: &BTreeSet<u32>,
    layout: &Layout,
    ledger: &Ledger,
    indexes: std::ops::Range<usize>,
) -> Vec<PairOutcome> {
    let pairs: Vec<_> = layout.first.iter().chain(&layout.second).collect();
    indexes
        .filter_map(|index| {
            let pair = pairs.get(index)?;
            let verdicts: Vec<Verdict> = layout
                .numbers(index)
                .filter_map(|number| Some(of_record(ledger.get(number)?, bad.contains(&number))))
                .collect();
            let verdict = [Verdict::Bad, Verdict::NotMeasured]
                .into_iter()
                .find(|verdict| verdicts.contains(verdict))
                .unwrap_or(Verdict::Good);
            Some(PairOutcome {
                client: pair.client,
                server: pair.server,
                verdict,
            })
        })
        .collect()
}

fn of_record(record: &PairRecord, misses: bool) -> Verdict {
    match (record.state, record.reason) {
        (PairState::Measured, _) if misses => Verdict::Bad,
        (PairState::Measured, _) => Verdict::Good,
        // What the network may do to a pair; the rest is the cluster's.
        (_, Some(Reason::PeerUnreachable | Reason::EngineCrashed | Reason::RunTimeout)) => {
            Verdict::Bad
        }
        _ => Verdict::NotMeasured,
    }
}

/// The pairs that miss a threshold, by themselves or with the other lanes of their nodes. What is relative to earlier
/// runs tells no node from another.
fn missing(test: &ValidTest, ledger: &Ledger) -> BTreeSet<u32> {
    let judge = Judge::new(test, &[]);
    let passes = [false, true].into_iter().flat_map(|second| {
        let records = ledger.0.values();
        summary::between(records.filter(move |record| record.second_pass == second))
            .into_iter()
            .filter(|two| judge.fails(two))
            .map(move |two| (second, two.client, two.server))
    });
    let bad: BTreeSet<(bool, &str, &str)> = passes.collect();
    let numbers = ledger
        .0
        .iter()
        .filter(|(_, record)| bad.contains(&(record.second_pass, &record.client, &record.server)));
    numbers.map(|(number, _)| *number).collect()
}
