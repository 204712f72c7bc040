//! How long a run may wait and last, and how fast it may send.

use super::{Refusal, quantity_in, span_in, traffic::Point};
use crate::{
    span, units,
    valid::{Bitrate, End, Lane, ValidLimits, ValidRepeats, ValidTraffic, ValidVariant},
};
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

pub(super) fn max_bitrate(limits: &Limits) -> Result<Option<Bitrate>, Refusal> {
    limits
        .max_bitrate
        .as_ref()
        .map(|text| {
            quantity_in(
                "limits.maxBitrate",
                text,
                1_000..=1_000_000_000_000,
                "1k to 1T bits per second",
            )
            .map(Bitrate)
        })
        .transpose()
}

/// The bitrate of each stream under limits.maxBitrate: what nobody asked a rate of is paced at it, more that was asked
/// for is refused.
pub(super) fn paced(
    asked: Option<Bitrate>,
    point: &Point,
    max: Option<Bitrate>,
) -> Result<Option<Bitrate>, Refusal> {
    let Some(max) = max else {
        return Ok(asked);
    };
    let streams = u64::from(point.streams.max(1));
    let share = Bitrate(max.0 / streams);
    match (asked, point.protocol) {
        (Some(rate), _) if rate.0 > 0 => {
            let all = rate.0.saturating_mul(streams);
            if all > max.0 {
                let of_streams = match streams {
                    1 => String::new(),
                    many => format!("x {many} streams "),
                };
                return Err(Refusal::invalid(
                    "traffic.bitrate",
                    format!(
                        "{of_streams}is {}, above limits.maxBitrate, {}: lower traffic.bitrate or the streams, or raise limits.maxBitrate",
                        units::bits_per_second(all),
                        units::bits_per_second(max.0)
                    ),
                ));
            }
            Ok(Some(rate))
        }
        (None, Protocol::UDP) => Ok(Some(share.min(Bitrate(UDP_DEFAULT_BITS_PER_SECOND)))),
        _ => Ok(Some(share)),
    }
}

/// Bits per second that an end asks to send, all streams together; `None`: as fast as it goes.
pub(super) fn asked_rate(traffic: &ValidTraffic) -> Option<u64> {
    let each = match (traffic.bitrate, traffic.protocol) {
        (Some(rate), _) if rate.0 > 0 => Some(rate.0),
        (None, Protocol::UDP) => Some(UDP_DEFAULT_BITS_PER_SECOND),
        _ => None,
    };
    each.map(|each| each.saturating_mul(u64::from(traffic.streams.max(1))))
}

pub(super) fn limits(
    limits: &Limits,
    max_bitrate: Option<Bitrate>,
    variants: &[ValidVariant],
    repeats: ValidRepeats,
) -> Result<ValidLimits, Refusal> {
    let Limits {
        schedule_timeout,
        run_timeout,
        max_bitrate: _,
    } = limits;
    let schedule_timeout = span_in(
        "limits.scheduleTimeout",
        schedule_timeout,
        5_000..=86_400_000,
        "5s to 24h",
    )?;
    let work = Work { variants, repeats };
    let run_timeout = match run_timeout {
        Some(text) => {
            let asked = span_in(
                "limits.runTimeout",
                text,
                10_000..=172_800_000,
                "10s to 48h",
            )?;
            work.fits(asked)?;
            asked
        }
        None => work.planned()?,
    };
    Ok(ValidLimits {
        schedule_timeout,
        run_timeout,
        max_bitrate,
    })
}

/// What a client has to measure.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub variants: &'a [ValidVariant],
    pub repeats: ValidRepeats,
}

impl Work<'_> {
    /// Of the lane that takes longest: each has a client of its own.
    fn longest(self, repeats: u32, each: fn(&ValidTraffic) -> Duration) -> Duration {
        let lanes: Vec<Lane> = self.variants.iter().map(ValidVariant::lane).collect();
        let time = |lane: Lane| {
            let mine = self.variants.iter().filter(|v| v.lane() == lane);
            let once = mine.clone().fold(Duration::ZERO, |sum, variant| {
                sum.saturating_add(each(&variant.traffic))
            });
            // At most 128 variants and 50 repeats.
            let measurements = u32::try_from(mine.count())
                .unwrap_or(u32::MAX)
                .saturating_mul(repeats);
            let pauses = measurements.saturating_sub(1);
            once.saturating_mul(repeats)
                .saturating_add(self.repeats.pause.saturating_mul(pauses))
        };
        lanes.into_iter().map(time).max().unwrap_or_default()
    }

    /// The time that data flows, with pauses: all repeats that may be taken. `None` of bytes or blocks, whose time
    /// nobody knows.
    pub fn at_most(self) -> Option<Duration> {
        self.is_timed()
            .then(|| self.longest(self.repeats.most(), data_time))
    }

    fn is_timed(self) -> bool {
        self.variants
            .iter()
            .all(|variant| matches!(variant.traffic.end, End::Time(_)))
    }

    /// How many variants a client has, for messages.
    fn subject(self) -> &'static str {
        match self.variants {
            [_] => "repeats.count and traffic",
            _ => "repeats.count, traffic and the variants",
        }
    }

    /// All repeats that may be taken, with what is around each, and some time to spare.
    fn planned(self) -> Result<Duration, Refusal> {
        let planned = |repeats| self.longest(repeats, planned_time);
        let least = planned(self.repeats.count);
        let most = planned(self.repeats.most());
        // Of bytes without a bitrate nobody knows the time: they get the longest.
        if self.is_timed() && least > LONGEST {
            let subject = self.subject();
            let (field, rest) = subject.split_once(' ').unwrap_or((subject, ""));
            return Err(Refusal::invalid(
                field,
                format!(
                    "{rest} make a run of {}, longer than 48h: ask for less",
                    span::display(least)
                ),
            ));
        }
        if self.is_timed() && most > LONGEST {
            return Err(Refusal::invalid(
                "repeats.maxCount",
                format!(
                    "can make a run of {}, longer than 48h: ask for less",
                    span::display(most)
                ),
            ));
        }
        Ok(most.saturating_add(SLACK).min(LONGEST))
    }

    /// A run that is cut off before its last repeat can end has no result, however often it is tried. Of bytes
    /// nobody knows the time.
    fn fits(self, run_timeout: Duration) -> Result<(), Refusal> {
        let needed = self.longest(self.repeats.count, data_time);
        // Connecting takes its time too.
        if !self.is_timed() || run_timeout > needed {
            return Ok(());
        }
        let variants = match self.variants {
            [_] => "",
            _ => ", for each variant,",
        };
        Err(Refusal::invalid(
            "limits.runTimeout",
            format!(
                "is {}, and traffic.duration (with traffic.omit) x repeats.count with repeats.pause between them{variants} needs {}: set limits.runTimeout to more than that or leave it out",
                span::display(run_timeout),
                span::display(needed)
            ),
        ))
    }
}

fn data_time(traffic: &ValidTraffic) -> Duration {
    match traffic.end {
        End::Time(time) => time.saturating_add(traffic.omit),
        End::Bytes(_) | End::Blocks(_) => traffic.omit,
    }
}

/// With connecting and all that. Bounded: 24h + 10m + 2s, or the time of 16 TiB or 10^12 blocks.
fn planned_time(traffic: &ValidTraffic) -> Duration {
    let bytes = match traffic.end {
        End::Time(time) => {
            return time.saturating_add(traffic.omit).saturating_add(OVERHEAD);
        }
        End::Bytes(bytes) => u128::from(bytes.0),
        End::Blocks(blocks) => u128::from(blocks) * u128::from(block_size(traffic)),
    };
    let rate = match (asked_rate(traffic).map(u128::from), traffic.protocol) {
        // Datagrams leave at the asked rate, whatever arrives.
        (Some(asked), Protocol::UDP) => asked,
        (Some(asked), Protocol::TCP | Protocol::SCTP) => {
            asked.min(SLOWEST_EXPECTED_BITS_PER_SECOND)
        }
        (None, _) => SLOWEST_EXPECTED_BITS_PER_SECOND,
    };
    let seconds = (bytes * 8).div_ceil(rate.max(1));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX))
        .saturating_add(traffic.omit)
        .saturating_add(OVERHEAD)
}

/// As asked, or iperf3's own: of UDP the MSS of its control connection, which is at most an Ethernet frame's on most
/// networks.
fn block_size(traffic: &ValidTraffic) -> u64 {
    match (traffic.message_size, traffic.protocol) {
        (Some(size), _) => size.0,
        (None, Protocol::TCP) => 128 << 10,
        (None, Protocol::SCTP) => 64 << 10,
        (None, Protocol::UDP) => 1460,
    }
}
