//! Which pairs of nodes are measured.

use super::{MeshNode, MeshPair, Selection, direction::directed, rendezvous::Rendezvous};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Each two of the sorted nodes at most once, sorted; directed, but not balanced yet. Empty for fewer than two.
pub(super) fn select(nodes: &[MeshNode], selection: Selection, seed: &str) -> Vec<MeshPair> {
    let count = nodes.len() as u32;
    if count < 2 {
        return Vec::new();
    }
    let weights = Rendezvous::new(nodes, seed);
    let chosen: BTreeSet<(u32, u32)> = match selection {
        Selection::Full => return full(count),
        Selection::Ring => return ring(count),
        Selection::RandomPairs { per_node } if per_node >= count - 1 => return full(count),
        Selection::RandomPairs { per_node } => random_pairs(count, per_node as usize, &weights),
        Selection::PerZonePair { per_zone_pair } => {
            per_zone_pair_of(nodes, per_zone_pair as usize, &weights)
        }
    };
    chosen
        .into_iter()
        .map(|(one, other)| match weights.coin(one, other) {
            true => MeshPair {
                client: one,
                server: other,
            },
            false => MeshPair {
                client: other,
                server: one,
            },
        })
        .collect()
}

fn full(count: u32) -> Vec<MeshPair> {
    (0..count)
        .flat_map(|one| (one + 1..count).map(move |other| directed(count, one, other)))
        .collect()
}

fn ring(count: u32) -> Vec<MeshPair> {
    // Two nodes have one pair, not one there and one back.
    let pairs = if count == 2 { 1 } else { count };
    (0..pairs)
        .map(|node| MeshPair {
            client: node,
            server: (node + 1) % count,
        })
        .collect()
}

/// Each node chooses the peers with which it has the greatest weights. When one of them goes, only those that had
/// chosen it choose another.
fn random_pairs(count: u32, per_node: usize, weights: &Rendezvous) -> BTreeSet<(u32, u32)> {
    let mut chosen = BTreeSet::new();
    let mut peers = Vec::with_capacity(count as usize);
    for node in 0..count {
        peers.clear();
        peers.extend(
            (0..count)
                .filter(|peer| *peer != node)
                .map(|peer| (Reverse(weights.weight(node, peer)), peer)),
        );
        if per_node > 0 && per_node < peers.len() {
            peers.select_nth_unstable(per_node - 1);
        }
        chosen.extend(
            peers
                .iter()
                .take(per_node)
                .map(|(_, peer)| (node.min(*peer), node.max(*peer))),
        );
    }
    chosen
}

/// Between each two zones the pairs with the greatest weights, but of other nodes where there are any: two pairs
/// with one node in common say less. Within a zone one pair.
fn per_zone_pair_of(
    nodes: &[MeshNode],
    per_zone_pair: usize,
    weights: &Rendezvous,
) -> BTreeSet<(u32, u32)> {
    let mut zones: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (index, node) in (0..).zip(nodes) {
        zones.entry(node.zone()).or_default().push(index);
    }
    let zones: Vec<Vec<u32>> = zones.into_values().collect();
    let mut chosen = BTreeSet::new();
    for (index, ours) in zones.iter().enumerate() {
        let within = ours.iter().enumerate().flat_map(|(index, one)| {
            let others = ours.iter().skip(index + 1);
            others.map(|other| (*one, *other))
        });
        chosen.extend(within.max_by_key(|(one, other)| weights.weight(*one, *other)));
        for theirs in zones.iter().skip(index + 1) {
            let between = ours
                .iter()
                .flat_map(|one| theirs.iter().map(|other| (*one, *other)));
            chosen.extend(heaviest(between, per_zone_pair, weights));
        }
    }
    chosen
}

fn heaviest(
    candidates: impl Iterator<Item = (u32, u32)>,
    wanted: usize,
    weights: &Rendezvous,
) -> Vec<(u32, u32)> {
    let mut candidates: Vec<(u64, u32, u32)> = candidates
        .map(|(one, other)| (weights.weight(one, other), one.min(other), one.max(other)))
        .collect();
    candidates.sort_unstable_by_key(|candidate| Reverse(*candidate));
    let mut used = BTreeSet::new();
    let mut taken = Vec::new();
    let mut shared = Vec::new();
    for (_, one, other) in candidates {
        if taken.len() == wanted {
            break;
        }
        if used.contains(&one) || used.contains(&other) {
            shared.push((one, other));
        } else {
            used.extend([one, other]);
            taken.push((one, other));
        }
    }
    let more = wanted.saturating_sub(taken.len());
    taken.extend(shared.into_iter().take(more));
    taken
}

#[cfg(test)]
mod tests;
