//! What the pairs that have pods want.

use super::{Pairs, view};
use crate::{
    aggregate::aggregate,
    diagnose::diagnose,
    documents,
    layout::PairSpec,
    ledger::PairRecord,
    link,
    node_facts::zone_of,
    pinning::{Pinning, pinning},
    plan::{Collect, Phase, Plan, Stage, Step, Waiting, attempt, clean},
};
use nettest_api::{Reason, cleanup::PodCleanup, result::PairState};
use std::{collections::BTreeSet, time::Duration};

/// What the pairs that have pods want.
#[derive(Default)]
pub(super) struct Active {
    /// Numbers of those that go on.
    pub(super) going: Vec<u32>,
    pub(super) records: Vec<(u32, PairRecord)>,
    /// The documents of those that are measured.
    pub(super) collect: Vec<Collect>,
    /// Best first.
    pub(super) deletes: Vec<Step>,
    pub(super) creates: Vec<Step>,
    /// A client measures.
    pub(super) measuring: bool,
    pub(super) blocked: Option<(Reason, String)>,
    pub(super) after: Option<Duration>,
}

impl Pairs<'_> {
    /// The pairs with pods, and those whose attempt was written before its pods.
    pub(super) fn active(&self) -> Active {
        let mut active = Active::default();
        let with_pods = self.seen.pods.iter().filter_map(|pod| pod.number);
        let with_services = self
            .seen
            .services
            .iter()
            .filter_map(|service| service.number);
        let begun = self.seen.ledger.0.iter();
        let begun = begun.filter(|(_, record)| record.state == PairState::Running);
        let numbers: BTreeSet<u32> = with_pods
            .chain(with_services)
            .chain(begun.map(|(number, _)| *number))
            .collect();
        for number in numbers {
            match self.layout.pair(number) {
                Some(pair) if !self.seen.ledger.is_done(number) => {
                    self.one(number, &pair, false, &mut active);
                }
                // Done, or of a layout that is no more.
                _ => active.deletes.extend(self.left_over(number)),
            }
        }
        active
    }

    /// What remains of a pair that is done. Ended pods may be wanted; what the run as a whole keeps is decided at its
    /// end, when its verdict is known.
    fn left_over(&self, number: u32) -> Option<Step> {
        let keeps = self.test.cleanup.pods != PodCleanup::Always;
        let pods = self.seen.pods.iter();
        let pods = pods.filter(|pod| pod.number == Some(number) && (pod.live() || !keeps));
        let services = self.seen.services.iter();
        let services = services.filter(|service| service.number == Some(number));
        clean::next(pods).or_else(|| clean::service(services))
    }

    /// One pair, planned as a run of its own. `begins`: it has nothing yet, and whoever waits comes first. `Some`: it
    /// waits, with nothing to be done.
    pub(super) fn one(
        &self,
        number: u32,
        pair: &PairSpec,
        begins: bool,
        active: &mut Active,
    ) -> Option<Waiting> {
        let (test, seen) = view::of(self.test, self.seen, number, pair, begins);
        let plan = attempt::plan(&test, &seen, self.now);
        let Plan {
            step,
            progress,
            collect,
            requeue_after,
        } = view::back(self.test, &self.seen.run, plan);
        let before = self.attempt_of(number);
        match progress.stage {
            Stage::Measured(digest) => {
                let results = aggregate(self.test, &digest);
                let record = PairRecord {
                    diagnosis: diagnose(self.test, &digest, &results),
                    results,
                    unpinned: match pinning(self.test, &digest) {
                        Pinning::FellBack { message } => Some(message),
                        Pinning::Exclusive { .. } | Pinning::Shared { .. } => None,
                        // Such a pair is not measured.
                        Pinning::Refused { .. } => None,
                    },
                    client_link: link::speed(
                        self.test,
                        self.seen,
                        &pair.client,
                        digest.client_host.as_ref(),
                    ),
                    server_link: link::speed(
                        self.test,
                        self.seen,
                        &pair.server,
                        digest.server_host.as_ref(),
                    ),
                    ..self.record(pair, PairState::Measured, progress.attempt)
                };
                active.records.push((number, record));
                active
                    .collect
                    .extend(collect.into_iter().map(|of_pair| Collect {
                        number: Some(number),
                        budget: documents::share(self.layout.len()),
                        ..of_pair
                    }));
            }
            Stage::Failed {
                reason, message, ..
            } => {
                let record = PairRecord {
                    reason: Some(reason),
                    message,
                    ..self.record(pair, PairState::Failed, progress.attempt)
                };
                active.records.push((number, record));
            }
            Stage::Waiting(waiting) => {
                active.going.push(number);
                active.measuring |= waiting.phase == Phase::Running;
                if let Some(reason) = waiting.blocked {
                    let message =
                        format!("{} -> {}: {}", pair.client, pair.server, waiting.message);
                    active.blocked.get_or_insert((reason, message));
                }
                active.after = active.after.into_iter().chain(requeue_after).min();
                if progress.attempt > before {
                    // The number is written before anything is removed.
                    let record = PairRecord {
                        message: waiting.message,
                        ..self.record(pair, PairState::Running, progress.attempt)
                    };
                    active.records.push((number, record));
                    return None;
                }
                match step {
                    Some(step @ (Step::CreatePod(_) | Step::CreateService(_))) => {
                        active.creates.push(step);
                    }
                    Some(step) => active.deletes.push(step),
                    None => return Some(waiting),
                }
            }
            Stage::Settled | Stage::Concluded => {}
        }
        None
    }

    fn attempt_of(&self, number: u32) -> u32 {
        let of_pods = self
            .seen
            .pods
            .iter()
            .filter(|pod| pod.number == Some(number));
        let of_pods = of_pods.map(|pod| pod.attempt).max().unwrap_or(1);
        let of_record = self
            .seen
            .ledger
            .get(number)
            .map_or(1, |record| record.attempt);
        of_pods.max(of_record)
    }

    /// Without what was measured.
    pub(super) fn record(&self, pair: &PairSpec, state: PairState, attempt: u32) -> PairRecord {
        PairRecord {
            client: pair.client.as_str().to_owned(),
            server: pair.server.as_str().to_owned(),
            lane: pair.lane,
            second_pass: pair.second_pass,
            state,
            attempt,
            reason: None,
            message: String::new(),
            results: vec![],
            diagnosis: vec![],
            unpinned: None,
            client_link: None,
            server_link: None,
            documents: None,
            client_zone: zone_of(&self.seen.nodes, &pair.client),
            server_zone: zone_of(&self.seen.nodes, &pair.server),
        }
    }
}
