//! How long a run may wait and last.

use super::{Refusal, span_in};
use crate::valid::{End, ValidLimits, ValidRepeats, ValidTraffic};
use nettest_api::{limits::Limits, traffic::Protocol};
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(48 * 3600);
/// Connecting, exchanging results and ending, a repeat.
const OVERHEAD: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(120);
/// A byte-limited test is given the time it takes at this rate, of all streams together: a bitrate is what
/// was asked for, and TCP may get less.
const SLOWEST_EXPECTED_BITS_PER_SECOND: u128 = 10_000_000;
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
        Some(text) => {
            let asked = span_in(
                "limits.runTimeout",
                text,
                10_000..=172_800_000,
                "10s to 48h",
            )?;
            long_enough(asked, traffic, repeats)?;
            asked
        }
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
        max_bitrate: None,
    })
}

/// A run that is cut off before its last repeat can end has no result, however often it is tried. Of bytes
/// nobody knows the time.
fn long_enough(
    run_timeout: Duration,
    traffic: &ValidTraffic,
    repeats: ValidRepeats,
) -> Result<(), Refusal> {
    let End::Time(time) = traffic.end else {
        return Ok(());
    };
    let needed = all_repeats(time.saturating_add(traffic.omit), repeats);
    // Connecting takes its time too.
    if run_timeout > needed {
        return Ok(());
    }
    Err(Refusal::invalid(
        "limits.runTimeout",
        format!(
            "is {}, and traffic.duration (with traffic.omit) x repeats.count with repeats.pause between them needs {}: set limits.runTimeout to more than that or leave it out",
            crate::span::display(run_timeout),
            crate::span::display(needed)
        ),
    ))
}

fn all_repeats(each: Duration, repeats: ValidRepeats) -> Duration {
    each.saturating_mul(repeats.count).saturating_add(
        repeats
            .pause
            .saturating_mul(repeats.count.saturating_sub(1)),
    )
}

/// All repeats with their pauses. Bounded: 20 x (24h + 10m + 10m) or the time of 16 TiB.
fn planned_time(traffic: &ValidTraffic, repeats: ValidRepeats) -> Duration {
    let data = match traffic.end {
        End::Time(time) => time,
        End::Bytes(bytes) => {
            let asked = match (traffic.bitrate, traffic.protocol) {
                (Some(rate), _) if rate.0 > 0 => Some(rate.0),
                (None, Protocol::UDP) => Some(UDP_DEFAULT_BITS_PER_SECOND),
                _ => None,
            }
            .map(|each| u128::from(each) * u128::from(traffic.streams.max(1)));
            let rate = match (asked, traffic.protocol) {
                // Datagrams leave at the asked rate, whatever arrives.
                (Some(asked), Protocol::UDP) => asked,
                (Some(asked), Protocol::TCP | Protocol::SCTP) => {
                    asked.min(SLOWEST_EXPECTED_BITS_PER_SECOND)
                }
                (None, _) => SLOWEST_EXPECTED_BITS_PER_SECOND,
            };
            let seconds = (u128::from(bytes.0) * 8).div_ceil(rate.max(1));
            Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX))
        }
    };
    let each = data.saturating_add(traffic.omit).saturating_add(OVERHEAD);
    all_repeats(each, repeats)
}
