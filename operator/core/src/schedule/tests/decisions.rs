//! What is done at a moment.

use super::*;
use decide::{Act, RunRef};

/// Decide at a moment.
fn at(yaml: &str, since: Since, last: Option<&str>, running: &[&str], now: &str) -> Decision {
    let state = ScheduleState {
        since,
        last: last.map(ts),
        running: running
            .iter()
            .map(|name| RunRef {
                name: (*name).to_owned(),
                uid: format!("uid-{name}"),
            })
            .collect(),
    };
    decide(&valid(yaml), &state, SEED, ts(now))
}

fn due(time: &str) -> Since {
    Since::Due(ts(time))
}

fn start(time: &str) -> Act {
    Act::Start {
        scheduled: ts(time),
    }
}

#[test]
fn a_new_test_waits_for_its_first_time_and_starts_once() {
    const NOON: &str = "{cron: '0 12 * * *'}";
    let created = Since::Created(ts("2027-01-01T10:00:00Z"));
    let first = "2027-01-01T12:00:00Z";
    let wait = at(NOON, created, None, &[], "2027-01-01T10:00:01Z");
    assert_eq!((wait.act, wait.next), (Act::Wait, Some(ts(first))));
    let go = at(NOON, due(first), None, &[], "2027-01-01T12:00:00.2Z");
    assert_eq!(
        (go.act, go.next),
        (start(first), Some(ts("2027-01-02T12:00:00Z")))
    );
    // The status was not written: the run itself tells.
    let again = at(NOON, due(first), Some(first), &[], "2027-01-01T12:00:01Z");
    assert_eq!(
        (again.act, again.next),
        (Act::Wait, Some(ts("2027-01-02T12:00:00Z")))
    );
    // Nobody looked until after it was due.
    let late = at(NOON, created, None, &[], "2027-01-01T15:00:00Z");
    assert_eq!(late.act, start(first));
}

#[test]
fn only_the_latest_missed_time_is_made_good_and_only_in_time() {
    let first = due("2027-01-01T01:00:00Z");
    let decision = at(
        "{cron: '@hourly'}",
        first,
        None,
        &[],
        "2027-01-01T05:10:00Z",
    );
    assert_eq!(
        (decision.act, decision.missed),
        (start("2027-01-01T05:00:00Z"), None)
    );
    let strict = "{cron: '@hourly', startingDeadline: 5m}";
    let decision = at(strict, first, None, &[], "2027-01-01T05:10:00Z");
    assert_eq!(decision.act, Act::Wait);
    assert_eq!(
        decision.missed,
        Some(Missed::Late {
            scheduled: ts("2027-01-01T01:00:00Z")
        })
    );
    assert_eq!(decision.next, Some(ts("2027-01-01T06:00:00Z")));
    let decision = at(strict, first, None, &[], "2027-01-01T05:05:00Z");
    assert_eq!(decision.act, start("2027-01-01T05:00:00Z"));
}

#[test]
fn after_more_than_a_hundred_missed_times_the_next_is_waited_for() {
    let minutes = "{cron: '* * * * *'}";
    let first = due("2027-01-01T00:01:00Z");
    assert_eq!(
        at(minutes, first, None, &[], "2027-01-01T01:40:00Z").act,
        start("2027-01-01T01:40:00Z")
    );
    let decision = at(minutes, first, None, &[], "2027-01-01T01:41:00Z");
    assert_eq!(decision.act, Act::Wait);
    assert_eq!(
        decision.missed,
        Some(Missed::TooMany {
            since: ts("2027-01-01T00:01:00Z")
        })
    );
    assert_eq!(decision.next, Some(ts("2027-01-01T01:42:00Z")));
    // A year is as quick as an hour; with a deadline, only times within it are counted.
    assert!(
        at(minutes, first, None, &[], "2028-01-01T00:00:00Z")
            .missed
            .is_some()
    );
    let with_deadline = "{cron: '* * * * *', startingDeadline: 10m}";
    let decision = at(with_deadline, first, None, &[], "2028-01-01T00:00:00Z");
    assert_eq!(decision.act, start("2028-01-01T00:00:00Z"));
}

#[test]
fn concurrency_policies() {
    let (time, now) = ("2027-01-01T05:00:00Z", "2027-01-01T05:00:01Z");
    let policy = |policy: &str, running: &[&str]| {
        let yaml = format!("{{cron: '@hourly', concurrencyPolicy: {policy}}}");
        at(&yaml, due(time), Some("2027-01-01T04:00:00Z"), running, now)
    };
    let forbidden = policy("Forbid", &["rack-1"]);
    assert_eq!(forbidden.act, Act::Wait);
    assert_eq!(
        forbidden.missed,
        Some(Missed::StillRunning {
            scheduled: ts(time),
            run: "rack-1".to_owned()
        })
    );
    assert_eq!(forbidden.next, Some(ts("2027-01-01T06:00:00Z")));
    assert_eq!(policy("Allow", &["rack-1"]).act, start(time));
    let replaced = policy("Replace", &["rack-1", "rack-2"]);
    let Act::Replace { scheduled, runs } = replaced.act else {
        panic!("{replaced:?}");
    };
    assert_eq!(
        (scheduled, runs.len(), replaced.next),
        (ts(time), 2, Some(ts(time)))
    );
    for name in ["Forbid", "Allow", "Replace"] {
        assert_eq!(policy(name, &[]).act, start(time));
    }
}

#[test]
fn suspended_or_changed_nothing_is_made_good() {
    let now = "2027-01-01T05:10:00Z";
    let suspended = at(
        "{cron: '@hourly', suspend: true}",
        due("2027-01-01T05:00:00Z"),
        None,
        &[],
        now,
    );
    assert_eq!((suspended.act, suspended.next), (Act::Wait, None));
    let again = at(
        "{cron: '@hourly'}",
        Since::Now,
        Some("2027-01-01T01:00:00Z"),
        &[],
        now,
    );
    assert_eq!(
        (again.act, again.next),
        (Act::Wait, Some(ts("2027-01-01T06:00:00Z")))
    );
    // The status has a time of the cron before: 05:05 is no time of this one, though 05:00 was.
    let changed = at(
        "{cron: '@hourly'}",
        due("2027-01-01T05:05:00Z"),
        Some("2027-01-01T04:05:00Z"),
        &[],
        now,
    );
    assert_eq!(changed.act, Act::Wait);
    // It was changed, but this time is of both.
    let both = at(
        "{cron: '*/5 * * * *'}",
        due("2027-01-01T05:10:00Z"),
        None,
        &[],
        now,
    );
    assert_eq!(both.act, start("2027-01-01T05:10:00Z"));
}

#[test]
fn a_clock_that_was_wrong_fires_nothing_twice_and_does_not_stop_the_schedule() {
    let back = at(
        "{cron: '@hourly'}",
        due("2027-01-01T06:00:00Z"),
        Some("2027-01-01T05:00:00Z"),
        &[],
        "2027-01-01T03:30:00Z",
    );
    assert_eq!(
        (back.act, back.next),
        (Act::Wait, Some(ts("2027-01-01T06:00:00Z")))
    );
    // nextRunTime was written by a clock a year ahead, and no run was made.
    let ahead = at(
        "{cron: '@hourly'}",
        due("2028-01-01T06:00:00Z"),
        None,
        &[],
        "2027-01-01T03:30:00Z",
    );
    assert_eq!(ahead.next, Some(ts("2027-01-01T04:00:00Z")));
}

#[test]
fn jitter_is_each_tests_own_and_always_the_same() {
    let schedule = valid("{cron: '@hourly', jitter: 10m}");
    let delays: Vec<u64> = (0..200)
        .map(|n| schedule.delay(&format!("uid-{n}")).as_secs())
        .collect();
    assert!(delays.iter().all(|delay| *delay <= 600), "{delays:?}");
    let early = delays.iter().filter(|delay| **delay < 300).count();
    assert!((60..140).contains(&early), "{early}");
    let delay = schedule.delay(SEED);
    let time = ts("2027-01-01T05:00:00Z");
    let state = |since, last| ScheduleState {
        since,
        last,
        running: vec![],
    };
    let before = decide(
        &schedule,
        &state(Since::Due(time + delay), None),
        SEED,
        time + delay - Duration::from_millis(1),
    );
    assert_eq!((before.act, before.next), (Act::Wait, Some(time + delay)));
    let then = decide(
        &schedule,
        &state(Since::Due(time + delay), None),
        SEED,
        time + delay,
    );
    assert_eq!(then.act, Act::Start { scheduled: time });
    assert_eq!(then.next, Some(time + Duration::from_secs(3600) + delay));
}
