//! One run a node at a time, over all namespaces, first come first served. Live pods are the truth, so a
//! restarted operator needs no memory.

use crate::{
    observed::{Claim, Observed, Waiter},
    placement,
    pod_facts::{NodePair, PodFacts},
    valid::{NodeName, ValidTest},
};
use std::collections::BTreeSet;

/// Which pair a run may take now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Its nodes are free and nobody waits for them before it.
    Now(NodePair),
    /// Somebody holds the nodes, or waits for them and came first: `namespace/name`.
    Wait { holder: String },
    /// No pair of nodes fits at all.
    NoPair { why: String },
}

/// Decide for a run that has no pods yet.
pub fn turn(test: &ValidTest, seen: &Observed) -> Turn {
    let wanted = placement::pairs(test, &seen.nodes);
    if wanted.is_empty() {
        return Turn::NoPair {
            why: placement::why_none(test, &seen.nodes),
        };
    }
    let mut busy: Vec<(NodeName, String)> = Vec::new();
    for claim in &seen.claims {
        for node in held(claim, seen) {
            busy.push((node, claim.holder.clone()));
        }
    }
    for waiter in before(seen) {
        let theirs = placement::pairs(&waiter.test, &seen.nodes);
        // What the waiter gets now, or, when all its pairs are busy, the one that it waits for: otherwise a
        // stream of small runs could starve one that needs two nodes at once.
        let names: BTreeSet<NodeName> = busy.iter().map(|(node, _)| node.clone()).collect();
        let takes = placement::free_pair(&theirs, &names).or_else(|| theirs.into_iter().next());
        if let Some(pair) = takes {
            busy.push((pair.client, waiter.holder.clone()));
            busy.push((pair.server, waiter.holder.clone()));
        }
    }
    let names: BTreeSet<NodeName> = busy.iter().map(|(node, _)| node.clone()).collect();
    match placement::free_pair(&wanted, &names) {
        Some(pair) => Turn::Now(pair),
        None => {
            let holder = wanted
                .first()
                .and_then(|pair| busy.iter().find(|(node, _)| pair.contains(node)))
                .map(|(_, holder)| holder.clone())
                .unwrap_or_default();
            Turn::Wait { holder }
        }
    }
}

/// A live claim on the nodes of a run whose server runs already. It should not exist; when it does (two
/// operators for a moment, labels changed by hand), nobody starts a client before it is gone.
pub fn conflict<'a>(server: &PodFacts, seen: &'a Observed) -> Option<&'a Claim> {
    seen.claims.iter().find(|claim| {
        held(claim, seen)
            .iter()
            .any(|node| server.pair.contains(node))
    })
}

/// Of two runs with pods on one node, whether ours gives way: to a client, else to the older server.
pub fn gives_way(server: &PodFacts, claim: &Claim) -> bool {
    claim.client || (claim.created, &claim.run) < (server.created, &server.run)
}

/// Older runs that wait, oldest first; runs with live pods hold nodes and do not wait.
fn before(seen: &Observed) -> Vec<&Waiter> {
    let me = (seen.run.created, &seen.run.uid);
    let mut waiters: Vec<&Waiter> = seen
        .waiters
        .iter()
        .filter(|waiter| waiter.run != seen.run.uid && (waiter.created, &waiter.run) < me)
        .filter(|waiter| !seen.claims.iter().any(|claim| claim.run == waiter.run))
        .collect();
    waiters.sort_by(|one, two| (one.created, &one.run).cmp(&(two.created, &two.run)));
    waiters
}

/// The nodes that a claim holds: both of its pair. A pod that is being deleted on a node that is gone or not
/// ready stays until somebody removes the node; it sends nothing that we could measure, and the other node must not wait for it.
fn held(claim: &Claim, seen: &Observed) -> Vec<NodeName> {
    let own = if claim.client {
        &claim.nodes.client
    } else {
        &claim.nodes.server
    };
    let lost = !seen
        .nodes
        .iter()
        .any(|node| node.name == *own && node.ready);
    if claim.deleting && lost {
        return vec![own.clone()];
    }
    vec![claim.nodes.client.clone(), claim.nodes.server.clone()]
}

#[cfg(test)]
mod tests;
