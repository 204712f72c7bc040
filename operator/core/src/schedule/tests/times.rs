//! When a cron fires.

use super::*;

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
