//! What the pairs of the first pass say about each node.

use super::{NodeSet, PairOutcome, Verdict};

pub(super) struct Record {
    good: Vec<u32>,
    bad: Vec<u32>,
    /// Bad pairs with no node of `failed`.
    unexplained: Vec<u32>,
    /// Bad pairs and no good one.
    failed: NodeSet,
    /// Good pairs too, but far more unexplained bad ones than its partners.
    stands_out: NodeSet,
    /// Has a bad pair with no suspect in it, or is one.
    unclean: NodeSet,
}

impl Record {
    /// Outcomes of nodes that the mesh does not have are left out.
    pub(super) fn new(count: usize, first: &[PairOutcome]) -> Record {
        let mut good = vec![0; count];
        let mut bad = vec![0; count];
        for outcome in first {
            let tally = match outcome.verdict {
                Verdict::Good => &mut good,
                Verdict::Bad => &mut bad,
                Verdict::NotMeasured => continue,
            };
            count_pair(tally, outcome);
        }
        let mut failed = NodeSet::new(count);
        for (node, (good, bad)) in (0..).zip(good.iter().zip(&bad)) {
            if *good == 0 && *bad > 0 {
                failed.insert(node);
            }
        }
        let (unexplained, stands_out) = standing_out(count, first, &failed);
        let mut unclean = NodeSet::new(count);
        for node in failed.iter().chain(stands_out.iter()) {
            unclean.insert(node);
        }
        let suspects = unclean.clone();
        for outcome in unexplained_by(first, &suspects) {
            unclean.insert(outcome.client);
            unclean.insert(outcome.server);
        }
        Record {
            good,
            bad,
            unexplained,
            failed,
            stands_out,
            unclean,
        }
    }

    pub(super) fn good(&self, node: u32) -> u32 {
        of(&self.good, node)
    }

    pub(super) fn bad(&self, node: u32) -> u32 {
        of(&self.bad, node)
    }

    pub(super) fn anything_good(&self) -> bool {
        self.good.iter().any(|good| *good > 0)
    }

    pub(super) fn is_clean(&self, node: u32) -> bool {
        self.good(node) > 0 && !self.unclean.contains(node)
    }

    /// Bad pairs and no good one.
    pub(super) fn failed(&self, node: u32) -> bool {
        self.failed.contains(node)
    }

    /// Has passed and is not suspect: what fails against it is bad.
    pub(super) fn may_tell(&self, node: u32) -> bool {
        self.good(node) > 0 && !self.stands_out.contains(node)
    }

    /// The suspects about whom a second pass tells more.
    pub(super) fn to_retest(&self) -> NodeSet {
        let mut wanted = self.failed.clone();
        for node in self.stands_out.iter() {
            if of(&self.unexplained, node) > self.good(node) {
                wanted.insert(node);
            }
        }
        wanted
    }
}

/// How many bad pairs each node has that touch none of `explained`, and the nodes with two or more of them with
/// partners most of which have half as many at most. (Were one zone cut off from another, all nodes would have many:
/// then none stands out.)
pub(super) fn standing_out(
    count: usize,
    first: &[PairOutcome],
    explained: &NodeSet,
) -> (Vec<u32>, NodeSet) {
    let mut unexplained = vec![0; count];
    for outcome in unexplained_by(first, explained) {
        count_pair(&mut unexplained, outcome);
    }
    let mut lesser_partners = vec![0; count];
    for outcome in unexplained_by(first, explained) {
        for (node, partner) in [
            (outcome.client, outcome.server),
            (outcome.server, outcome.client),
        ] {
            if of(&unexplained, partner) * 2 <= of(&unexplained, node) {
                bump(&mut lesser_partners, node);
            }
        }
    }
    let mut set = NodeSet::new(count);
    for (node, (bad, lesser)) in (0..).zip(unexplained.iter().zip(&lesser_partners)) {
        if *bad >= 2 && lesser * 2 > *bad {
            set.insert(node);
        }
    }
    (unexplained, set)
}

/// The bad pairs that touch none of `explained`.
pub(super) fn unexplained_by<'a>(
    first: &'a [PairOutcome],
    explained: &'a NodeSet,
) -> impl Iterator<Item = &'a PairOutcome> {
    first.iter().filter(|outcome| {
        outcome.verdict == Verdict::Bad
            && !explained.contains(outcome.client)
            && !explained.contains(outcome.server)
    })
}

fn count_pair(tally: &mut [u32], outcome: &PairOutcome) {
    bump(tally, outcome.client);
    bump(tally, outcome.server);
}

fn bump(tally: &mut [u32], node: u32) {
    if let Some(count) = tally.get_mut(node as usize) {
        *count += 1;
    }
}

fn of(tally: &[u32], node: u32) -> u32 {
    tally.get(node as usize).copied().unwrap_or_default()
}
