//! A mesh: many nodes, measured in pairs. Which pairs, in which order, which of them now, and which node is bad.
//!
//! nodes -> [`Mesh::new`] (selection, then direction, then order) -> [`next::next`] whenever something ended
//! -> [`second_pass::second_pass`] when all pairs are measured -> [`second_pass::conclude`].
//!
//! Nodes are indexes into the sorted nodes of their mesh here: 499,500 pairs of 1,000 nodes are 4 MB.

use crate::valid::NodeName;

mod direction;
pub mod next;
pub mod node_set;
mod order;
mod rendezvous;
pub mod second_pass;
mod selection;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshNode {
    pub name: NodeName,
    /// `topology.kubernetes.io/zone`. The nodes without one are together one more zone, named "".
    pub zone: Option<String>,
}

impl MeshNode {
    pub(crate) fn zone(&self) -> &str {
        self.zone.as_deref().unwrap_or_default()
    }
}

/// Two nodes, as indexes into [`Mesh::nodes`]. Both directions are measured; the client is the end that connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeshPair {
    pub client: u32,
    pub server: u32,
}

/// Which of all pairs are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Each node with each other: n(n-1)/2 pairs.
    Full,
    /// Each node with the next by name, the last with the first: n pairs.
    Ring,
    /// Each node with this many others of its choice, and with those that chose it.
    RandomPairs { per_node: u32 },
    /// This many pairs between each two zones, and one within each zone that has two nodes.
    PerZonePair { per_zone_pair: u32 },
}

/// What is measured, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mesh {
    /// Sorted by name, each name once.
    pub nodes: Vec<MeshNode>,
    /// Each two nodes at most once, round after round. Empty for fewer than two nodes.
    pub pairs: Vec<MeshPair>,
    /// Where each round begins in `pairs`. No node is twice in a round.
    pub round_starts: Vec<u32>,
}

impl Mesh {
    /// The mesh of these nodes. The same seed (a NetTest's UID) gives the same pairs, and almost the same when
    /// a node came or went.
    pub fn new(nodes: &[MeshNode], selection: Selection, seed: &str) -> Mesh {
        let mut nodes = nodes.to_vec();
        nodes.sort();
        nodes.dedup_by(|later, kept| later.name == kept.name);
        let mut pairs = selection::select(&nodes, selection, seed);
        direction::balance(nodes.len(), &mut pairs);
        let (pairs, round_starts) = order::order(nodes.len(), pairs);
        Mesh {
            nodes,
            pairs,
            round_starts,
        }
    }

    /// How many rounds it takes when nothing is late and enough may run at a time.
    pub fn rounds(&self) -> usize {
        self.round_starts.len()
    }
}

#[cfg(test)]
mod tests;
