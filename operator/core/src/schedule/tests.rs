use super::*;
use decide::{Act, RunRef};
use proptest::prelude::*;

fn schedule(yaml: &str) -> Schedule {
    serde_yaml::from_str(yaml).unwrap()
}

fn valid(yaml: &str) -> ValidSchedule {
    parse(&schedule(yaml)).unwrap()
}

fn ts(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Times after a moment, in UTC.
fn times(yaml: &str, after: &str, count: usize) -> Vec<String> {
    let schedule = valid(yaml);
    let first = schedule.next(ts(after));
    std::iter::successors(first, |time| schedule.next(*time))
        .take(count)
        .map(|time| time.to_string())
        .collect()
}

#[test]
fn what_is_wrong_is_named_with_the_fix() {
    for (yaml, field, words) in [
        (
            "{cron: '0 0 31 2 *'}",
            "schedule.cron",
            "never fires: no day 31 of month 2",
        ),
        ("{cron: '0 0 30,31 FEB *'}", "schedule.cron", "never fires"),
        ("{cron: '0 0 0 3 * *'}", "schedule.cron", "has 6 fields"),
        ("{cron: '0 3 * *'}", "schedule.cron", "has 4 fields"),
        ("{cron: ''}", "schedule.cron", "has 0 fields"),
        (
            "{cron: '60 * * * *'}",
            "schedule.cron",
            "\"60\" as its minute: write *, 0 to 59",
        ),
        (
            "{cron: '0 24 * * *'}",
            "schedule.cron",
            "\"24\" as its hour",
        ),
        (
            "{cron: '0 0 32 * *'}",
            "schedule.cron",
            "\"32\" as its day of the month",
        ),
        (
            "{cron: '0 0 * 13 *'}",
            "schedule.cron",
            "\"13\" as its month",
        ),
        (
            "{cron: '0 0 * * 8'}",
            "schedule.cron",
            "\"8\" as its day of the week",
        ),
        (
            "{cron: '0 0 * * MOON'}",
            "schedule.cron",
            "\"MOON\" as its day of the week",
        ),
        (
            "{cron: 'SUN 0 * * *'}",
            "schedule.cron",
            "\"SUN\" as its minute",
        ),
        (
            "{cron: '*/0 * * * *'}",
            "schedule.cron",
            "\"*/0\" as its minute",
        ),
        (
            "{cron: '5-1 * * * *'}",
            "schedule.cron",
            "\"5-1\" as its minute",
        ),
        (
            "{cron: '0 0 1 * +1'}",
            "schedule.cron",
            "\"+1\" as its day of the week",
        ),
        ("{cron: '@every 5m'}", "schedule.cron", "write @hourly"),
        ("{cron: '@reboot'}", "schedule.cron", "write @hourly"),
        (
            "{cron: 'CRON_TZ=Asia/Tokyo 0 3 * * *'}",
            "schedule.cron",
            "schedule.timeZone",
        ),
        (
            "{cron: '@daily', timeZone: Europe/Atlantis}",
            "schedule.timeZone",
            "Europe/Berlin",
        ),
        (
            "{cron: '@daily', timeZone: Local}",
            "schedule.timeZone",
            "\"Local\" is not in",
        ),
        (
            "{cron: '@daily', timeZone: Etc/Unknown}",
            "schedule.timeZone",
            "is not in",
        ),
        (
            "{cron: '@daily', timeZone: ../../etc/passwd}",
            "schedule.timeZone",
            "is not in",
        ),
        (
            "{cron: '*/10 * * * *', jitter: 11m}",
            "schedule.jitter",
            "is 11m, longer than the 10m between two runs of schedule.cron: set at most 10m",
        ),
        (
            "{cron: '0,50 * * * *', jitter: 11m}",
            "schedule.jitter",
            "the 10m between",
        ),
        (
            "{cron: '59 23,0 * * *', jitter: 2h}",
            "schedule.jitter",
            "the 1h between",
        ),
        (
            "{cron: '@weekly', jitter: 25h}",
            "schedule.jitter",
            "set 0s to 24h",
        ),
        (
            "{cron: '@daily', jitter: soon}",
            "schedule.jitter",
            "\"soon\" is not a duration",
        ),
        (
            "{cron: '@daily', startingDeadline: 9s}",
            "schedule.startingDeadline",
            "is 9s: set 10s to 168h",
        ),
        (
            "{cron: '@daily', startingDeadline: 169h}",
            "schedule.startingDeadline",
            "set 10s to 168h",
        ),
        (
            "{cron: '@daily', startingDeadline: '-1s'}",
            "schedule.startingDeadline",
            "is not a duration",
        ),
    ] {
        let refusal = Refusal::from(parse(&schedule(yaml)).unwrap_err()).to_string();
        assert!(
            refusal.starts_with(&format!("{field} ")),
            "{yaml}: {refusal}"
        );
        assert!(refusal.contains(words), "{yaml}: {refusal}");
    }
}

#[test]
fn aliases_names_and_leap_days() {
    let new_year = "2027-01-01T00:00:00Z";
    for (yaml, expected) in [
        ("{cron: '@hourly'}", "2027-01-01T01:00:00Z"),
        ("{cron: '@daily'}", "2027-01-02T00:00:00Z"),
        ("{cron: '@midnight'}", "2027-01-02T00:00:00Z"),
        ("{cron: '@Weekly'}", "2027-01-03T00:00:00Z"),
        ("{cron: '@monthly'}", "2027-02-01T00:00:00Z"),
        ("{cron: '@yearly'}", "2028-01-01T00:00:00Z"),
        ("{cron: '0 9 * * mon-fri'}", "2027-01-01T09:00:00Z"),
        ("{cron: '0 9 * FEB,MAR SUN'}", "2027-02-07T09:00:00Z"),
        ("{cron: '0 9 * * 7'}", "2027-01-03T09:00:00Z"),
        // Both days given: either will do, as in every cron.
        ("{cron: '0 0 15 * MON'}", "2027-01-04T00:00:00Z"),
        ("{cron: '0 0 29 2 *'}", "2028-02-29T00:00:00Z"),
        ("{cron: '0 0 L * *'}", "2027-01-31T00:00:00Z"),
        ("{cron: '0 0 ? * *'}", "2027-01-02T00:00:00Z"),
        (
            "{cron: '0 3 * * *', timeZone: Asia/Kolkata}",
            "2027-01-01T21:30:00Z",
        ),
    ] {
        assert_eq!(times(yaml, new_year, 1), [expected], "{yaml}");
    }
    // No leap year in 2100.
    let leap = times("{cron: '0 0 29 2 *'}", "2095-01-01T00:00:00Z", 2);
    assert_eq!(leap, ["2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"]);
    let hourly_leap = times(
        "{cron: '5 * 29 2 *', timeZone: Europe/Berlin}",
        "2096-03-01T00:00:00Z",
        1,
    );
    assert_eq!(hourly_leap, ["2104-02-28T23:05:00Z"]);
}

/// The clock goes from 02:00 to 03:00 on 28 March 2027, and from 03:00 to 02:00 on 31 October 2027.
#[test]
fn berlin_changes_its_clock() {
    let zone = "timeZone: Europe/Berlin";
    let in_gap = times(
        &format!("{{cron: '30 2 * * *', {zone}}}"),
        "2027-03-26T12:00:00Z",
        3,
    );
    assert_eq!(
        in_gap,
        [
            "2027-03-27T01:30:00Z",
            "2027-03-28T01:00:00Z",
            "2027-03-29T00:30:00Z"
        ]
    );
    // Several times in the gap are one run.
    let in_gap = times(
        &format!("{{cron: '*/20 2,3 * * *', {zone}}}"),
        "2027-03-27T12:00:00Z",
        4,
    );
    assert_eq!(
        in_gap[..3],
        [
            "2027-03-28T01:00:00Z",
            "2027-03-28T01:20:00Z",
            "2027-03-28T01:40:00Z"
        ]
    );
    assert_eq!(in_gap[3], "2027-03-29T00:00:00Z");
    let in_fold = times(
        &format!("{{cron: '30 2 * * *', {zone}}}"),
        "2027-10-30T12:00:00Z",
        2,
    );
    assert_eq!(in_fold, ["2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"]);
    // Asked in the repeated hour itself: its times were.
    let in_fold = times(
        &format!("{{cron: '*/20 2 * * *', {zone}}}"),
        "2027-10-31T01:10:00Z",
        1,
    );
    assert_eq!(in_fold, ["2027-11-01T01:00:00Z"]);
    // Every hour means every hour.
    let hours = times(
        &format!("{{cron: '30 * * * *', {zone}}}"),
        "2027-10-30T23:45:00Z",
        3,
    );
    assert_eq!(
        hours,
        [
            "2027-10-31T00:30:00Z",
            "2027-10-31T01:30:00Z",
            "2027-10-31T02:30:00Z"
        ]
    );
    let hours = times(
        &format!("{{cron: '30 * * * *', {zone}}}"),
        "2027-03-28T00:00:00Z",
        2,
    );
    assert_eq!(hours, ["2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z"]);
}

#[test]
fn other_clocks() {
    for (yaml, after, expected) in [
        // New York: 14 March 2027 02:00 -> 03:00 EDT, 7 November 02:00 -> 01:00 EST.
        (
            "{cron: '30 2 * * *', timeZone: America/New_York}",
            "2027-03-13T12:00:00Z",
            "2027-03-14T07:00:00Z",
        ),
        (
            "{cron: '30 1 * * *', timeZone: America/New_York}",
            "2027-11-07T00:00:00Z",
            "2027-11-07T05:30:00Z",
        ),
        (
            "{cron: '30 1 * * *', timeZone: America/New_York}",
            "2027-11-07T05:30:00Z",
            "2027-11-08T06:30:00Z",
        ),
        // Lord Howe moves by half an hour: 3 October 2027 02:00 +10:30 -> 02:30 +11, 4 April 02:00 +11 -> 01:30.
        (
            "{cron: '15 2 * * *', timeZone: Australia/Lord_Howe}",
            "2027-10-02T12:00:00Z",
            "2027-10-02T15:30:00Z",
        ),
        (
            "{cron: '45 2 * * *', timeZone: Australia/Lord_Howe}",
            "2027-10-02T12:00:00Z",
            "2027-10-02T15:45:00Z",
        ),
        (
            "{cron: '45 1 * * *', timeZone: Australia/Lord_Howe}",
            "2027-04-03T12:00:00Z",
            "2027-04-03T14:45:00Z",
        ),
        (
            "{cron: '45 1 * * *', timeZone: Australia/Lord_Howe}",
            "2027-04-03T14:45:00Z",
            "2027-04-04T15:15:00Z",
        ),
        (
            "{cron: '45 * * * *', timeZone: Australia/Lord_Howe}",
            "2027-04-03T14:45:00Z",
            "2027-04-03T15:15:00Z",
        ),
        // Santiago's gap is at midnight: the day begins at 01:00 on 5 September 2027.
        (
            "{cron: '@daily', timeZone: America/Santiago}",
            "2027-09-04T12:00:00Z",
            "2027-09-05T04:00:00Z",
        ),
    ] {
        assert_eq!(times(yaml, after, 1), [expected], "{yaml} after {after}");
    }
}

const SEED: &str = "6b7e1c1a-0000-4000-8000-000000000001";

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

const CRONS: [&str; 8] = [
    "*/7 * * * *",
    "30 2 * * *",
    "*/20 1,2,3 * * *",
    "15 */3 * * *",
    "0 0 * * *",
    "@hourly",
    "0 2 * * SUN",
    "59 23 L * *",
];
const ZONE_NAMES: [&str; 6] = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Etc/UTC",
    "Asia/Kathmandu",
];

proptest! {
    #[test]
    fn no_text_makes_it_panic(cron in "\\PC{0,40}", zone in "\\PC{0,20}") {
        let _ = parse(&Schedule {
            cron,
            time_zone: Some(zone),
            ..schedule("{cron: x}")
        });
    }

    #[test]
    fn no_cron_makes_it_panic(cron in "[0-9*,/?LW#-]{1,6}( [0-9*,/?LW#A-Z-]{1,6}){4}", second in 1_700_000_000i64..2_000_000_000) {
        if let Ok(valid) = parse(&Schedule { cron, time_zone: Some("Europe/Berlin".to_owned()), ..schedule("{cron: x}") }) {
            let after = Timestamp::from_second(second).unwrap();
            let next = valid.next(after);
            prop_assert!(next.is_some_and(|next| next > after), "{:?}", next);
        }
    }

    #[test]
    fn no_time_lies_between_a_moment_and_the_next(
        cron in 0..CRONS.len(), zone in 0..ZONE_NAMES.len(), second in 1_700_000_000i64..1_900_000_000, part in 0.0..1.0f64,
    ) {
        let valid = valid(&format!("{{cron: '{}', timeZone: {}}}", CRONS[cron], ZONE_NAMES[zone]));
        let after = Timestamp::from_second(second).unwrap();
        let next = valid.next(after).unwrap();
        let between = Timestamp::from_second(second + ((next.as_second() - second) as f64 * part) as i64).unwrap();
        if between < next {
            prop_assert_eq!(valid.next(between), Some(next));
        }
    }

    /// Passes at any moments, each of which may end before it has made the run or before it has written the status:
    /// a run for a time is made at most once, none before its time, and none out of order.
    #[test]
    fn one_run_for_one_time_whenever_the_operator_is_restarted(
        cron in 0..CRONS.len(), zone in 0..ZONE_NAMES.len(), jitter in 0u64..240,
        start in 1_790_000_000i64..1_850_000_000,
        passes in prop::collection::vec((-600i64..20_000, 0u8..4), 1..60),
    ) {
        let valid = valid(&format!("{{cron: '{}', timeZone: {}, jitter: {jitter}s, concurrencyPolicy: Allow}}", CRONS[cron], ZONE_NAMES[zone]));
        let created = Timestamp::from_second(start).unwrap();
        let mut status: (Option<Timestamp>, Option<Timestamp>) = (None, None);
        let mut seen = false;
        let mut runs: Vec<Timestamp> = Vec::new();
        let mut now = created;
        for (step, crash) in passes {
            now += jiff::SignedDuration::from_secs(step);
            let since = match (seen, status.0) {
                (false, _) => Since::Created(created),
                (true, Some(next)) => Since::Due(next),
                (true, None) => Since::Now,
            };
            let last = status.1.max(runs.iter().copied().max()).max(Some(created));
            let decision = decide(&valid, &ScheduleState { since, last, running: vec![] }, SEED, now);
            if crash == 1 {
                continue;
            }
            if let Act::Start { scheduled } = decision.act {
                prop_assert!(!runs.contains(&scheduled), "{} twice", scheduled);
                prop_assert!(runs.last().is_none_or(|last| *last < scheduled));
                prop_assert!(scheduled > created && scheduled + valid.delay(SEED) <= now);
                runs.push(scheduled);
            }
            if crash == 2 {
                continue;
            }
            prop_assert!(decision.next.is_some());
            seen = true;
            status = (decision.next, runs.iter().copied().max().or(status.1));
            // The same pass again does nothing.
            let again = decide(&valid, &ScheduleState { since: Since::Due(decision.next.unwrap()), last: status.1.max(Some(created)), running: vec![] }, SEED, now);
            prop_assert_eq!((again.act, again.next), (Act::Wait, decision.next));
        }
    }
}
