//! In which order pairs are measured: in rounds, in each of which no node is twice.

use super::{MeshPair, direction::directed};

/// The pairs round after round, and where each round begins. All pairs of `count` nodes take the least rounds that
/// there can be (circle method: `count` - 1, for an odd count one more); others at most 2d - 1, where d is the
/// most pairs that one node has.
pub(super) fn order(count: usize, pairs: Vec<MeshPair>) -> (Vec<MeshPair>, Vec<u32>) {
    if pairs.len() == count * count.saturating_sub(1) / 2 {
        circle(count as u32)
    } else {
        greedy(count, &pairs)
    }
}

/// The circle method of round-robin tournaments: one node stays, the others go round it. For an odd count the one
/// that stays is nobody, and who meets it pauses.
fn circle(count: u32) -> (Vec<MeshPair>, Vec<u32>) {
    if count < 2 {
        return (Vec::new(), Vec::new());
    }
    let moving = if count.is_multiple_of(2) {
        count - 1
    } else {
        count
    };
    let mut pairs = Vec::with_capacity(count as usize * (count as usize - 1) / 2);
    let mut starts = Vec::with_capacity(moving as usize);
    for round in 0..moving {
        starts.push(pairs.len() as u32);
        if moving < count {
            pairs.push(directed(count, moving, round));
        }
        for step in 1..=(moving - 1) / 2 {
            let one = (round + step) % moving;
            let other = (round + moving - step) % moving;
            pairs.push(directed(count, one, other));
        }
    }
    (pairs, starts)
}

/// Greedy edge colouring: each pair goes into the first round in which both nodes are free.
fn greedy(count: usize, pairs: &[MeshPair]) -> (Vec<MeshPair>, Vec<u32>) {
    let mut taken: Vec<Vec<u64>> = vec![Vec::new(); count];
    let mut rounds: Vec<Vec<MeshPair>> = Vec::new();
    for pair in pairs {
        let of = |node: u32| taken.get(node as usize).map_or(&[][..], Vec::as_slice);
        let round = first_free(of(pair.client), of(pair.server));
        for node in [pair.client, pair.server] {
            if let Some(words) = taken.get_mut(node as usize) {
                if words.len() <= round / 64 {
                    words.resize(round / 64 + 1, 0);
                }
                words[round / 64] |= 1 << (round % 64);
            }
        }
        if rounds.len() <= round {
            rounds.resize_with(round + 1, Vec::new);
        }
        rounds[round].push(*pair);
    }
    let mut ordered = Vec::with_capacity(pairs.len());
    let mut starts = Vec::with_capacity(rounds.len());
    for round in rounds {
        starts.push(ordered.len() as u32);
        ordered.extend(round);
    }
    (ordered, starts)
}

/// The first bit that neither has.
fn first_free(one: &[u64], other: &[u64]) -> usize {
    let word = |words: &[u64], index: usize| words.get(index).copied().unwrap_or_default();
    let mut index = 0;
    loop {
        let taken = word(one, index) | word(other, index);
        if taken != u64::MAX {
            return index * 64 + taken.trailing_ones() as usize;
        }
        index += 1;
    }
}

#[cfg(test)]
mod tests;
