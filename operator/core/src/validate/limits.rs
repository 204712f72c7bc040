//! How long a run may wait and last.

use super::{Refusal, span_in};
use crate::valid::{End, ValidLimits, ValidRepeats, ValidTraffic};
use nettest_api::{limits::Limits, traffic::Protocol};
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(48 * 3600);
/// Connecting, exchanging results and ending, a repeat.
const OVERHEAD: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(120);
/// A byte-limited test without a bitrate is given the time it takes at this rate.
const SLOWEST_EXPECTED_BITS_PER_SECOND: u64 = 10_000_000;
/// iperf3's UDP default.
const UDP_DEFAULT_BITS_PER_SECOND: u64 = 1 << 20;

pub(super) fn limits(
    limits: &Limits,
    traffic: &ValidTraffic,
    repeats: ValidRepeats,
) -> Result<ValidLimits, Refusal> {
    let schedule_timeout = span_in(
        "limits.scheduleTimeout",
        &limits.schedule_timeout,
        5_000..=86_400_000,
        "5s to 24h",
    )?;
    let planned = planned_time(traffic, repeats);
    let run_timeout = match &limits.run_timeout {
        Some(text) => span_in(
            "limits.runTimeout",
            text,
            10_000..=172_800_000,
            "10s to 48h",
        )?,
        // Of bytes without a bitrate nobody knows the time: they get the longest.
        None if planned > LONGEST && matches!(traffic.end, End::Time(_)) => {
            return Err(Refusal::invalid(
                "repeats.count",
                format!(
                    "and traffic make a run of {}, longer than 48h: ask for less",
                    crate::span::display(planned)
                ),
            ));
        }
        None => (planned + SLACK).min(LONGEST),
    };
    Ok(ValidLimits {
        schedule_timeout,
        run_timeout,
    })
}

/// All repeats with their pauses. Bounded: 20 x (24h + 10m + 10m) or the time of 16 TiB.
fn planned_time(traffic: &ValidTraffic, repeats: ValidRepeats) -> Duration {
    let data = match traffic.end {
        End::Time(time) => time,
        End::Bytes(bytes) => {
            let rate = match (traffic.bitrate, traffic.protocol) {
                (Some(rate), _) if rate.0 > 0 => rate.0,
                (None, Protocol::UDP) => UDP_DEFAULT_BITS_PER_SECOND,
                _ => SLOWEST_EXPECTED_BITS_PER_SECOND,
            };
            let rate = u128::from(rate) * u128::from(traffic.streams.max(1));
            let seconds = (u128::from(bytes.0) * 8).div_ceil(rate.max(1));
            Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX))
        }
    };
    data.saturating_add(traffic.omit)
        .saturating_add(OVERHEAD)
        .saturating_mul(repeats.count)
        .saturating_add(
            repeats
                .pause
                .saturating_mul(repeats.count.saturating_sub(1)),
        )
}
