use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// `n00`, `n01`, …, in three zones, every fourth in none.
pub(super) fn nodes(count: usize) -> Vec<MeshNode> {
    (0..count)
        .map(|index| MeshNode {
            name: NodeName(format!("n{index:02}")),
            zone: ["a", "b", "c"].get(index % 4).map(|zone| zone.to_string()),
        })
        .collect()
}

pub(super) fn any_selection() -> impl Strategy<Value = Selection> {
    prop_oneof![
        Just(Selection::Full),
        Just(Selection::Ring),
        (1u32..6).prop_map(|per_node| Selection::RandomPairs { per_node }),
        (1u32..5).prop_map(|per_zone_pair| Selection::PerZonePair { per_zone_pair }),
    ]
}

pub(super) fn seed(number: u32) -> String {
    format!("6b7e1c1a-0000-4000-8000-{number:012}")
}

/// The pairs as sets of two names.
pub(super) fn unordered(mesh: &Mesh) -> BTreeSet<(NodeName, NodeName)> {
    let name = |node: u32| mesh.nodes[node as usize].name.clone();
    mesh.pairs
        .iter()
        .map(|pair| {
            (
                name(pair.client.min(pair.server)),
                name(pair.client.max(pair.server)),
            )
        })
        .collect()
}

fn pairs_of_each(mesh: &Mesh) -> (Vec<i32>, Vec<i32>) {
    let mut as_client = vec![0; mesh.nodes.len()];
    let mut as_server = as_client.clone();
    for pair in &mesh.pairs {
        as_client[pair.client as usize] += 1;
        as_server[pair.server as usize] += 1;
    }
    (as_client, as_server)
}

fn rounds(mesh: &Mesh) -> Vec<&[MeshPair]> {
    let ends = mesh.round_starts.iter().skip(1).copied();
    let ends = ends.chain([mesh.pairs.len() as u32]);
    mesh.round_starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &mesh.pairs[*start as usize..end as usize])
        .collect()
}

proptest! {
    #[test]
    fn each_pair_once_in_rounds_and_balanced(
        count in 2usize..60,
        selection in any_selection(),
        number: u32,
    ) {
        let mesh = Mesh::new(&nodes(count), selection, &seed(number));
        prop_assert!(mesh.pairs.iter().all(|pair| pair.client != pair.server));
        prop_assert_eq!(unordered(&mesh).len(), mesh.pairs.len(), "a pair twice");

        let (as_client, as_server) = pairs_of_each(&mesh);
        for (client, server) in as_client.iter().zip(&as_server) {
            prop_assert!((client - server).abs() <= 1, "{:?} {:?}", as_client, as_server);
        }

        let most = as_client.iter().zip(&as_server).map(|(client, server)| client + server).max();
        let most = most.unwrap() as usize;
        prop_assert!(mesh.rounds() < 2 * most, "{} rounds, {} pairs a node", mesh.rounds(), most);
        for round in rounds(&mesh) {
            let busy: BTreeSet<u32> = round.iter().flat_map(|pair| [pair.client, pair.server]).collect();
            prop_assert!(!round.is_empty() && busy.len() == 2 * round.len(), "{:?}", round);
        }

        match selection {
            Selection::Full => {
                let even = count % 2 == 0;
                prop_assert_eq!(mesh.pairs.len(), count * (count - 1) / 2);
                prop_assert_eq!(mesh.rounds(), if even { count - 1 } else { count });
                prop_assert!(rounds(&mesh).iter().all(|round| round.len() == count / 2));
            }
            Selection::Ring => {
                prop_assert_eq!(mesh.pairs.len(), if count == 2 { 1 } else { count });
                prop_assert_eq!(mesh.rounds(), if count == 2 { 1 } else { 2 + count % 2 });
            }
            Selection::RandomPairs { per_node } => {
                let least = (per_node as usize).min(count - 1) as i32;
                for (client, server) in as_client.iter().zip(&as_server) {
                    prop_assert!(client + server >= least);
                }
            }
            Selection::PerZonePair { per_zone_pair } => {
                let zone = |node: u32| mesh.nodes[node as usize].zone();
                let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
                for node in &mesh.nodes {
                    *sizes.entry(node.zone()).or_default() += 1;
                }
                for (one, ours) in &sizes {
                    for (other, theirs) in &sizes {
                        let wanted = match one == other {
                            true => usize::from(*ours > 1),
                            false => (per_zone_pair as usize).min(ours * theirs),
                        };
                        let between = mesh.pairs.iter().filter(|pair| {
                            [(*one, *other), (*other, *one)].contains(&(zone(pair.client), zone(pair.server)))
                        });
                        prop_assert_eq!(between.count(), wanted, "{} to {}", one, other);
                    }
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_nodes_does_not_matter(count in 2usize..30, selection in any_selection()) {
        let mut turned = nodes(count);
        turned.rotate_left(count / 3);
        turned.extend(nodes(2));
        prop_assert_eq!(
            Mesh::new(&turned, selection, "uid"),
            Mesh::new(&nodes(count), selection, "uid")
        );
    }
}

#[test]
fn fewer_than_two_nodes_have_no_pairs() {
    for selection in [
        Selection::Full,
        Selection::Ring,
        Selection::RandomPairs { per_node: 3 },
        Selection::PerZonePair { per_zone_pair: 1 },
    ] {
        for alone in [vec![], nodes(1), [nodes(1), nodes(1)].concat()] {
            let mesh = Mesh::new(&alone, selection, "uid");
            assert!(mesh.pairs.is_empty() && mesh.rounds() == 0, "{selection:?}");
        }
    }
    let none = Selection::RandomPairs { per_node: 0 };
    assert!(Mesh::new(&nodes(9), none, "uid").pairs.is_empty());
}

/// How long it takes and what it needs: `make scale`.
#[test]
fn a_thousand_nodes() {
    let mesh = Mesh::new(&nodes(1000), Selection::Full, "uid");
    assert_eq!(mesh.pairs.len(), 499_500);
    assert_eq!(mesh.rounds(), 999);
}
