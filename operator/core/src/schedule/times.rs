//! The times of a cron in a time zone. Where the clock is put forward or back, the wall clock has times that never
//! are and times that are twice.
//!
//! - A cron that names hours (`30 2 * * *`) goes by the wall clock: a time that is skipped is made good once, when
//!   the gap is over; a time that is twice counts once, the first time.
//! - A cron of every hour (`30 * * * *`) counts hours: both of a repeated hour have their times, a skipped hour has
//!   none.

use super::cron::Cron;
use jiff::{
    Timestamp, civil,
    tz::{AmbiguousOffset, TimeZone},
};

/// A fold has at most a few hours of minutes.
const MAX_STEPS: usize = 24 * 60;
/// Two changes a year, and the rarest day (29 February of a century's turn) is 8 years away.
const MAX_CHANGES: usize = 400;

/// The first time after a moment. `None`: the calendar ends before.
pub fn next(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    if cron.is_hourly() {
        next_counted(cron, zone, after)
    } else {
        next_named(cron, zone, after)
    }
}

/// By the wall clock. The moment of a wall clock's time never lies before that of an earlier one, so the first
/// that is past `after` is the next.
fn next_named(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut civil = zone.to_datetime(after);
    let mut included = true;
    for _ in 0..MAX_STEPS {
        civil = cron.from(civil, included)?;
        included = false;
        let time = moment(zone, civil)?;
        if time > after {
            return Some(time);
        }
    }
    None
}

/// When the wall clock says so: the first time of two, or the end of the gap that swallowed it.
fn moment(zone: &TimeZone, civil: civil::DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(civil).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(civil).ok(),
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(civil).ok(),
        AmbiguousOffset::Gap { after, .. } => {
            // Read with the offset that follows, it lies before the change.
            let before = after.to_timestamp(civil).ok()?;
            zone.following(before)
                .next()
                .map(|change| change.timestamp())
        }
    }
}

/// By counted hours: between two changes the offset is the same, and the wall clock runs straight.
fn next_counted(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut from = after;
    for _ in 0..MAX_CHANGES {
        let offset = zone.to_offset(from);
        let change = zone.following(from).next().map(|change| change.timestamp());
        let mut civil = cron.from(offset.to_datetime(from), true)?;
        let mut time = offset.to_timestamp(civil).ok()?;
        if time <= after {
            civil = cron.from(civil, false)?;
            time = offset.to_timestamp(civil).ok()?;
        }
        match change {
            Some(change) if time >= change => from = change,
            _ => return Some(time),
        }
    }
    None
}
