//! One run a node at a time, over all namespaces, first come first served. Live pods are the truth, so a
//! restarted operator needs no memory.

use crate::{
    observed::{Claim, Observed, Waiter},
    placement,
    pod_facts::{NodePair, PodFacts},
    valid::{NodeName, RunUid, ValidTest},
};
use std::collections::BTreeSet;

/// Which pair a run may take now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Its nodes are free and nobody waits for them before it.
    Now(NodePair),
    /// Somebody holds the nodes, or waits for them and comes first.
    Wait {
        /// What it waits for, for people.
        why: String,
        /// Of those that wait, from 1.
        place: usize,
    },
    /// No pair of nodes fits at all.
    NoPair { why: String },
}

/// Decide for a run that has no pods yet.
pub fn turn(test: &ValidTest, seen: &Observed) -> Turn {
    if let Some(wait) = ceiling(seen) {
        return wait;
    }
    let Some(wanted) = placement::first_pair(test, &seen.nodes) else {
        return Turn::NoPair {
            why: placement::why_none(test, &seen.nodes),
        };
    };
    let busy = Busy::of(seen);
    match placement::free_pair(test, &seen.nodes, &busy.nodes) {
        Some(pair) => Turn::Now(pair),
        None => Turn::Wait {
            why: format!(
                "waiting for nodes that {} uses or waits for",
                busy.holder([&wanted.client, &wanted.server])
            ),
            place: place_in_line(seen),
        },
    }
}

/// As many runs of the namespace measure as the operator's policy allows at a time.
pub fn ceiling(seen: &Observed) -> Option<Turn> {
    let most = usize::try_from(seen.concurrent_runs?).unwrap_or(usize::MAX);
    let mine = &seen.run.namespace;
    let claims = seen.claims.iter();
    let running: BTreeSet<&RunUid> = claims
        .filter(|claim| claim.namespace == *mine && claim.run != seen.run.uid)
        .map(|claim| &claim.run)
        .collect();
    (running.len() >= most).then(|| Turn::Wait {
        why: format!(
            "{} tests of namespace {mine} measure, and policy.concurrentRunsPerNamespace allows {most} at a time",
            running.len()
        ),
        place: place_in_line(seen),
    })
}

/// Nodes that somebody else uses, or waits for and comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    pub nodes: BTreeSet<NodeName>,
    /// Who, in the order in which they were found.
    holders: Vec<(NodeName, String)>,
}

impl Busy {
    pub fn of(seen: &Observed) -> Busy {
        let mut busy = Busy {
            nodes: BTreeSet::new(),
            holders: Vec::new(),
        };
        for claim in &seen.claims {
            for node in held(claim, seen) {
                busy.add(node, &claim.holder);
            }
        }
        for waiter in before(seen) {
            // What the waiter gets now, or, when all its pairs are busy, the one that it waits for: otherwise a
            // stream of small runs could starve one that needs two nodes at once.
            let takes = placement::free_pair(&waiter.test, &seen.nodes, &busy.nodes)
                .or_else(|| placement::first_pair(&waiter.test, &seen.nodes));
            if let Some(pair) = takes {
                busy.add(pair.client, &waiter.holder);
                busy.add(pair.server, &waiter.holder);
            }
        }
        busy
    }

    fn add(&mut self, node: NodeName, holder: &str) {
        if self.nodes.insert(node.clone()) {
            self.holders.push((node, holder.to_owned()));
        }
    }

    /// Who has one of these nodes, or anybody when nobody has: for people.
    pub fn holder<'a>(&self, nodes: impl IntoIterator<Item = &'a NodeName>) -> String {
        let nodes: Vec<&NodeName> = nodes.into_iter().collect();
        self.holders
            .iter()
            .find(|(node, _)| nodes.contains(&node))
            .or(self.holders.first())
            .map(|(_, holder)| holder.clone())
            .unwrap_or_default()
    }
}

/// 1: next of those that wait.
pub fn place_in_line(seen: &Observed) -> usize {
    before(seen).len() + 1
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

/// Runs that wait and come first, the first first. Whose namespace measures least comes first, then whose run has measured
/// fewest pairs, then the older one: a large mesh does not keep everybody else waiting to its end. Runs with live pods go on with
/// what is free and do not wait.
fn before(seen: &Observed) -> Vec<&Waiter> {
    let pairs = |counts: &dyn Fn(&Claim) -> bool| {
        seen.claims
            .iter()
            .filter(|claim| !claim.client && counts(claim))
            .count()
    };
    let run = &seen.run;
    let me = (
        pairs(&|claim| claim.namespace == run.namespace),
        run.done,
        run.created,
        &run.uid,
    );
    let mut waiters: Vec<_> = seen
        .waiters
        .iter()
        .filter(|waiter| waiter.run != run.uid)
        .filter(|waiter| !seen.claims.iter().any(|claim| claim.run == waiter.run))
        .map(|waiter| {
            let namespace = pairs(&|claim| claim.namespace == waiter.namespace);
            let key = (namespace, waiter.done, waiter.created, &waiter.run);
            (key, waiter)
        })
        .filter(|(key, _)| *key < me)
        .collect();
    waiters.sort_by_key(|(key, _)| *key);
    waiters.into_iter().map(|(_, waiter)| waiter).collect()
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
