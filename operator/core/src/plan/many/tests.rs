//! Worlds of a run of several pairs among other runs, with pods that vanish and crash and an operator that dies before
//! and after its writes: each pair is measured once, no node twice at a time, and nothing is left.

use super::*;

use crate::{
    ledger::{Ledger, PairRecord},
    names::Role,
    node_facts::NodeFacts,
    observed::Claim,
    plan::{self, tests as single},
    pod_facts::{NodePair, PodFacts, PodState},
    testing::{PAIR_TCP, at, digest, failure, node, seen, text, valid},
    valid::{Lane, NodeName, RunUid},
};
use nettest_api::{cleanup::PodCleanup, endpoint::Network};
use nettest_report::digest::{Digest, FailureReason, Figures};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn of_topology(topology: &str, more: &str) -> ValidTest {
    valid(&format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: default}}\nspec: {{topology: {topology}, repeats: {{count: 1}}{more}}}\n"
    ))
}

fn mesh(max_concurrent: u32) -> ValidTest {
    of_topology(
        &format!("{{type: Mesh, mesh: {{maxConcurrentPairs: {max_concurrent}}}}}"),
        "",
    )
}

fn star(concurrency: StarConcurrency) -> ValidTest {
    of_topology(
        &format!("{{type: Star, star: {{concurrency: {concurrency:?}}}}}"),
        "",
    )
}

/// What goes wrong in one tick.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Nothing,
    /// The operator dies before its step.
    NoStep,
    /// … or after its step, before the status.
    NoStatus,
    PodVanishes,
    PodCrashes,
    /// A node of ours is somebody else's for a while.
    Foreign,
}

struct World {
    test: ValidTest,
    second: i64,
    seen: Observed,
    made: u64,
    /// Pairs of nodes whose client ran, in order.
    clients: Vec<(u32, NodePair)>,
    most: usize,
    /// Nodes whose pairs are slow.
    bad: Vec<NodeName>,
    suspects: Vec<nettest_api::result::Suspect>,
    ended: Option<Stage>,
}

impl World {
    fn new(test: ValidTest, nodes: usize) -> World {
        let mut seen = seen(PAIR_TCP);
        seen.nodes = (0..nodes).map(|index| node(&format!("n{index}"))).collect();
        World {
            test,
            second: 0,
            seen,
            made: 0,
            clients: vec![],
            most: 0,
            bad: vec![],
            suspects: vec![],
            ended: None,
        }
    }

    fn pass(&mut self, fault: Fault) {
        let decided = plan::plan(&self.test, &self.seen, at(self.second));
        if fault == Fault::NoStep {
            return;
        }
        match decided.step {
            None => {}
            Some(Step::CreateService(_) | Step::DeleteService { .. }) => {
                unreachable!("no Services")
            }
            Some(Step::Record(records)) => {
                for (number, record) in records {
                    let before = self.seen.ledger.get(number);
                    assert!(
                        before.is_none_or(|before| !before.is_done()),
                        "{number} again"
                    );
                    self.seen.ledger.0.insert(number, record);
                }
            }
            Some(Step::DeletePod { name, uid }) => {
                for pod in &mut self.seen.pods {
                    pod.deleting |= pod.name == name && pod.uid == uid;
                }
            }
            Some(Step::CreatePod(planned)) => {
                assert!(self.ended.is_none(), "a finished run makes no pods");
                let shared = is_simultaneous(&self.test);
                let number = planned.number;
                for other in self.seen.pods.iter().filter(|pod| pod.live()) {
                    let mine = shared || other.number == number;
                    let nodes = [&planned.pair.client, &planned.pair.server];
                    assert!(
                        mine || !nodes.iter().any(|node| other.pair.contains(node)),
                        "{} beside {}",
                        planned.name,
                        other.name
                    );
                    assert_ne!(other.name, planned.name);
                }
                for claim in &self.seen.claims {
                    assert!(
                        !claim.nodes.contains(&planned.pair.client),
                        "somebody's node"
                    );
                }
                if let Some(number) = number.filter(|_| planned.role() == Role::Client) {
                    self.clients.push((number, planned.pair.clone()));
                }
                self.made += 1;
                self.seen.pods.push(PodFacts {
                    name: planned.name.clone(),
                    uid: format!("pod-{}", self.made),
                    attempt: planned.attempt,
                    number,
                    pair: planned.pair.clone(),
                    created: Some(at(self.second)),
                    ..single::pod(planned.role(), PodState::Pending)
                });
            }
        }
        let live = self
            .seen
            .pods
            .iter()
            .filter(|pod| pod.live() && pod.role == Role::Client);
        self.most = self.most.max(live.count());
        if fault == Fault::NoStatus || self.ended.is_some() {
            return;
        }
        self.seen.run.placed = decided.progress.placed;
        if let Some(many) = decided.progress.many {
            self.suspects = many.suspects;
            self.seen.run.nodes = many.nodes;
        }
        match decided.progress.stage {
            Stage::Waiting(_) => {}
            Stage::Settled => unreachable!("it goes on"),
            stage => {
                self.ended = Some(stage);
                self.seen.run.finished = true;
            }
        }
    }

    fn tick(&mut self, chosen: usize, fault: Fault) {
        self.second += 1;
        self.seen.pods.retain(|pod| !pod.deleting);
        self.seen.claims.clear();
        let test = &self.test;
        for pod in &mut self.seen.pods {
            pod.state = match &pod.state {
                PodState::Pending => single::running(),
                PodState::Running { .. } if pod.role == Role::Client => {
                    let bad = self.bad.iter().any(|bad| pod.pair.contains(bad));
                    let last = whole(test, pod, if bad { 5 } else { 950_000_000 });
                    single::exited(0, &text(&last))
                }
                other => other.clone(),
            };
        }
        let count = self.seen.pods.len();
        match fault {
            Fault::PodVanishes if count > 0 => {
                self.seen.pods.remove(chosen % count);
            }
            Fault::PodCrashes if count > 0 => {
                let mut last = failure(FailureReason::PeerUnreachable, "refused");
                let pod = &mut self.seen.pods[chosen % count];
                last.attempt = pod.attempt;
                pod.state = single::exited(1, &text(&last));
            }
            Fault::Foreign => {
                let node = &self.seen.nodes[chosen % self.seen.nodes.len()];
                let held = self
                    .seen
                    .pods
                    .iter()
                    .any(|pod| pod.live() && pod.pair.contains(&node.name));
                if !held {
                    self.seen.claims.push(foreign(node));
                }
            }
            _ => {}
        }
    }

    /// Ticks until it has ended and nothing is left.
    fn run(&mut self, faults: &[(usize, Fault)]) {
        let mut faults = faults.iter().copied();
        for _ in 0..20_000 {
            let (chosen, fault) = faults.next().unwrap_or((0, Fault::Nothing));
            // Passes follow each other faster than pods move.
            for _ in 0..4 {
                self.pass(fault);
            }
            self.tick(chosen, fault);
            if self.ended.is_some() && self.seen.pods.is_empty() {
                return;
            }
        }
        panic!(
            "no end: {:?}",
            plan::plan(&self.test, &self.seen, at(self.second))
        );
    }
}

/// The digest of a client of this test, with every variant of its lane.
fn whole(test: &ValidTest, pod: &PodFacts, rate: u64) -> Digest {
    let mut last = digest(&[rate]);
    last.attempt = pod.attempt;
    let one = last.figures[0].clone();
    // The lane is not in what is seen of a pod; with one repeat all figures are alike.
    last.figures = test
        .variants
        .iter()
        .flat_map(|variant| {
            let one = &one;
            variant.flows().iter().map(move |flow| Figures {
                variant: variant.key.clone(),
                flow: format!("{flow:?}"),
                ..one.clone()
            })
        })
        .collect();
    last
}

fn foreign(node: &NodeFacts) -> Claim {
    Claim {
        run: RunUid::from("other"),
        namespace: "lab".to_owned(),
        holder: "lab/other-1-a1-server".to_owned(),
        nodes: NodePair {
            client: node.name.clone(),
            server: node.name.clone(),
        },
        created: Some(at(0)),
        client: true,
        deleting: false,
    }
}

fn pairs_of(ledger: &Ledger) -> BTreeSet<[String; 2]> {
    let both = |record: &PairRecord| {
        let mut both = [record.client.clone(), record.server.clone()];
        both.sort();
        both
    };
    ledger.0.values().map(both).collect()
}

#[test]
fn a_mesh_without_faults_is_measured_once_each_at_full_width() {
    for nodes in [2, 3, 4, 7] {
        let mut world = World::new(mesh(100), nodes);
        world.run(&[]);
        assert_eq!(world.ended, Some(Stage::Concluded));
        let all = nodes * (nodes - 1) / 2;
        assert_eq!(world.clients.len(), all, "{nodes} nodes");
        assert_eq!(pairs_of(&world.seen.ledger).len(), all);
        assert!(
            world
                .seen
                .ledger
                .0
                .values()
                .all(|record| record.state == PairState::Measured)
        );
        assert_eq!(world.most, nodes / 2, "{nodes} nodes");
    }
}

#[test]
fn a_star_is_one_by_one_or_all_at_a_time() {
    for (concurrency, most) in [
        (StarConcurrency::OneByOne, 1),
        (StarConcurrency::Simultaneous, 4),
    ] {
        let mut world = World::new(star(concurrency), 5);
        world.run(&[]);
        assert_eq!(world.ended, Some(Stage::Concluded), "{concurrency:?}");
        assert_eq!(world.clients.len(), 4);
        assert!(
            world
                .clients
                .iter()
                .all(|(_, pair)| pair.server.as_str() == "n0")
        );
        assert_eq!(world.most, most, "{concurrency:?}");
    }
}

#[test]
fn a_pair_on_two_lanes_is_measured_on_one_after_the_other() {
    let mut test = valid(PAIR_TCP);
    let mut host = test.variants[0].clone();
    (host.client_network, host.server_network) = (Network::Host, Network::Host);
    host.path = nettest_api::path::PathKind::Host;
    test.variants.push(host);
    let mut world = World::new(test, 3);
    world.run(&[]);
    assert_eq!(world.ended, Some(Stage::Concluded));
    let lanes: Vec<Lane> = world
        .seen
        .ledger
        .0
        .values()
        .map(|record| record.lane)
        .collect();
    assert_eq!(lanes.len(), 2);
    assert_ne!(lanes[0], lanes[1]);
    assert_eq!(world.most, 1);
}

#[test]
fn a_second_pass_names_the_bad_node_and_no_other() {
    for nodes in [3, 4, 6] {
        let test = of_topology(
            "{type: Mesh}",
            ", thresholds: [{name: rate, metric: Throughput, min: 900M}]",
        );
        let mut world = World::new(test, nodes);
        world.bad = vec!["n1".into()];
        world.run(&[]);
        assert_eq!(world.ended, Some(Stage::Concluded));
        let suspects: Vec<_> = world
            .suspects
            .iter()
            .map(|suspect| (suspect.node.as_str(), suspect.confirmed))
            .collect();
        assert_eq!(suspects, [("n1", true)], "{nodes} nodes");
        let again: Vec<_> = world
            .seen
            .ledger
            .0
            .values()
            .filter(|record| record.second_pass)
            .collect();
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].client, "n1");
    }
}

#[test]
fn a_mesh_of_one_waits_and_then_says_why() {
    let mut world = World::new(mesh(8), 1);
    let first = plan::plan(&world.test, &world.seen, at(0));
    assert_eq!(single::told(&first), "- | Pending/Unschedulable | a1");
    assert_eq!(
        single::message(&first),
        "a mesh needs two nodes and only n0 fits"
    );
    world.seen.run.placed = Some(at(0));
    let last = plan::plan(&world.test, &world.seen, at(180));
    assert_eq!(single::told(&last), "- | failed Unschedulable | a1");
}

#[test]
fn pods_of_a_pair_are_kept_where_the_spec_says_so() {
    let mut test = mesh(8);
    test.cleanup.pods = PodCleanup::Never;
    let mut world = World::new(test, 3);
    for _ in 0..200 {
        world.pass(Fault::Nothing);
        world.tick(0, Fault::Nothing);
    }
    assert_eq!(world.ended, Some(Stage::Concluded));
    let left: Vec<_> = world
        .seen
        .pods
        .iter()
        .map(|pod| (pod.role, pod.live()))
        .collect();
    assert_eq!(left, [(Role::Client, false); 3]);
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => Just(Fault::Nothing),
        1 => Just(Fault::NoStep),
        1 => Just(Fault::NoStatus),
        1 => Just(Fault::PodVanishes),
        1 => Just(Fault::PodCrashes),
        2 => Just(Fault::Foreign),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn each_pair_has_one_end_whatever_happens(
        nodes in 2usize..7,
        most in 1u32..4,
        kind in 0usize..3,
        faults in prop::collection::vec((0usize..40, fault()), 0..120),
    ) {
        let (test, pairs) = match kind {
            0 => (mesh(most), nodes * (nodes - 1) / 2),
            1 => (star(StarConcurrency::OneByOne), nodes - 1),
            _ => (star(StarConcurrency::Simultaneous), nodes - 1),
        };
        let mut world = World::new(test, nodes);
        world.run(&faults);
        prop_assert_eq!(world.ended.clone(), Some(Stage::Concluded));
        let first: Vec<_> = world.seen.ledger.0.values().filter(|record| !record.second_pass).collect();
        prop_assert_eq!(first.len(), pairs);
        prop_assert_eq!(pairs_of(&world.seen.ledger).len(), pairs);
        prop_assert!(world.seen.ledger.0.values().all(PairRecord::is_done));
        if kind == 0 {
            prop_assert!(world.most <= most as usize);
        }
    }
}
