//! What to do now. As a CronJob (kubernetes pkg/controller/cronjob) does: of the times that were missed only the
//! latest is made good, within startingDeadline. Unlike it, a run that Forbid kept from starting is skipped for
//! good, a schedule that was suspended or changed makes nothing good, and after more than 100 missed times the
//! next one is waited for.

use super::ValidSchedule;
use jiff::Timestamp;
use nettest_api::schedule::ConcurrencyPolicy;
use std::time::Duration;

/// So many missed times are made good by one run; with more, nobody waits for it any more.
const MAX_MISSED: usize = 100;

/// A time counts from its own moment on.
const BEFORE: Duration = Duration::from_nanos(1);

/// What is known of the past. All of it is in objects, so a restart changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleState {
    /// From when on times count.
    pub since: Since,
    /// The latest time that a run was made for: of the status, or of a run, whichever is later. The test's creation
    /// where that is later still.
    pub last: Option<Timestamp>,
    /// Runs of the schedule that go on.
    pub running: Vec<RunRef>,
}

/// From when on times count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nobody has looked at the test yet: from its creation.
    Created(Timestamp),
    /// The status says that the next run is due then (status.nextRunTime).
    Due(Timestamp),
    /// The test had no schedule, or it was suspended: what was before does not count.
    Now,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRef {
    pub name: String,
    pub uid: String,
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub act: Act,
    /// Told once: with the next decision it is past.
    pub missed: Option<Missed>,
    /// For status.nextRunTime: when the next run is due, jitter included. `None`: suspended, or never. A time in
    /// the past is one that is not dealt with yet.
    pub next: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Wait,
    /// Make the run of this time.
    Start {
        scheduled: Timestamp,
    },
    /// Delete these; the run of this time is made when they are gone.
    Replace {
        scheduled: Timestamp,
        runs: Vec<RunRef>,
    },
}

/// Times for which no run is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    /// Later than startingDeadline. The first such time.
    Late { scheduled: Timestamp },
    /// More than a hundred.
    TooMany { since: Timestamp },
    /// The run before goes on, and the policy is Forbid.
    StillRunning { scheduled: Timestamp, run: String },
}

/// What to do at `now`. `seed` is the test's UID.
pub fn decide(
    schedule: &ValidSchedule,
    state: &ScheduleState,
    seed: &str,
    now: Timestamp,
) -> Decision {
    let ScheduleState {
        since,
        last,
        running,
    } = state;
    if schedule.suspended {
        return Decision {
            act: Act::Wait,
            missed: None,
            next: None,
        };
    }
    let delay = schedule.delay(seed);
    let due = |time: Timestamp| later(time, delay);
    // Jitter is a clock that is behind: everything below is in the schedule's own times.
    let clock = earlier(now, delay);
    let since = match *since {
        Since::Created(created) => created,
        Since::Due(next) => {
            let before = earlier(next, delay + BEFORE);
            // If the cron was changed since, it was never due. A time ahead counts for nothing: the clock may
            // have been wrong when it was written.
            match schedule.next(before) {
                Some(time) if due(time) == next => before.min(clock),
                _ => clock,
            }
        }
        Since::Now => clock,
    };
    let since = last.map_or(since, |last| last.max(since));
    let decided = |act, missed, after| Decision {
        act,
        missed,
        next: schedule.next(after).map(due),
    };
    // A clock that was put back waits for the first time that had no run.
    let after = since.max(clock);
    let first = match schedule.next(since) {
        Some(first) if first <= clock => first,
        _ => return decided(Act::Wait, None, after),
    };
    let window = schedule.deadline.map_or(since, |deadline| {
        since.max(earlier(clock, deadline + BEFORE))
    });
    let mut times = std::iter::successors(schedule.next(window), |time| schedule.next(*time))
        .take_while(|time| *time <= clock);
    let (count, latest) = times
        .by_ref()
        .take(MAX_MISSED + 1)
        .fold((0, None), |(count, _), time| (count + 1, Some(time)));
    let Some(scheduled) = latest else {
        return decided(Act::Wait, Some(Missed::Late { scheduled: first }), after);
    };
    if count > MAX_MISSED {
        return decided(Act::Wait, Some(Missed::TooMany { since: first }), after);
    }
    match (schedule.policy, running.first()) {
        (ConcurrencyPolicy::Forbid, Some(run)) => {
            let missed = Missed::StillRunning {
                scheduled,
                run: run.name.clone(),
            };
            decided(Act::Wait, Some(missed), after)
        }
        (ConcurrencyPolicy::Replace, Some(_)) => Decision {
            act: Act::Replace {
                scheduled,
                runs: running.clone(),
            },
            missed: None,
            next: Some(due(scheduled)),
        },
        _ => decided(Act::Start { scheduled }, None, after),
    }
}

fn earlier(time: Timestamp, by: Duration) -> Timestamp {
    time.checked_sub(by).unwrap_or(Timestamp::MIN)
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}
