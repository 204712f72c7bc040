//! Which pairs start now.

use super::{MeshPair, node_set::NodeSet};

/// Indexes of the pairs to start, in order: each that is open (neither measured nor running) and whose nodes are
/// both free, `slots` of them at most. `busy` holds the nodes of all running pairs, of this run and of others.
///
/// The first open pair comes first, so pairs that had to wait come before their turn is over: who was late is not
/// left to the end. When nothing is late this is round after round of the mesh's order.
///
/// One walk over the pairs and no sorting; `is_open` is asked only for pairs whose nodes are free.
pub fn next(
    pairs: &[MeshPair],
    busy: &NodeSet,
    slots: usize,
    mut is_open: impl FnMut(usize) -> bool,
) -> Vec<usize> {
    let mut busy = busy.clone();
    let mut starts = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        if starts.len() >= slots || busy.absent() < 2 {
            break;
        }
        if !busy.contains(pair.client) && !busy.contains(pair.server) && is_open(index) {
            busy.insert(pair.client);
            busy.insert(pair.server);
            starts.push(index);
        }
    }
    starts
}

#[cfg(test)]
mod tests;
