use crate::mesh::{
    Mesh, MeshNode, MeshPair, Selection,
    tests::{nodes, seed, unordered},
};
use std::collections::BTreeSet;

fn without(nodes: &[MeshNode], gone: usize) -> Vec<MeshNode> {
    let mut nodes = nodes.to_vec();
    nodes.remove(gone);
    nodes
}

#[test]
fn a_ring_goes_by_name() {
    let mesh = Mesh::new(&nodes(4), Selection::Ring, "uid");
    let pairs: BTreeSet<(u32, u32)> = mesh
        .pairs
        .iter()
        .map(|pair| (pair.client, pair.server))
        .collect();
    assert_eq!(pairs, BTreeSet::from([(0, 1), (1, 2), (2, 3), (3, 0)]));
    assert_eq!(
        Mesh::new(&nodes(2), Selection::Ring, "uid").pairs,
        [MeshPair {
            client: 0,
            server: 1
        }]
    );
}

#[test]
fn random_pairs_are_stable_when_a_node_goes() {
    const PER_NODE: u32 = 3;
    let selection = Selection::RandomPairs { per_node: PER_NODE };
    let all = nodes(100);
    for gone in 0..100 {
        let before = unordered(&Mesh::new(&all, selection, &seed(1)));
        let after = unordered(&Mesh::new(&without(&all, gone), selection, &seed(1)));
        let name = &all[gone].name;
        let (touched, kept): (BTreeSet<_>, BTreeSet<_>) = before
            .into_iter()
            .partition(|(one, other)| one == name || other == name);
        // What stays is all of the rest; what is new is one pair at most for each that had chosen the gone one.
        assert!(kept.is_subset(&after), "{name}");
        assert!(after.len() - kept.len() <= touched.len(), "{name}");
    }
}

#[test]
fn most_directions_stay_too() {
    let all = nodes(100);
    let directed = |mesh: Mesh| -> BTreeSet<(String, String)> {
        let name = |node: u32| mesh.nodes[node as usize].name.to_string();
        mesh.pairs
            .iter()
            .map(|pair| (name(pair.client), name(pair.server)))
            .collect()
    };
    for (selection, least) in [
        (Selection::Full, 95),
        (Selection::Ring, 95),
        (Selection::RandomPairs { per_node: 3 }, 85),
        (Selection::PerZonePair { per_zone_pair: 3 }, 85),
    ] {
        let before = directed(Mesh::new(&all, selection, &seed(1)));
        let mut same = 0;
        for gone in 0..100 {
            let after = directed(Mesh::new(&without(&all, gone), selection, &seed(1)));
            same += 100 * before.intersection(&after).count() / after.len();
        }
        println!("{selection:?}: {} % of the directions stay", same / 100);
        assert!(same / 100 >= least, "{selection:?}: {} %", same / 100);
    }
}

#[test]
fn another_seed_chooses_others() {
    for selection in [
        Selection::RandomPairs { per_node: 3 },
        Selection::PerZonePair { per_zone_pair: 2 },
    ] {
        let of = |number| unordered(&Mesh::new(&nodes(40), selection, &seed(number)));
        assert_eq!(of(1), of(1));
        let (one, other) = (of(1), of(2));
        assert!(
            one.intersection(&other).count() * 2 < one.len(),
            "{selection:?}"
        );
    }
}

/// The choice is part of what users compare from run to run: a release must not change it by accident.
#[test]
fn the_choice_is_the_same_in_every_release() {
    let mesh = Mesh::new(
        &nodes(6),
        Selection::RandomPairs { per_node: 1 },
        "6b7e1c1a-0000-4000-8000-000000000001",
    );
    let pairs: Vec<String> = mesh
        .pairs
        .iter()
        .map(|pair| format!("{}>{}", pair.client, pair.server))
        .collect();
    assert_eq!(pairs.join(" "), "5>0 1>3 4>2 3>4");
}

#[test]
fn everybody_is_chosen_about_as_often() {
    let mesh = Mesh::new(
        &nodes(1000),
        Selection::RandomPairs { per_node: 3 },
        &seed(1),
    );
    let mut of_node = vec![0; 1000];
    for pair in &mesh.pairs {
        of_node[pair.client as usize] += 1;
        of_node[pair.server as usize] += 1;
    }
    // Three that it chose, and one more that chose it: a weight is great for both, so most choose each other.
    assert!(
        of_node.iter().all(|pairs| (3..16).contains(pairs)),
        "{of_node:?}"
    );
    assert!(
        (1900..2100).contains(&mesh.pairs.len()),
        "{}",
        mesh.pairs.len()
    );
}

#[test]
fn pairs_of_two_zones_use_different_nodes_while_there_are_any() {
    let named = |name: &str, zone: &str| MeshNode {
        name: name.into(),
        zone: Some(zone.to_owned()),
    };
    let nodes = [
        named("a1", "a"),
        named("a2", "a"),
        named("a3", "a"),
        named("b1", "b"),
        named("b2", "b"),
        named("b3", "b"),
    ];
    for number in 0..20 {
        let selection = Selection::PerZonePair { per_zone_pair: 3 };
        let mesh = Mesh::new(&nodes, selection, &seed(number));
        let between = mesh
            .pairs
            .iter()
            .filter(|pair| (pair.client < 3) != (pair.server < 3));
        let ends: BTreeSet<u32> = between
            .flat_map(|pair| [pair.client, pair.server])
            .collect();
        assert_eq!(ends.len(), 6);
    }
}

#[test]
fn nodes_without_a_zone_are_one_more_zone() {
    let mut all = nodes(4);
    for node in &mut all {
        node.zone = None;
    }
    let selection = Selection::PerZonePair { per_zone_pair: 3 };
    assert_eq!(Mesh::new(&all, selection, "uid").pairs.len(), 1);
    all[0].zone = Some("a".to_owned());
    assert_eq!(Mesh::new(&all, selection, "uid").pairs.len(), 1 + 3);
}
