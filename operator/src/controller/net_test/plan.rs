//! What a pass over a NetTest does, and what its status says then: pure.

use super::{is_settled, run_of};
use crate::{
    controller::history::{Limits, is_finished, latest_of, superseded},
    events::Fact,
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::ResourceExt;
use nettest_api::{NetTest, NetTestRun, NetTestStatus, Reason, condition};
use nettest_core::{
    conditions::find,
    history::history,
    names,
    policy::Policy,
    schedule::{self, Act, Decision, Missed, RunRef, ScheduleState, Since, ValidSchedule, decide},
    status::{refused_run_status, test_status},
    validate::{Refusal, validate},
};
use std::time::Duration;

/// A test whose run goes on is looked at again this often, though the run's watch tells sooner.
const PATIENCE: Duration = Duration::from_secs(30);
/// … and one that has its result: ten thousand of them make eleven requests a second.
const RESYNC: Duration = Duration::from_secs(1800);
/// Finished runs that one pass deletes: with thousands, other tests have their turn between.
const MOST_DELETED: usize = 100;

/// What a pass does. Each of it may have been done before by a pass that did not live to tell.
#[derive(Debug, Default)]
pub struct Plan {
    /// Runs that end now. Nothing is made before they are gone.
    pub stop: Vec<RunRef>,
    /// Finished runs that are past the limits.
    pub tidy: Vec<RunRef>,
    pub make: Vec<NetTestRun>,
    /// To be told when the status is written.
    pub told: Option<Fact>,
    /// For status.nextRunTime.
    pub next: Option<Timestamp>,
    /// Of a schedule that makes no runs.
    pub refusal: Option<Refusal>,
    /// What the status says of a test that has no run yet.
    pending: Option<String>,
    pub again: Duration,
}

pub fn plan(test: &NetTest, runs: &[NetTestRun], policy: &Policy, now: Timestamp) -> Plan {
    let generation = test.metadata.generation.unwrap_or(1);
    let current = latest_of(runs, test);
    let settled = is_settled(test, generation);
    let mut plan = Plan {
        stop: superseded(runs, test).into_iter().map(reference).collect(),
        ..Plan::default()
    };
    match scheduled(test, policy) {
        None if current.is_none() && !settled => {
            let mut run = run_of(test, generation);
            run.spec.rerun = asked_again(test, runs);
            plan.make.push(run);
        }
        None => {}
        Some(Err(refusal)) => plan.refusal = Some(refusal),
        Some(Ok(schedule)) => plan.by_schedule(test, runs, &schedule, now),
    }
    let limits = Limits::of(&test.spec.cleanup);
    let mut more = !plan.stop.is_empty();
    if more {
        plan.make.clear();
    }
    // The status tells of a run before it goes, else a crash between would make it again.
    if !remembers_time(test, runs) {
        plan.stop.clear();
        plan.told = plan.told.filter(|_| !more);
    } else if remembers_end(test, runs) {
        let expired = limits.expired(runs, now);
        more |= expired.len() > MOST_DELETED;
        let expired = expired.into_iter().take(MOST_DELETED);
        plan.tidy = expired.map(reference).collect();
    }

    let waits = match current {
        Some(run) => !is_finished(run),
        None => !settled && test.spec.schedule.is_none(),
    };
    plan.again = match waits || !plan.make.is_empty() {
        true => PATIENCE,
        false => RESYNC,
    };
    if more {
        plan.again = Duration::ZERO;
    }
    for at in [plan.next, limits.next_end(runs, now)]
        .into_iter()
        .flatten()
    {
        let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
        plan.again = plan.again.min(left);
    }
    plan
}

/// The schedule of a test that could run: what is wrong with it is said when it is applied, not at its first time.
fn scheduled(test: &NetTest, policy: &Policy) -> Option<Result<ValidSchedule, Refusal>> {
    let schedule = test.spec.schedule.as_ref()?;
    let namespace = test.namespace().unwrap_or_default();
    Some(
        validate(&test.spec, &namespace, policy)
            .and_then(|_| schedule::parse(schedule).map_err(Refusal::from)),
    )
}

impl Plan {
    fn by_schedule(
        &mut self,
        test: &NetTest,
        runs: &[NetTestRun],
        schedule: &ValidSchedule,
        now: Timestamp,
    ) {
        if let Some(token) = asked_again(test, runs) {
            let mut run = run_of(test, test.metadata.generation.unwrap_or(1));
            run.spec.rerun = Some(token);
            self.make.push(run);
        }
        let seed = test.uid().unwrap_or_default();
        let Decision { act, missed, next } =
            decide(schedule, &self.state(test, runs, now), &seed, now);
        match act {
            Act::Wait => {}
            // What is stopped first may be the run that holds it back: it is decided again.
            Act::Start { scheduled } if self.stop.is_empty() => {
                self.make.push(scheduled_run(test, scheduled));
            }
            Act::Start { scheduled } => {
                self.next = Some(schedule.due(scheduled, &seed));
                return;
            }
            Act::Replace { scheduled, runs } => {
                let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
                self.told = Some(Fact {
                    warning: false,
                    reason: "RunReplaced",
                    action: "Schedule",
                    note: format!(
                        "NetTestRun {} is ended for the run of {scheduled}",
                        names.join(", ")
                    ),
                });
                self.stop.extend(runs);
            }
        }
        if let Some(missed) = missed {
            self.told = Some(told(&missed));
        }
        self.next = next;
        self.pending = Some(match next {
            _ if schedule.suspended() => "no run is made while schedule.suspend is true".to_owned(),
            Some(next) => format!("the first run is due at {next}"),
            None => "the schedule has no time that is still to come".to_owned(),
        });
    }

    /// What objects tell of the past. A run that is about to be stopped holds nothing back.
    fn state(&self, test: &NetTest, runs: &[NetTestRun], now: Timestamp) -> ScheduleState {
        let status = test.status.as_ref();
        let since = match status.filter(|status| status.observed_generation.is_some()) {
            None => Since::Created(test.creation_timestamp().map_or(now, |time| time.0)),
            Some(status) => status
                .next_run_time
                .as_ref()
                .map_or(Since::Now, |next| Since::Due(next.0)),
        };
        ScheduleState {
            since,
            // Jitter makes a time before the creation due after it: it is not this test's.
            last: last_scheduled(test, runs).max(test.creation_timestamp().map(|time| time.0)),
            running: runs
                .iter()
                .filter(|run| run.spec.scheduled_time.is_some() && !is_finished(run))
                .filter(|run| run.metadata.deletion_timestamp.is_none())
                .map(reference)
                .filter(|run| !self.stop.contains(run))
                .collect(),
        }
    }
}

/// The latest time that a run was made for.
fn last_scheduled(test: &NetTest, runs: &[NetTestRun]) -> Option<Timestamp> {
    let status = test.status.as_ref();
    let known = status.and_then(|status| status.last_schedule_time.as_ref());
    let there = runs
        .iter()
        .filter_map(|run| run.spec.scheduled_time.as_ref());
    known.into_iter().chain(there).map(|time| time.0).max()
}

/// The spec.rerun token, if no run was made for it yet.
fn asked_again(test: &NetTest, runs: &[NetTestRun]) -> Option<String> {
    let token = test.spec.rerun.as_ref()?;
    let status = test.status.as_ref();
    if status.and_then(|status| status.last_rerun.as_ref()) == Some(token) {
        return None;
    }
    // A run that was made and not told of: its generation is not older than the status.
    let told = status.and_then(|status| status.observed_generation);
    let made = runs
        .iter()
        .any(|run| run.spec.rerun.as_ref() == Some(token) && run.spec.test_generation >= told);
    (!made).then(|| token.clone())
}

/// The run of a time of the schedule. Its name is always the same, so there is never a second one.
fn scheduled_run(test: &NetTest, scheduled: Timestamp) -> NetTestRun {
    let mut run = run_of(test, test.metadata.generation.unwrap_or(1));
    let minutes = scheduled.as_second().div_euclid(60);
    run.metadata.name = Some(names::run_name(&test.name_any(), minutes));
    run.spec.scheduled_time = Some(Time(scheduled));
    run
}

fn told(missed: &Missed) -> Fact {
    let (warning, reason, note) = match missed {
        Missed::Late { scheduled } => (
            true,
            "MissedSchedule",
            format!(
                "the run of {scheduled} could not start within schedule.startingDeadline and is skipped"
            ),
        ),
        Missed::TooMany { since } => (
            true,
            "MissedSchedule",
            format!(
                "more than 100 runs were missed since {since} and are skipped: was the operator down, or a clock wrong?"
            ),
        ),
        Missed::StillRunning { scheduled, run } => (
            false,
            "RunSkipped",
            format!(
                "the run of {scheduled} is skipped: NetTestRun {run} goes on and schedule.concurrencyPolicy is Forbid"
            ),
        ),
    };
    Fact {
        warning,
        reason,
        action: "Schedule",
        note,
    }
}

/// Whether the status has the latest time that a run was made for.
fn remembers_time(test: &NetTest, runs: &[NetTestRun]) -> bool {
    let status = test.status.as_ref();
    let known = status.and_then(|status| status.last_schedule_time.as_ref());
    test.spec.schedule.is_none() || known.map(|time| time.0) == last_scheduled(test, runs)
}

/// Whether the status has all that is worth keeping of the runs that have ended.
fn remembers_end(test: &NetTest, runs: &[NetTestRun]) -> bool {
    let known = test.status.as_ref().map(|status| status.history.as_slice());
    let known = known.unwrap_or_default();
    history(known, runs) == known
}

fn reference(run: &NetTestRun) -> RunRef {
    RunRef {
        name: run.name_any(),
        uid: run.uid().unwrap_or_default(),
    }
}

/// The status after a pass. `runs` has those that it made.
pub fn status(test: &NetTest, runs: &[NetTestRun], plan: &Plan, now: Timestamp) -> NetTestStatus {
    let old = test.status.clone().unwrap_or_default();
    let generation = test.metadata.generation.unwrap_or(1);
    let settled = is_settled(test, generation);
    let current = latest_of(runs, test);
    let mut new = match (&plan.refusal, current) {
        (Some(refusal), _) if is_refused(test, refusal) => old.clone(),
        (Some(refusal), _) => refused(test, refusal, now),
        // A run that was deleted takes nothing away from the test: its result stands until there is another.
        (None, Some(run)) if settled && is_older(run, &old) => old.clone(),
        (None, None) if settled && !was_refused(test) => old.clone(),
        (None, Some(run)) => {
            let mut run = run.clone();
            // It measures what this generation asks for.
            run.spec.test_generation = test.metadata.generation;
            test_status(test, Some(&run), now)
        }
        (None, None) => {
            let mut new = test_status(test, None, now);
            if let Some(message) = &plan.pending {
                say_pending(&mut new.conditions, message);
            }
            new
        }
    };
    let scheduled = test.spec.schedule.is_some();
    let last = scheduled.then(|| last_scheduled(test, runs)).flatten();
    new.history = history(&old.history, runs);
    new.next_run_time = plan.next.map(Time);
    new.last_schedule_time = last.map(Time);
    let token = test.spec.rerun.clone();
    let served = token.filter(|token| {
        let made = |run: &NetTestRun| run.spec.rerun.as_ref() == Some(token);
        plan.make.iter().any(made) || asked_again(test, runs).is_none()
    });
    new.last_rerun = served.or(old.last_rerun);
    new
}

/// The status of a test that is refused before any run: what a run of it would say, if one were made.
pub fn refused(test: &NetTest, refusal: &Refusal, now: Timestamp) -> NetTestStatus {
    let old = test.status.clone().unwrap_or_default();
    let mut run = run_of(test, test.metadata.generation.unwrap_or(1));
    run.metadata.name = None;
    run.status = Some(refused_run_status(&run, refusal, now));
    NetTestStatus {
        latest_run: old.latest_run,
        history: old.history,
        next_run_time: None,
        last_schedule_time: old.last_schedule_time,
        last_rerun: old.last_rerun,
        ..test_status(test, Some(&run), now)
    }
}

/// The status says this already.
fn is_refused(test: &NetTest, refusal: &Refusal) -> bool {
    is_settled(test, test.metadata.generation.unwrap_or(1))
        && accepted(test).is_some_and(|accepted| {
            accepted.status == "False" && accepted.message == refusal.to_string()
        })
}

fn was_refused(test: &NetTest) -> bool {
    test.spec.schedule.is_some()
        && accepted(test).is_some_and(|accepted| accepted.status == "False")
}

fn accepted(test: &NetTest) -> Option<&Condition> {
    find(&test.status.as_ref()?.conditions, condition::ACCEPTED)
}

/// A run that ended before the one that the status shows, which is gone.
fn is_older(run: &NetTestRun, status: &NetTestStatus) -> bool {
    let ended = run.status.as_ref().and_then(|run| run.finish_time.as_ref());
    is_finished(run)
        && ended
            .zip(status.last_run_time.as_ref())
            .is_some_and(|(run, shown)| run.0 < shown.0)
}

fn say_pending(conditions: &mut [Condition], message: &str) {
    for condition in conditions {
        if condition.reason == Reason::Pending.as_str() {
            condition.message = message.to_owned();
        }
    }
}

#[cfg(test)]
mod tests;
