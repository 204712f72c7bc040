//! Which node is bad? A pair that failed accuses two nodes, one of them perhaps innocent.
//!
//! What the first pass says by itself:
//! - A good pair clears both of its nodes of being broken altogether. So of `a-b` good, `a-c` bad, `b-c` bad only
//!   `c` is left: *suspect* is who has bad pairs and no good one.
//! - Suspects explain their bad pairs. Of the bad pairs that are left, one alone is a bad path between two good
//!   nodes. A node that has two or more of them, with partners most of which have half as many at most, stands out:
//!   it is suspect too, though some of its pairs were good.
//!
//! What it cannot say: whether a suspect met bad nodes only (a ring: bad, innocent, bad), and whether it failed for
//! a moment. So a second pass measures each suspect once more, with a node that has passed (a *reference*). Only who
//! fails again is *confirmed*. It is the second pass of cluster health checks, which pair nodes once and try those of
//! the failed pairs again with nodes of passed ones; a mesh has more pairs a node, so fewer are suspect.
//!
//! A suspect with some good pairs is measured again only when more of its pairs failed than passed: else a few bad
//! paths could name an innocent node, and it is reported unconfirmed.

use super::{MeshNode, MeshPair, node_set::NodeSet};
use crate::valid::NodeName;
use std::{cmp::Reverse, collections::BTreeMap};

pub use conclusion::{Conclusion, Suspect, conclude, suspect_pair_message};
use record::Record;

mod conclusion;
mod record;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Good,
    /// A threshold of severity Fail was missed on this pair, or the network kept it from being measured.
    Bad,
    /// Not measured for another reason: says nothing about the nodes.
    NotMeasured,
}

/// How a pair of a mesh ended. Nodes are indexes into the mesh's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairOutcome {
    pub client: u32,
    pub server: u32,
    pub verdict: Verdict,
}

/// What to do when all pairs are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecondPass {
    /// There is no suspect that a second pass could tell more about.
    NotNeeded,
    /// Measure these again, in order as [`super::next::next`] takes them: the client is the suspect, the server a
    /// node that has passed. One pair a suspect, by name; never one of two suspects.
    Retest(Vec<MeshPair>),
    /// No pair at all was good, so there is nothing to compare with: any of these may be bad.
    Indistinguishable { nodes: Vec<NodeName> },
}

/// The second pass after these outcomes, one a pair. The nodes are the mesh's.
pub fn second_pass(nodes: &[MeshNode], first: &[PairOutcome]) -> SecondPass {
    let record = Record::new(nodes.len(), first);
    let wanted = record.to_retest();
    if wanted.is_empty() {
        return SecondPass::NotNeeded;
    }
    if !record.anything_good() {
        return SecondPass::Indistinguishable {
            nodes: wanted
                .iter()
                .filter_map(|node| nodes.get(node as usize))
                .map(|node| node.name.clone())
                .collect(),
        };
    }
    let met = partners(nodes.len(), &wanted, first);
    let mut load = vec![0u32; nodes.len()];
    let mut retests = Vec::new();
    for suspect in wanted.iter() {
        let Some(reference) = reference(nodes, &record, suspect, &load, met.get(&suspect)) else {
            continue;
        };
        if let Some(load) = load.get_mut(reference as usize) {
            *load += 1;
        }
        retests.push(MeshPair {
            client: suspect,
            server: reference,
        });
    }
    if retests.is_empty() {
        SecondPass::NotNeeded
    } else {
        SecondPass::Retest(retests)
    }
}

/// The nodes with which each of `wanted` was measured.
fn partners(count: usize, wanted: &NodeSet, first: &[PairOutcome]) -> BTreeMap<u32, NodeSet> {
    let mut partners: BTreeMap<u32, NodeSet> = BTreeMap::new();
    for outcome in first {
        if outcome.verdict == Verdict::NotMeasured {
            continue;
        }
        for (node, partner) in [
            (outcome.client, outcome.server),
            (outcome.server, outcome.client),
        ] {
            if wanted.contains(node) {
                let set = partners.entry(node).or_insert_with(|| NodeSet::new(count));
                set.insert(partner);
            }
        }
    }
    partners
}

/// The node that tells most about a suspect: one that is clean (its bad pairs are all with suspects), that it was not
/// measured with, of its zone (the way there is least likely to be at fault), that tells about few others (they
/// wait for it), with many good pairs. For a suspect that has good pairs itself only a clean one will do.
fn reference(
    nodes: &[MeshNode],
    record: &Record,
    suspect: u32,
    load: &[u32],
    met: Option<&NodeSet>,
) -> Option<u32> {
    let zone = |node: u32| nodes.get(node as usize).map(MeshNode::zone);
    (0..nodes.len() as u32)
        .filter(|node| *node != suspect && record.may_tell(*node))
        .filter(|node| record.good(suspect) == 0 || record.is_clean(*node))
        .min_by_key(|node| {
            (
                !record.is_clean(*node),
                met.is_some_and(|met| met.contains(*node)),
                zone(*node) != zone(suspect),
                load.get(*node as usize).copied().unwrap_or_default(),
                Reverse(record.good(*node)),
                *node,
            )
        })
}

#[cfg(test)]
mod tests;
