mod decisions;
mod properties;
mod times;

use super::*;

/// Of a NetTest, from which the jitter comes.
const SEED: &str = "6b7e1c1a-0000-4000-8000-000000000001";

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
