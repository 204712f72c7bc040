//! Which end of a pair is the client. It costs more than being the server does on some hosts, and a node that were
//! the client of all its pairs would look slower than it is.

use super::MeshPair;
use std::collections::VecDeque;

/// The direction of two nodes in a full mesh: who stands in a circle is client of the next half of it. Each node is
/// client as often as server, one more or less; and a node more turns few of the others' pairs.
pub(super) fn directed(count: u32, one: u32, other: u32) -> MeshPair {
    let (low, high) = (one.min(other), one.max(other));
    let distance = high - low;
    // Of two that stand opposite each other the lower is the client: those are half of the circle each.
    if distance.saturating_mul(2) <= count {
        MeshPair {
            client: low,
            server: high,
        }
    } else {
        MeshPair {
            client: high,
            server: low,
        }
    }
}

/// Turn as few pairs as it takes until each node is client as often as server, one more or less. What comes in
/// is balanced (full meshes, rings) or thrown by a coin for each pair, so that most directions stay as they are
/// when a node comes or goes.
pub(super) fn balance(count: usize, pairs: &mut [MeshPair]) {
    let mut surplus = vec![0i32; count];
    for pair in pairs.iter() {
        bump(&mut surplus, pair.client, 1);
        bump(&mut surplus, pair.server, -1);
    }
    if surplus.iter().all(|surplus| surplus.abs() < 2) {
        return;
    }
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, pair) in pairs.iter().enumerate() {
        for end in [pair.client, pair.server] {
            if let Some(indexes) = of_node.get_mut(end as usize) {
                indexes.push(index);
            }
        }
    }
    for node in 0..count as u32 {
        while let Some(surplus_here) = surplus.get(node as usize).copied()
            && surplus_here.abs() >= 2
        {
            let sign = surplus_here.signum();
            let Some((end, path)) = shortest(node, sign, &surplus, pairs, &of_node) else {
                break;
            };
            for index in path {
                if let Some(pair) = pairs.get_mut(index) {
                    std::mem::swap(&mut pair.client, &mut pair.server);
                }
            }
            bump(&mut surplus, node, -2 * sign);
            bump(&mut surplus, end, 2 * sign);
        }
    }
}

/// The shortest chain of pairs, all in one direction, from a node to one whose surplus has the other sign. There is
/// one: the surpluses of all nodes that can be reached cannot all have the sign of the first.
fn shortest(
    from: u32,
    sign: i32,
    surplus: &[i32],
    pairs: &[MeshPair],
    of_node: &[Vec<usize>],
) -> Option<(u32, Vec<usize>)> {
    let mut came: Vec<Option<(u32, usize)>> = vec![None; surplus.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if surplus.get(node as usize)?.signum() == -sign {
            let mut path = Vec::new();
            let mut at = node;
            while at != from {
                let (before, index) = came.get(at as usize).copied().flatten()?;
                path.push(index);
                at = before;
            }
            return Some((node, path));
        }
        for index in of_node.get(node as usize)? {
            let pair = pairs.get(*index)?;
            let (here, there) = match sign {
                1 => (pair.client, pair.server),
                _ => (pair.server, pair.client),
            };
            if here == node && there != from {
                let slot = came.get_mut(there as usize)?;
                if slot.is_none() {
                    *slot = Some((node, *index));
                    queue.push_back(there);
                }
            }
        }
    }
    None
}

fn bump(surplus: &mut [i32], node: u32, by: i32) {
    if let Some(surplus) = surplus.get_mut(node as usize) {
        *surplus += by;
    }
}

#[cfg(test)]
mod tests;
