//! A set of a mesh's nodes, one bit a node: what is asked for each of 499,500 pairs has to be cheap.

use super::MeshNode;
use crate::valid::NodeName;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
    /// Nodes of the mesh that are not in the set.
    absent: usize,
    count: usize,
}

impl NodeSet {
    /// None of `count` nodes.
    pub fn new(count: usize) -> NodeSet {
        NodeSet {
            words: vec![0; count.div_ceil(64)],
            absent: count,
            count,
        }
    }

    /// Those of a mesh's nodes that have these names; other names are no matter.
    pub fn named(nodes: &[MeshNode], names: &BTreeSet<NodeName>) -> NodeSet {
        let mut set = NodeSet::new(nodes.len());
        for (index, node) in (0..).zip(nodes) {
            if names.contains(&node.name) {
                set.insert(index);
            }
        }
        set
    }

    /// Whether it is new. A node that the mesh does not have is not taken.
    pub fn insert(&mut self, node: u32) -> bool {
        let (index, bit) = (node as usize / 64, 1 << (node % 64));
        match self.words.get_mut(index) {
            Some(word) if (node as usize) < self.count && *word & bit == 0 => {
                *word |= bit;
                self.absent -= 1;
                true
            }
            _ => false,
        }
    }

    pub fn contains(&self, node: u32) -> bool {
        self.words
            .get(node as usize / 64)
            .is_some_and(|word| word & (1 << (node % 64)) != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.absent == self.count
    }

    /// How many of the mesh's nodes are not in it.
    pub fn absent(&self) -> usize {
        self.absent
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.count as u32).filter(|node| self.contains(*node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_nodes() {
        let mut set = NodeSet::new(65);
        assert!(set.is_empty() && set.insert(0) && set.insert(64));
        assert!(!set.insert(64), "twice");
        assert!(!set.insert(65) && !set.contains(65), "not of the mesh");
        assert!(!set.insert(1000) && !set.contains(1000));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64]);
        assert_eq!(set.absent(), 63);
    }

    #[test]
    fn names_of_other_clusters_are_no_matter() {
        let node = |name: &str| MeshNode {
            name: name.into(),
            zone: None,
        };
        let names = ["b", "x"].map(NodeName::from).into();
        let set = NodeSet::named(&[node("a"), node("b")], &names);
        assert_eq!(set.iter().collect::<Vec<_>>(), [1]);
    }
}
