//! Whatever the cron and the moment.

use super::*;
use decide::Act;
use proptest::prelude::*;

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
