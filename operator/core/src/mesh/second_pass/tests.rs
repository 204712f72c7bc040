use super::*;
use crate::mesh::{
    Mesh, Selection,
    tests::{nodes, seed},
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn measured(pairs: &[MeshPair], is_bad: impl Fn(u32, u32) -> bool) -> Vec<PairOutcome> {
    pairs
        .iter()
        .map(|pair| PairOutcome {
            client: pair.client,
            server: pair.server,
            verdict: match is_bad(pair.client, pair.server) {
                true => Verdict::Bad,
                false => Verdict::Good,
            },
        })
        .collect()
}

fn retests(nodes: &[MeshNode], first: &[PairOutcome]) -> Vec<MeshPair> {
    match second_pass(nodes, first) {
        SecondPass::Retest(retests) => retests,
        SecondPass::NotNeeded | SecondPass::Indistinguishable { .. } => vec![],
    }
}

/// Both passes in a network in which these pairs are bad.
fn both(mesh: &Mesh, is_bad: impl Fn(u32, u32) -> bool) -> Conclusion {
    let first = measured(&mesh.pairs, &is_bad);
    let second = measured(&retests(&mesh.nodes, &first), &is_bad);
    conclude(&mesh.nodes, &first, &second)
}

fn full(count: usize) -> Mesh {
    Mesh::new(&nodes(count), Selection::Full, "uid")
}

fn told(conclusion: &Conclusion) -> Vec<String> {
    let confirmed = |suspect: &Suspect| match suspect.confirmed {
        true => "bad",
        false => "?",
    };
    conclusion
        .suspects
        .iter()
        .map(|suspect| format!("{}: {}", confirmed(suspect), suspect.message))
        .collect()
}

fn any_mesh() -> impl Strategy<Value = Mesh> {
    let selection = prop_oneof![
        Just(Selection::Full),
        Just(Selection::Ring),
        Just(Selection::RandomPairs { per_node: 3 }),
    ];
    (4usize..40, selection, any::<u32>())
        .prop_map(|(count, selection, number)| Mesh::new(&nodes(count), selection, &seed(number)))
}

proptest! {
    #[test]
    fn exactly_the_bad_nodes_are_named(mesh in any_mesh(), dice in prop::collection::vec(any::<u32>(), 40), share in 0usize..100) {
        let count = mesh.nodes.len() as u32;
        let most = (mesh.nodes.len() - 1) / 2;
        let bad: BTreeSet<u32> = dice.iter().take(most * share / 99).map(|dice| dice % count).collect();
        let is_bad = |one: u32, other: u32| bad.contains(&one) || bad.contains(&other);
        let anything_good = mesh.pairs.iter().any(|pair| !is_bad(pair.client, pair.server));
        // A few random pairs may all meet bad nodes: nobody can tell then.
        prop_assume!(anything_good);

        let Conclusion { suspects, suspect_pairs } = both(&mesh, is_bad);
        let named: BTreeSet<&NodeName> = suspects.iter().map(|suspect| &suspect.node).collect();
        let expected: BTreeSet<&NodeName> = bad.iter().map(|node| &mesh.nodes[*node as usize].name).collect();
        prop_assert_eq!(named, expected);
        prop_assert!(suspects.iter().all(|suspect| suspect.confirmed), "{:?}", suspects);
        prop_assert!(suspect_pairs.is_empty());
    }

    #[test]
    fn a_bad_path_names_no_node(mesh in any_mesh(), index: prop::sample::Index) {
        let bad = *index.get(&mesh.pairs);
        let is_bad = |one, other| {
            [(bad.client, bad.server), (bad.server, bad.client)].contains(&(one, other))
        };
        prop_assert_eq!(both(&mesh, is_bad), Conclusion { suspects: vec![], suspect_pairs: vec![bad] });
    }

    #[test]
    fn anything_may_happen(mesh in any_mesh(), dice in prop::collection::vec(0u8..3, 800), again in prop::collection::vec(0u8..3, 40)) {
        let verdict = |dice: &u8| [Verdict::Good, Verdict::Bad, Verdict::NotMeasured][usize::from(*dice)];
        let outcomes = |pairs: &[MeshPair], dice: &[u8]| -> Vec<PairOutcome> {
            pairs.iter().zip(dice.iter().cycle()).map(|(pair, dice)| PairOutcome {
                client: pair.client,
                server: pair.server,
                verdict: verdict(dice),
            }).collect()
        };
        let first = outcomes(&mesh.pairs, &dice);
        let retests = retests(&mesh.nodes, &first);
        let suspects: BTreeSet<u32> = retests.iter().map(|pair| pair.client).collect();
        let references: BTreeSet<u32> = retests.iter().map(|pair| pair.server).collect();
        prop_assert_eq!(suspects.len(), retests.len(), "at most one a suspect");
        prop_assert!(suspects.is_disjoint(&references));

        let second = outcomes(&retests, &again);
        let Conclusion { suspects, suspect_pairs } = conclude(&mesh.nodes, &first, &second);
        // Nobody is confirmed who did not fail again, and each bad pair is somebody's.
        let failed_again: BTreeSet<&NodeName> = second
            .iter()
            .filter(|outcome| outcome.verdict == Verdict::Bad)
            .map(|outcome| &mesh.nodes[outcome.client as usize].name)
            .collect();
        let confirmed: BTreeSet<&NodeName> = suspects
            .iter()
            .filter(|suspect| suspect.confirmed)
            .map(|suspect| &suspect.node)
            .collect();
        prop_assert_eq!(&confirmed, &failed_again);
        for outcome in first.iter().filter(|outcome| outcome.verdict == Verdict::Bad) {
            let pair = MeshPair { client: outcome.client, server: outcome.server };
            let named = [pair.client, pair.server].iter().any(|node| {
                suspects.iter().any(|suspect| suspect.node == mesh.nodes[*node as usize].name)
            });
            prop_assert!(named != suspect_pairs.contains(&pair));
        }
    }
}

#[test]
fn three_nodes_one_bad() {
    let mesh = full(3);
    let is_bad = |one, other| one == 2 || other == 2;
    let first = measured(&mesh.pairs, is_bad);
    let [retest] = retests(&mesh.nodes, &first)[..] else {
        panic!("the good pair has cleared two of them");
    };
    assert_eq!(retest.client, 2);
    assert_eq!(
        told(&both(&mesh, is_bad)),
        [
            "bad: n02 failed against 2 of 2 nodes, and again against n00, which passed against 1 other node"
        ]
    );
}

#[test]
fn two_nodes_cannot_be_told_apart() {
    let mesh = full(2);
    let first = measured(&mesh.pairs, |_, _| true);
    assert_eq!(
        second_pass(&mesh.nodes, &first),
        SecondPass::Indistinguishable {
            nodes: ["n00", "n01"].map(NodeName::from).to_vec()
        }
    );
    assert_eq!(
        told(&conclude(&mesh.nodes, &first, &[])),
        [
            "?: n00 failed against n01, the only node that it was measured with, and no node passed, so nothing tells which of them are bad",
            "?: n01 failed against n00, the only node that it was measured with, and no node passed, so nothing tells which of them are bad",
        ]
    );
}

#[test]
fn between_two_bad_ones_in_a_ring_the_second_pass_clears_the_innocent() {
    let mesh = Mesh::new(&nodes(6), Selection::Ring, "uid");
    let is_bad = |one: u32, other: u32| [1, 3].contains(&one) || [1, 3].contains(&other);
    let first = measured(&mesh.pairs, is_bad);
    let asked: Vec<u32> = retests(&mesh.nodes, &first)
        .iter()
        .map(|pair| pair.client)
        .collect();
    assert_eq!(asked, [1, 2, 3]);
    assert_eq!(
        told(&both(&mesh, is_bad)),
        [
            "bad: n01 failed against 2 of 2 nodes, and again against n05, which passed against 2 other nodes",
            "bad: n03 failed against 2 of 2 nodes, and again against n05, which passed against 2 other nodes",
        ]
    );
    // Without it nobody is named for certain, and it says why.
    assert_eq!(
        told(&conclude(&mesh.nodes, &first, &[]))[1],
        "?: n02 failed against 2 of 2 nodes; it was not measured again with a node that passed, so the others may be the bad ones"
    );
}

#[test]
fn bad_for_a_while_only_is_not_confirmed() {
    let mesh = full(5);
    let first = measured(&mesh.pairs, |one, other| one == 3 || other == 3);
    let second = measured(&retests(&mesh.nodes, &first), |_, _| false);
    let conclusion = conclude(&mesh.nodes, &first, &second);
    assert_eq!(
        told(&conclusion),
        [
            "?: n03 failed against 4 of 4 nodes, but then passed against n00: it was bad for a while only, or the ways to the others are"
        ]
    );
    assert!(conclusion.suspect_pairs.is_empty());
}

#[test]
fn a_node_that_is_mostly_bad_is_found_and_one_that_is_sometimes_is_shown() {
    let mesh = full(12);
    // Node 4 passed against two of eleven by luck.
    let is_bad = |one: u32, other: u32| (one == 4 && other > 1) || (other == 4 && one > 1);
    let conclusion = both(&mesh, is_bad);
    assert_eq!(
        told(&conclusion),
        [
            "?: n04 failed against 9 of 11 nodes, but then passed against n00: it was bad for a while only, or the ways to the others are"
        ]
    );
    let first = measured(&mesh.pairs, is_bad);
    let second = measured(&retests(&mesh.nodes, &first), |_, _| true);
    assert_eq!(
        told(&conclude(&mesh.nodes, &first, &second)),
        [
            "bad: n04 failed against 9 of 11 nodes, and again against n00, which passed against 11 other nodes"
        ]
    );
    // Three of eleven: no second pass could tell a bad node from three bad ways.
    let few = |one: u32, other: u32| (one == 4 && other > 8) || (other == 4 && one > 8);
    assert_eq!(
        second_pass(&mesh.nodes, &measured(&mesh.pairs, few)),
        SecondPass::NotNeeded
    );
    assert_eq!(
        told(&both(&mesh, few)),
        [
            "?: n04 failed against 3 of 11 nodes, most of which failed against few others: the node is bad at times, or the ways to these nodes are"
        ]
    );
}

#[test]
fn two_halves_that_do_not_reach_each_other_blame_no_node() {
    let mesh = full(10);
    let is_bad = |one: u32, other: u32| (one < 5) != (other < 5);
    let first = measured(&mesh.pairs, is_bad);
    assert_eq!(second_pass(&mesh.nodes, &first), SecondPass::NotNeeded);
    let conclusion = both(&mesh, is_bad);
    assert!(conclusion.suspects.is_empty());
    assert_eq!(conclusion.suspect_pairs.len(), 25);
    assert_eq!(
        suspect_pair_message(&mesh.nodes, conclusion.suspect_pairs[0]),
        "n09 and n00 failed against each other, and each passed against another node: look at the way between them"
    );
}

#[test]
fn references_are_of_the_zone_new_to_the_suspect_and_shared_out() {
    let zoned = |name: &str, zone: &str| MeshNode {
        name: name.into(),
        zone: Some(zone.to_owned()),
    };
    let nodes = [
        zoned("a1", "a"),
        zoned("a2", "a"),
        zoned("a3", "a"),
        zoned("a4", "a"),
        zoned("b1", "b"),
        zoned("b2", "b"),
    ];
    let outcome = |client, server, verdict| PairOutcome {
        client,
        server,
        verdict,
    };
    // a1 and a2 failed against a3, which passed against a4.
    let first = [
        outcome(0, 2, Verdict::Bad),
        outcome(1, 2, Verdict::Bad),
        outcome(2, 3, Verdict::Good),
        outcome(3, 4, Verdict::Good),
        outcome(4, 5, Verdict::Good),
    ];
    let pair = |client, server| MeshPair { client, server };
    assert_eq!(retests(&nodes, &first), [pair(0, 3), pair(1, 3)]);
    // With another good one in the zone they need not wait for each other.
    let mut nodes = nodes;
    nodes[4].zone = Some("a".to_owned());
    assert_eq!(retests(&nodes, &first), [pair(0, 3), pair(1, 4)]);
}

#[test]
fn pairs_not_measured_say_nothing_and_unknown_nodes_do_no_harm() {
    let mesh = full(4);
    let mut first = measured(&mesh.pairs, |_, _| false);
    for outcome in &mut first {
        outcome.verdict = Verdict::NotMeasured;
    }
    assert_eq!(second_pass(&mesh.nodes, &first), SecondPass::NotNeeded);
    let strange = [PairOutcome {
        client: 77,
        server: 78,
        verdict: Verdict::Bad,
    }];
    assert_eq!(second_pass(&mesh.nodes, &strange), SecondPass::NotNeeded);
    assert!(
        conclude(&mesh.nodes, &strange, &strange)
            .suspects
            .is_empty()
    );
}
