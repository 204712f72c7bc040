//! How often a measurement is taken, and what is kept of it.

use super::{Refusal, count, span_in};
use crate::valid::{Stability, ValidCleanup, ValidRepeats};
use nettest_api::{cleanup::Cleanup, repeats::Repeats};

/// Repeats at most when the spec names a spread and no maxCount.
const MOST: u32 = 9;

pub(super) fn repeats(repeats: &Repeats) -> Result<ValidRepeats, Refusal> {
    let Repeats {
        count: wanted,
        pause,
        max_spread_percent,
        max_count,
    } = repeats;
    let wanted = count("repeats.count", *wanted, 1..=20)?;
    let stability = match (max_spread_percent, max_count) {
        (None, Some(_)) => {
            return Err(Refusal::invalid(
                "repeats.maxCount",
                "is for repeats.maxSpreadPercent: set both, or neither",
            ));
        }
        (None, None) => None,
        (Some(percent), most) => Some(Stability {
            max_spread_percent: count("repeats.maxSpreadPercent", *percent, 1..=1000)?,
            max_count: match most {
                Some(most) => count("repeats.maxCount", *most, 1..=50)?,
                None => MOST.max(wanted),
            },
        }),
    };
    if stability.is_some_and(|stability| stability.max_count < wanted) {
        return Err(Refusal::invalid(
            "repeats.maxCount",
            "is less than repeats.count",
        ));
    }
    Ok(ValidRepeats {
        count: wanted,
        pause: span_in("repeats.pause", pause, 0..=600_000, "0s to 10m")?,
        stability,
    })
}

pub(super) fn cleanup(cleanup: &Cleanup) -> Result<ValidCleanup, Refusal> {
    let Cleanup {
        pods,
        ttl_after_finished,
        successful_runs_history_limit,
        failed_runs_history_limit,
    } = cleanup;
    let ttl = ttl_after_finished
        .as_ref()
        .map(|ttl| {
            const YEAR_MS: u128 = 8_760 * 3_600_000;
            span_in("cleanup.ttlAfterFinished", ttl, 0..=YEAR_MS, "0s to 8760h")
        })
        .transpose()?;
    Ok(ValidCleanup {
        pods: *pods,
        ttl,
        successful: count(
            "cleanup.successfulRunsHistoryLimit",
            *successful_runs_history_limit,
            0..=100,
        )?,
        failed: count(
            "cleanup.failedRunsHistoryLimit",
            *failed_runs_history_limit,
            0..=100,
        )?,
    })
}
