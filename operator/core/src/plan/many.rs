//! A run of several pairs: a mesh, a star, or one pair of nodes on several lanes. Each pair is planned as a run of its
//! own (see [`view`]); this decides which pairs go on, which begin, and when all is done.

mod second_pass;
mod view;

use super::{Many, Phase, Plan, Progress, Stage, Step, Waiting, attempt, attempt::PATIENCE, clean};
use crate::{
    aggregate::aggregate,
    diagnose::diagnose,
    exclusivity::{self, Busy, Turn},
    layout::{self, Layout, PairSpec},
    ledger::{Ledger, PairRecord},
    link,
    mesh::{next::next, node_set::NodeSet},
    observed::{Claim, Observed},
    pinning::{Pinning, pinning},
    valid::{NodeName, ValidTest, ValidTopology},
};
use jiff::{SignedDuration, Timestamp};
use nettest_api::{Reason, result::PairState, topology::StarConcurrency};
use std::{collections::BTreeSet, time::Duration};

/// Whether a test is planned here.
pub(super) fn is_many(test: &ValidTest) -> bool {
    !test.is_one_pair() || test.lanes().len() > 1
}

/// All clients of a star at a time, with one server.
pub(super) fn is_simultaneous(test: &ValidTest) -> bool {
    matches!(&test.topology, ValidTopology::Star(star) if star.concurrency == StarConcurrency::Simultaneous)
}

pub(super) fn plan(test: &ValidTest, seen: &Observed, now: Timestamp) -> Plan {
    if seen.run.nodes.is_empty() {
        return choose_nodes(test, seen, now);
    }
    let mut layout = Layout::new(test, &seen.run.nodes, &seen.nodes, &seen.run.seed);
    let pass = second_pass::look(test, &mut layout, &seen.ledger);
    Pairs {
        test,
        seen,
        now,
        layout: &layout,
        suspects: pass,
    }
    .plan()
}

/// The first pass of a run: which nodes take part. They are written down before anything is made.
fn choose_nodes(test: &ValidTest, seen: &Observed, now: Timestamp) -> Plan {
    let placed = seen.run.placed.unwrap_or(now);
    let wait = |phase, blocked, message: String, placed| {
        waiting(seen, phase, blocked, message, placed, None, PATIENCE)
    };
    let nodes = match &test.topology {
        // One pair takes the nodes that are free.
        ValidTopology::Pair { .. } | ValidTopology::External(_) => {
            match exclusivity::turn(test, seen) {
                Turn::Now(pair) => Ok(vec![pair.client, pair.server]),
                Turn::Wait { why, place } => {
                    let message = format!("number {place} in line: {why}");
                    return wait(Phase::Queued, None, message, None);
                }
                Turn::NoPair { why } => Err(why),
            }
        }
        ValidTopology::Mesh(_) | ValidTopology::Star(_) => {
            if let Some(Turn::Wait { why, place }) = exclusivity::ceiling(seen) {
                let message = format!("number {place} in line: {why}");
                return wait(Phase::Queued, None, message, None);
            }
            layout::members(test, &seen.nodes)
        }
    };
    match nodes {
        Ok(nodes) => {
            let layout = Layout::new(test, &nodes, &seen.nodes, &seen.run.seed);
            let many = Many {
                pairs: layout.len(),
                nodes,
                running: vec![],
                ledger: Ledger::default(),
                suspects: vec![],
            };
            let message = format!("{} pairs are planned", layout.len());
            waiting(
                seen,
                Phase::Starting,
                None,
                message,
                Some(now),
                Some(many),
                Duration::ZERO,
            )
        }
        Err(why) if is_over(placed, test.limits.schedule_timeout, now) => {
            let timeout = crate::span::display(test.limits.schedule_timeout);
            failed(
                seen,
                Reason::Unschedulable,
                format!("{why} (limits.scheduleTimeout of {timeout} has passed)"),
                None,
            )
        }
        Err(why) => wait(
            Phase::Pending,
            Some(Reason::Unschedulable),
            why,
            Some(placed),
        ),
    }
}

fn is_over(since: Timestamp, limit: Duration, now: Timestamp) -> bool {
    SignedDuration::try_from(limit).is_ok_and(|limit| now.duration_since(since) >= limit)
}

fn waiting(
    seen: &Observed,
    phase: Phase,
    blocked: Option<Reason>,
    message: String,
    placed: Option<Timestamp>,
    many: Option<Many>,
    after: Duration,
) -> Plan {
    Plan {
        step: None,
        progress: Progress {
            attempt: seen.run.attempt,
            placed,
            pair: None,
            many,
            stage: Stage::Waiting(Waiting {
                phase,
                blocked,
                message,
            }),
        },
        collect: None,
        requeue_after: Some(after),
    }
}

fn failed(seen: &Observed, reason: Reason, message: String, many: Option<Many>) -> Plan {
    Plan {
        step: None,
        progress: Progress {
            attempt: seen.run.attempt,
            placed: seen.run.placed,
            pair: None,
            stage: Stage::Failed {
                reason,
                message,
                ran: many.as_ref().is_some_and(|many| {
                    many.ledger
                        .0
                        .values()
                        .any(|record| record.state == PairState::Measured)
                }),
            },
            many,
        },
        collect: None,
        requeue_after: Some(Duration::ZERO),
    }
}

/// What a pass works on, once the nodes are chosen.
struct Pairs<'a> {
    test: &'a ValidTest,
    seen: &'a Observed,
    now: Timestamp,
    layout: &'a Layout,
    suspects: Vec<nettest_api::result::Suspect>,
}

/// What the pairs that have pods want.
#[derive(Default)]
struct Active {
    /// Numbers of those that go on.
    going: Vec<u32>,
    records: Vec<(u32, PairRecord)>,
    /// Best first.
    deletes: Vec<Step>,
    creates: Vec<Step>,
    /// A client measures.
    measuring: bool,
    blocked: Option<(Reason, String)>,
    after: Option<Duration>,
}

impl Pairs<'_> {
    fn plan(&self) -> Plan {
        let mut active = self.active();
        if active.records.is_empty() && active.deletes.is_empty() && active.creates.is_empty() {
            if let Some(refusal) = &self.seen.refusal {
                return self.refused(refusal.reason, &refusal.message, refusal.is_final(), active);
            }
            if self.all_done() && active.going.is_empty() {
                return self.concluded();
            }
            if let Some(plan) = self.begin(&mut active) {
                return plan;
            }
        }
        self.go_on(active)
    }

    /// The pairs with pods, and those whose attempt was written before its pods.
    fn active(&self) -> Active {
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
        let keeps = self.test.cleanup.pods != nettest_api::cleanup::PodCleanup::Always;
        let pods = self.seen.pods.iter();
        let pods = pods.filter(|pod| pod.number == Some(number) && (pod.live() || !keeps));
        let services = self.seen.services.iter();
        let services = services.filter(|service| service.number == Some(number));
        clean::next(pods).or_else(|| clean::service(services))
    }

    /// One pair, planned as a run of its own. `begins`: it has nothing yet, and whoever waits comes first. `Some`: it
    /// waits, with nothing to be done.
    fn one(
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
            collect: _,
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
                    ..record(pair, PairState::Measured, progress.attempt)
                };
                active.records.push((number, record));
            }
            Stage::Failed {
                reason, message, ..
            } => {
                let record = PairRecord {
                    reason: Some(reason),
                    message,
                    ..record(pair, PairState::Failed, progress.attempt)
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
                        ..record(pair, PairState::Running, progress.attempt)
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

    fn all_done(&self) -> bool {
        (0..self.layout.len()).all(|number| self.seen.ledger.is_done(number))
    }

    /// Nothing has to be finished first: the next pair, if there is one whose nodes are free.
    fn begin(&self, active: &mut Active) -> Option<Plan> {
        let room = self.room(active.going.len());
        let own = self.own_claims();
        let mut claims = self.seen.claims.clone();
        claims.extend(own);
        let busy = Busy::of(&Observed {
            claims,
            run: self.seen.run.clone(),
            nodes: self.seen.nodes.clone(),
            waiters: self.seen.waiters.clone(),
            pods: vec![],
            services: vec![],
            ledger: Ledger::default(),
            external: None,
            concurrent_runs: None,
            refusal: None,
        });
        let number = self.pick(&busy, room, active)?;
        let pair = self.layout.pair(number)?;
        let queued = self.one(number, &pair, true, active)?;
        if queued.phase != Phase::Queued {
            return None;
        }
        // It has nothing yet, so it is not under way.
        active.going.retain(|going| *going != number);
        if !active.going.is_empty() {
            return None;
        }
        // Nobody counts the time in the queue.
        let many = self.many(active);
        Some(waiting(
            self.seen,
            Phase::Queued,
            None,
            queued.message,
            None,
            Some(many),
            PATIENCE,
        ))
    }

    /// How many more pairs may run.
    fn room(&self, going: usize) -> usize {
        let most = match &self.test.topology {
            ValidTopology::Mesh(mesh) => mesh.max_concurrent,
            ValidTopology::Star(star) if is_simultaneous(self.test) => star.max_clients,
            _ => 1,
        };
        usize::try_from(most)
            .unwrap_or(usize::MAX)
            .saturating_sub(going)
    }

    /// Pods of this run's own pairs hold their nodes, too.
    fn own_claims(&self) -> Vec<Claim> {
        if is_simultaneous(self.test) {
            return vec![];
        }
        self.seen.pods.iter().filter_map(Claim::from_pod).collect()
    }

    fn pick(&self, busy: &Busy, room: usize, active: &Active) -> Option<u32> {
        let mut set = NodeSet::new(self.layout.nodes.len());
        for (index, node) in (0..).zip(&self.layout.nodes) {
            let open = self
                .seen
                .nodes
                .iter()
                .any(|facts| facts.name == node.name && facts.closed.is_none());
            let external = matches!(self.test.topology, ValidTopology::External(_)) && index == 1;
            if busy.nodes.contains(&node.name) || (!open && !external) {
                set.insert(index);
            }
        }
        let is_open =
            |number: &u32| !self.seen.ledger.is_done(*number) && !active.going.contains(number);
        if is_simultaneous(self.test) {
            // One server for all: it is busy by itself.
            let mut numbers =
                (0..self.layout.first.len()).flat_map(|index| self.layout.numbers(index));
            return numbers.find(is_open).filter(|_| room > 0);
        }
        if self.layout.nodes.len() == 2 && self.layout.nodes[0] == self.layout.nodes[1] {
            // One node against itself.
            let mut numbers = self.layout.numbers(0);
            return numbers
                .find(is_open)
                .filter(|_| room > 0 && !set.contains(0));
        }
        let pairs: Vec<_> = self
            .layout
            .first
            .iter()
            .chain(&self.layout.second)
            .copied()
            .collect();
        let first = next(&pairs, &set, room.min(1), |index| {
            self.layout.numbers(index).any(|number| is_open(&number))
        });
        self.layout.numbers(*first.first()?).find(is_open)
    }

    /// The API server does not want what a pair needs.
    fn refused(&self, reason: Reason, message: &str, is_final: bool, active: Active) -> Plan {
        let placed = self.seen.run.placed.unwrap_or(self.now);
        let over = is_over(placed, self.test.limits.schedule_timeout, self.now);
        let many = self.many(&active);
        if is_final || (over && active.going.is_empty()) {
            return failed(self.seen, reason, message.to_owned(), Some(many));
        }
        waiting(
            self.seen,
            Phase::Pending,
            Some(reason),
            message.to_owned(),
            Some(placed),
            Some(many),
            PATIENCE,
        )
    }

    fn concluded(&self) -> Plan {
        Plan {
            step: None,
            progress: Progress {
                attempt: self.seen.run.attempt,
                placed: self.seen.run.placed,
                pair: None,
                many: Some(self.many(&Active::default())),
                stage: Stage::Concluded,
            },
            collect: None,
            requeue_after: Some(Duration::ZERO),
        }
    }

    fn many(&self, active: &Active) -> Many {
        let mut ledger = self.seen.ledger.clone();
        ledger.0.extend(active.records.iter().cloned());
        Many {
            nodes: self.seen.run.nodes.clone(),
            pairs: self.layout.len(),
            running: active.going.clone(),
            ledger,
            suspects: self.suspects.clone(),
        }
    }

    fn go_on(&self, mut active: Active) -> Plan {
        let idle =
            active.going.is_empty() && active.records.is_empty() && active.deletes.is_empty();
        if idle && let Some(plan) = self.stuck() {
            return plan;
        }
        let many = self.many(&active);
        let done = many
            .ledger
            .0
            .values()
            .filter(|record| record.is_done())
            .count();
        let mut message = format!("{done} of {} pairs done", many.pairs);
        if !active.going.is_empty() {
            message.push_str(&format!(", {} under way", active.going.len()));
        }
        if let Some((_, why)) = &active.blocked {
            message.push_str(&format!(" ({why})"));
        }
        let phase = if active.measuring || done > 0 {
            Phase::Running
        } else {
            Phase::Starting
        };
        // A record moves the run on: whoever waits for a node waits from here.
        let placed = if active.records.is_empty() {
            self.seen.run.placed.or(Some(self.now))
        } else {
            Some(self.now)
        };
        let blocked = active.blocked.take().map(|(reason, _)| reason);
        let step = if active.records.is_empty() {
            let mut steps = active.deletes.into_iter().chain(active.creates);
            steps.next()
        } else {
            Some(Step::Record(std::mem::take(&mut active.records)))
        };
        let after = if step.is_some() {
            Duration::ZERO
        } else {
            active.after.unwrap_or(PATIENCE).min(PATIENCE)
        };
        let blocked = blocked.filter(|_| phase == Phase::Starting);
        let mut plan = waiting(
            self.seen,
            phase,
            blocked,
            message,
            placed,
            Some(many),
            after,
        );
        plan.step = step;
        plan
    }

    /// Nothing runs and nothing can begin: the nodes of what is left are gone, closed or somebody else's.
    fn stuck(&self) -> Option<Plan> {
        let placed = self.seen.run.placed?;
        let closed = |name: &NodeName| {
            let mut nodes = self.seen.nodes.iter();
            match nodes.find(|facts| facts.name == *name) {
                Some(facts) => facts.closed.clone(),
                None => Some("is gone".to_owned()),
            }
        };
        if !is_over(placed, self.test.limits.schedule_timeout, self.now) {
            return None;
        }
        let external = matches!(self.test.topology, ValidTopology::External(_));
        let mut records = Vec::new();
        for number in 0..self.layout.len() {
            if self.seen.ledger.is_done(number) {
                continue;
            }
            let Some(pair) = self.layout.pair(number) else {
                continue;
            };
            let server = Some(&pair.server).filter(|_| !external);
            let why = [Some(&pair.client), server]
                .into_iter()
                .flatten()
                .find_map(|node| Some(format!("node {node} {}", closed(node)?)));
            if let Some(message) = why {
                let record = PairRecord {
                    reason: Some(Reason::NodeLost),
                    message,
                    ..record(&pair, PairState::Failed, 1)
                };
                records.push((number, record));
            }
            // A step is bounded; the next pass goes on.
            if records.len() >= 200 {
                break;
            }
        }
        if records.is_empty() {
            return None;
        }
        let active = Active {
            records,
            ..Active::default()
        };
        Some(self.go_on(active))
    }
}

fn record(pair: &PairSpec, state: PairState, attempt: u32) -> PairRecord {
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
    }
}

#[cfg(test)]
mod tests;
