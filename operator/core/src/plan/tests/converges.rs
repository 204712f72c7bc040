//! Worlds of several runs on few nodes, with pods that crash, vanish and are refused, and an operator that dies
//! before and after its writes. Whatever happens: one run a node at a time, one end a run, nothing left.

use super::*;
use crate::{
    ledger::Ledger,
    node_facts::NodeFacts,
    observed::{Claim, Observed, RunFacts, Waiter},
    refusal::CreateRefusal,
    testing::{digest, failure, node, text, valid},
    valid::RunUid,
};
use nettest_report::digest::FailureReason;
use proptest::prelude::*;

const PLACEMENTS: [&str; 4] = [
    "{traffic: {duration: 1s}, repeats: {count: 1}}",
    "{traffic: {duration: 1s}, repeats: {count: 1}, topology: {type: Pair, pair: {placement: SameNode}}}",
    "{traffic: {duration: 1s}, repeats: {count: 1}, topology: {type: Pair, pair: {placement: Any}}}",
    "{traffic: {duration: 1s}, repeats: {count: 1}, server: {nodeName: n0}}",
];

#[derive(Debug)]
struct Run {
    facts: RunFacts,
    test: ValidTest,
    measured: u32,
}

#[derive(Debug)]
struct World {
    second: i64,
    nodes: Vec<NodeFacts>,
    runs: Vec<Run>,
    pods: Vec<PodFacts>,
    made: u64,
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
    PodEvicted,
    ClientFails,
    Refused,
}

impl World {
    fn new(nodes: usize, kinds: &[usize]) -> World {
        let runs = kinds.iter().enumerate().map(|(index, kind)| {
            let manifest = format!(
                "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: default}}\nspec: {}\n",
                PLACEMENTS[kind % PLACEMENTS.len()]
            );
            let facts = RunFacts {
                name: format!("r{index}"),
                namespace: "default".to_owned(),
                uid: RunUid(format!("uid-{index}")),
                created: Some(at(0)),
                deleting: false,
                finished: false,
                attempt: 1,
                placed: None,
                client_was_running: false,
                blocked: None,
                nodes: vec![],
                number: None,
                seed: String::new(),
                verdict: None,
                done: 0,
            };
            Run { facts, test: valid(&manifest), measured: 0 }
        });
        World {
            second: 0,
            runs: runs.collect(),
            nodes: (0..nodes).map(|index| node(&format!("n{index}"))).collect(),
            pods: vec![],
            made: 0,
        }
    }

    fn observed(&self, index: usize) -> Observed {
        let run = &self.runs[index];
        let (mine, others): (Vec<_>, Vec<_>) = self
            .pods
            .iter()
            .cloned()
            .partition(|pod| pod.run == run.facts.uid);
        let waiters = self
            .runs
            .iter()
            .filter(|other| !other.facts.finished && other.facts.uid != run.facts.uid)
            .map(|other| Waiter {
                run: other.facts.uid.clone(),
                namespace: other.facts.namespace.clone(),
                holder: other.facts.name.clone(),
                created: other.facts.created,
                done: other.facts.done,
                test: other.test.clone(),
            });
        Observed {
            run: run.facts.clone(),
            nodes: self.nodes.clone(),
            claims: others.iter().filter_map(Claim::from_pod).collect(),
            waiters: waiters.collect(),
            services: vec![],
            ledger: Ledger::default(),
            external: None,
            concurrent_runs: None,
            pods: mine,
            refusal: None,
        }
    }

    /// One pass of the operator over one run.
    fn pass(&mut self, index: usize, fault: Fault) {
        let mut seen = self.observed(index);
        let mut decided = plan(&self.runs[index].test, &seen, at(self.second));
        if fault == Fault::Refused && matches!(decided.step, Some(Step::CreatePod(_))) {
            seen.refusal = CreateRefusal::classify(403, "exceeded quota: q");
            decided = plan(&self.runs[index].test, &seen, at(self.second));
            assert!(!matches!(decided.step, Some(Step::CreatePod(_))));
        }
        if fault == Fault::NoStep {
            return;
        }
        let run = &self.runs[index];
        match decided.step {
            None => {}
            Some(Step::CreateService(_) | Step::DeleteService { .. } | Step::Record(_)) => {
                unreachable!("a pair by pod addresses")
            }
            Some(Step::DeletePod { name, uid }) => {
                for pod in &mut self.pods {
                    if pod.name == name && pod.uid == uid {
                        pod.deleting = true;
                    }
                }
            }
            Some(Step::CreatePod(plan)) => {
                assert!(!run.facts.finished, "a finished run makes no pods");
                for other in &self.pods {
                    let apart = !other.live() || other.run == run.facts.uid;
                    let nodes = [&plan.pair.client, &plan.pair.server];
                    assert!(
                        apart || !nodes.iter().any(|node| other.pair.contains(node)),
                        "{} beside {}",
                        plan.name,
                        other.name
                    );
                }
                for mine in self.pods.iter().filter(|pod| pod.run == run.facts.uid) {
                    assert_eq!(mine.attempt, plan.attempt, "no attempt beside another");
                }
                self.made += 1;
                self.pods.push(PodFacts {
                    name: plan.name.clone(),
                    uid: format!("pod-{}", self.made),
                    run: run.facts.uid.clone(),
                    attempt: plan.attempt,
                    pair: plan.pair.clone(),
                    created: Some(at(self.second)),
                    ..pod(plan.role(), PodState::Pending)
                });
            }
        }
        if fault == Fault::NoStatus {
            return;
        }
        let facts = &mut self.runs[index].facts;
        match &decided.progress.stage {
            Stage::Settled | Stage::Concluded => return,
            Stage::Waiting(waiting) => {
                facts.client_was_running = waiting.phase == Phase::Running;
                facts.blocked = waiting
                    .blocked
                    .map(|reason| (reason, waiting.message.clone()));
            }
            Stage::Failed { .. } => facts.finished = true,
            Stage::Measured(_) => {
                facts.finished = true;
                self.runs[index].measured += 1;
            }
        }
        let facts = &mut self.runs[index].facts;
        assert!(decided.progress.attempt <= MAX_ATTEMPTS);
        assert!(
            decided.progress.attempt >= facts.attempt,
            "attempts never go back"
        );
        facts.attempt = decided.progress.attempt;
        facts.placed = decided.progress.placed;
    }

    /// A second passes: pods move on, one of them perhaps badly.
    fn tick(&mut self, chosen: usize, fault: Fault) {
        self.second += 1;
        self.pods.retain(|pod| !pod.deleting);
        for pod in &mut self.pods {
            pod.state = match &pod.state {
                PodState::Pending => running(),
                PodState::Running { .. } if pod.role == Role::Client => {
                    let mut last = digest(&[5]);
                    last.figures[0].variant = "tcp-p1".to_owned();
                    if fault == Fault::ClientFails {
                        last = failure(FailureReason::PeerUnreachable, "refused");
                    }
                    (last.run, last.attempt) = (pod.run.0.clone(), pod.attempt);
                    exited(0, &text(&last))
                }
                other => other.clone(),
            };
        }
        let Some(pod) = chosen
            .checked_rem(self.pods.len())
            .and_then(|index| self.pods.get_mut(index))
        else {
            return;
        };
        match fault {
            Fault::PodVanishes => {
                let uid = pod.uid.clone();
                self.pods.retain(|pod| pod.uid != uid);
            }
            Fault::PodCrashes => pod.state = exited(101, ""),
            Fault::PodEvicted => {
                pod.state = PodState::Ended(Ended {
                    disrupted: true,
                    ..Ended::default()
                });
            }
            _ => {}
        }
    }
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => Just(Fault::Nothing),
        1 => Just(Fault::NoStep),
        1 => Just(Fault::NoStatus),
        1 => Just(Fault::PodVanishes),
        1 => Just(Fault::PodCrashes),
        1 => Just(Fault::PodEvicted),
        1 => Just(Fault::ClientFails),
        1 => Just(Fault::Refused),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn one_run_a_node_one_end_a_run_and_nothing_left(
        nodes in 1usize..4,
        kinds in prop::collection::vec(0usize..4, 1..5),
        script in prop::collection::vec((0usize..8, 0usize..8, fault()), 0..120),
    ) {
        let mut world = World::new(nodes, &kinds);
        for (run, pod, fault) in script {
            let run = run % world.runs.len();
            world.pass(run, fault);
            world.tick(pod, fault);
        }
        // From here on nothing goes wrong: each run ends within its attempts and scheduleTimeouts, one after the other.
        let mut patience = 4 * 200;
        while !(world.runs.iter().all(|run| run.facts.finished) && world.pods.is_empty()) {
            patience -= 1;
            prop_assert!(patience > 0, "stuck: {world:#?}");
            for run in 0..world.runs.len() {
                world.pass(run, Fault::Nothing);
            }
            world.tick(0, Fault::Nothing);
        }
        for run in &world.runs {
            prop_assert!(run.measured <= 1);
        }
    }

    #[test]
    fn without_faults_every_run_that_fits_is_measured(
        nodes in 2usize..5,
        kinds in prop::collection::vec(0usize..4, 1..6),
    ) {
        let mut world = World::new(nodes, &kinds);
        for _ in 0..60 {
            for run in 0..world.runs.len() {
                world.pass(run, Fault::Nothing);
            }
            world.tick(0, Fault::Nothing);
        }
        for run in &world.runs {
            prop_assert_eq!((run.measured, run.facts.attempt), (1, 1), "{:?}", run);
        }
        prop_assert!(world.pods.is_empty());
    }
}
