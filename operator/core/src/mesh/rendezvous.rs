//! Rendezvous hashing: a weight for each two nodes that depends on nothing but their names and the seed. Whoever
//! takes the heaviest keeps its choice when other nodes come and go.

use super::MeshNode;
use sha2::{Digest as _, Sha256};

pub(super) struct Rendezvous {
    keys: Vec<u64>,
}

impl Rendezvous {
    /// For sorted nodes.
    pub(super) fn new(nodes: &[MeshNode], seed: &str) -> Rendezvous {
        let key = |node: &MeshNode| {
            let hash = Sha256::new()
                // A seed cannot run on into a name: neither holds a zero byte.
                .chain_update(seed.as_bytes())
                .chain_update([0])
                .chain_update(node.name.as_str().as_bytes())
                .finalize();
            hash.iter()
                .take(8)
                .fold(0, |key, byte| (key << 8) | u64::from(*byte))
        };
        Rendezvous {
            keys: nodes.iter().map(key).collect(),
        }
    }

    /// The same for both orders of the two. One SHA-256 a node, then a mixer a pair: a SHA-256 for each of
    /// 499,500 pairs would take longer than all the rest of planning.
    pub(super) fn weight(&self, one: u32, other: u32) -> u64 {
        let key = |node: u32| self.keys.get(node as usize).copied().unwrap_or_default();
        mix(mix(key(one.min(other))).wrapping_add(key(one.max(other))))
    }

    /// A coin for each two nodes, independent of the weight's order: its last bit.
    pub(super) fn coin(&self, one: u32, other: u32) -> bool {
        self.weight(one, other) & 1 == 1
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): each
/// bit of the input changes half of those of the output.
pub(super) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
