//! When a test runs by itself: its schedule, checked once, and what is due at a moment.
//!
//! - [`cron`]: the five fields, read strictly
//! - [`times`]: a cron's times in a time zone, its clock changes included
//! - [`decide`]: what to do now, as a CronJob would

pub mod cron;
pub mod decide;
pub mod times;

use crate::{span, validate::Refusal};
use cron::{Cron, CronError};
use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};
use nettest_api::schedule::{ConcurrencyPolicy, Schedule};
use sha2::{Digest, Sha256};
use std::{sync::LazyLock, time::Duration};
use thiserror::Error;

pub use decide::{Act, Decision, Missed, RunRef, ScheduleState, Since, decide};

const MAX_JITTER: Duration = Duration::from_secs(24 * 3600);
const DEADLINES: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(10)..=Duration::from_secs(168 * 3600);

/// The database in the binary: what a schedule means does not depend on the image or the node.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A schedule whose every field was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidSchedule {
    cron: Cron,
    zone: TimeZone,
    /// Whole seconds.
    jitter: Duration,
    policy: ConcurrencyPolicy,
    deadline: Option<Duration>,
    suspended: bool,
}

/// Why a schedule is not one. The text follows the name of the field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScheduleError {
    #[error("{0}")]
    Cron(#[from] CronError),
    #[error(
        "{0:?} is not in the time zone database: write a name such as Europe/Berlin, America/New_York or Etc/UTC"
    )]
    Zone(String),
    #[error("{0}")]
    Jitter(String),
    #[error("{0}")]
    Deadline(String),
}

impl ScheduleError {
    /// The field at fault.
    pub const fn field(&self) -> &'static str {
        match self {
            ScheduleError::Cron(_) => "schedule.cron",
            ScheduleError::Zone(_) => "schedule.timeZone",
            ScheduleError::Jitter(_) => "schedule.jitter",
            ScheduleError::Deadline(_) => "schedule.startingDeadline",
        }
    }
}

impl From<ScheduleError> for Refusal {
    fn from(error: ScheduleError) -> Refusal {
        Refusal::invalid(error.field(), error.to_string())
    }
}

/// Check a schedule whole; the first problem found is the error.
pub fn parse(schedule: &Schedule) -> Result<ValidSchedule, ScheduleError> {
    let Schedule {
        cron,
        time_zone,
        jitter,
        concurrency_policy,
        starting_deadline,
        suspend,
    } = schedule;
    let cron = Cron::parse(cron)?;
    let zone = zone(time_zone.as_deref())?;
    let jitter = span::parse(jitter.as_str())
        .map_err(|error| ScheduleError::Jitter(format!("{:?} {error}", jitter.as_str())))?;
    if jitter > MAX_JITTER {
        let jitter = span::display(jitter);
        return Err(ScheduleError::Jitter(format!("is {jitter}: set 0s to 24h")));
    }
    let gap = cron.shortest_gap();
    if jitter > gap {
        return Err(ScheduleError::Jitter(format!(
            "is {}, longer than the {} between two runs of schedule.cron: set at most {}",
            span::display(jitter),
            span::display(gap),
            span::display(gap)
        )));
    }
    let deadline = starting_deadline
        .as_ref()
        .map(|text| {
            let span = span::parse(text.as_str())
                .map_err(|error| ScheduleError::Deadline(format!("{:?} {error}", text.as_str())))?;
            DEADLINES.contains(&span).then_some(span).ok_or_else(|| {
                ScheduleError::Deadline(format!(
                    "is {}: set 10s to 168h, or leave it out",
                    text.as_str()
                ))
            })
        })
        .transpose()?;
    Ok(ValidSchedule {
        cron,
        zone,
        jitter: Duration::from_secs(jitter.as_secs()),
        policy: *concurrency_policy,
        deadline,
        suspended: *suspend,
    })
}

fn zone(name: Option<&str>) -> Result<TimeZone, ScheduleError> {
    let Some(name) = name else {
        return Ok(TimeZone::UTC);
    };
    ZONES
        .get(name)
        .ok()
        // Etc/Unknown is a name for "no zone was found".
        .filter(|zone| !zone.is_unknown())
        .ok_or_else(|| ScheduleError::Zone(name.to_owned()))
}

impl ValidSchedule {
    pub fn suspended(&self) -> bool {
        self.suspended
    }

    /// The next time of the schedule after a moment, without jitter.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        times::next(&self.cron, &self.zone, after)
    }

    /// When the run of a time starts: jitter is added.
    pub fn due(&self, scheduled: Timestamp, seed: &str) -> Timestamp {
        scheduled
            .checked_add(self.delay(seed))
            .unwrap_or(Timestamp::MAX)
    }

    /// How much later than its times this test starts: by its UID, so always the same.
    fn delay(&self, seed: &str) -> Duration {
        let steps = self.jitter.as_secs() + 1;
        let digest = Sha256::digest(seed.as_bytes());
        let number = digest
            .iter()
            .take(8)
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        Duration::from_secs(number % steps)
    }
}

#[cfg(test)]
mod tests;
