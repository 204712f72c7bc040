//! A run of several pairs: a mesh, a star, or one pair of nodes on several lanes. Each pair is planned as a run of its
//! own (see [`view`]); this decides which pairs go on, which begin, and when all is done.

mod active;
mod next_pair;
mod nodes;
mod second_pass;
mod stuck;
mod view;

use super::{Many, Phase, Plan, Progress, Stage, Step, Waiting, attempt::PATIENCE};
use crate::{
    documents,
    layout::Layout,
    observed::Observed,
    valid::{ValidTest, ValidTopology},
};
use active::Active;
use jiff::{SignedDuration, Timestamp};
use nettest_api::{
    Reason,
    result::{PairState, Suspect},
    topology::StarConcurrency,
};
use std::time::Duration;

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
        return nodes::choose(test, seen, now);
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
        collect: vec![],
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
        collect: vec![],
        requeue_after: Some(Duration::ZERO),
    }
}

/// What a pass works on, once the nodes are chosen.
struct Pairs<'a> {
    test: &'a ValidTest,
    seen: &'a Observed,
    now: Timestamp,
    layout: &'a Layout,
    suspects: Vec<Suspect>,
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

    fn all_done(&self) -> bool {
        (0..self.layout.len()).all(|number| self.seen.ledger.is_done(number))
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
            collect: vec![],
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
        let collect = documents::within(std::mem::take(&mut active.collect), &self.seen.ledger);
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
        plan.collect = collect;
        plan
    }
}

#[cfg(test)]
mod tests;
