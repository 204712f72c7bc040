//! What flows, as far as all variants share it.

mod options;

use super::{Refusal, count, quantity_in, span_in};
use crate::{
    argv::CONNECT_TIMEOUT_MS,
    valid::{
        Bitrate, Bytes, CongestionControl, End, FastPaths, SocketOptions, ValidTimeouts,
        ValidTraffic,
    },
};
use nettest_api::{
    duration,
    path::IPFamily,
    quantity::Quantity,
    traffic::{Direction, Protocol, Traffic},
};
use std::time::Duration;

/// The traffic of a spec, before the sweep.
#[derive(Debug)]
pub(super) struct Base {
    pub direction: Direction,
    pub end: End,
    pub omit: Duration,
    pub interval: Duration,
    pub bitrate: Option<Bitrate>,
    pub burst: Option<u32>,
    pub fair_queue_rate: Option<Bitrate>,
    pub socket: SocketOptions,
    pub fast_paths: FastPaths,
    pub timeouts: ValidTimeouts,
}

/// What the sweep varies.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub protocol: Protocol,
    pub streams: u16,
    pub message_size: Option<Bytes>,
    pub window: Option<Bytes>,
    pub congestion_control: Option<CongestionControl>,
}

impl Base {
    /// One variant: options that its protocol does not have are left out.
    pub fn at(&self, point: Point, bitrate: Option<Bitrate>) -> ValidTraffic {
        let Base {
            direction,
            end,
            omit,
            interval,
            bitrate: _,
            burst,
            fair_queue_rate,
            socket,
            fast_paths,
            timeouts: _,
        } = self;
        let Point {
            protocol,
            streams,
            message_size,
            window,
            congestion_control,
        } = point;
        ValidTraffic {
            protocol,
            direction: *direction,
            end: *end,
            omit: *omit,
            interval: *interval,
            streams,
            bitrate,
            burst: *burst,
            fair_queue_rate: *fair_queue_rate,
            message_size,
            window,
            congestion_control,
            socket: options::of(socket, protocol),
            fast_paths: options::fast_paths_of(*fast_paths, protocol),
        }
    }
}

/// `protocols`: all that are measured.
pub(super) fn base(
    traffic: &Traffic,
    protocols: &[Protocol],
    family: Option<IPFamily>,
) -> Result<Base, Refusal> {
    let Traffic {
        protocol: _,
        direction,
        duration,
        bytes,
        blocks,
        omit,
        interval,
        parallel_streams: _,
        bitrate,
        bitrate_burst,
        fair_queue_rate,
        message_size: _,
        window_size: _,
        congestion_control: _,
        mss: _,
        no_delay: _,
        mptcp: _,
        sctp_streams: _,
        dscp: _,
        flow_label: _,
        dont_fragment: _,
        repeating_payload: _,
        connect_timeout,
        receive_timeout,
        send_timeout,
        fast: _,
        zero_copy: _,
        skip_receive_copy: _,
        udp_offload: _,
    } = traffic;
    options::only(traffic, protocols)?;
    let end = end(duration.as_ref(), bytes.as_ref(), *blocks)?;
    let omit = whole_seconds(
        "traffic.omit",
        span_in("traffic.omit", omit, 0..=600_000, "0s to 600s")?,
    )?;
    let interval = span_in("traffic.interval", interval, 100..=60_000, "100ms to 60s")?;
    let bitrate = bitrate
        .as_ref()
        .map(|text| {
            quantity_in(
                "traffic.bitrate",
                text,
                0..=1_000_000_000_000,
                "0 (unlimited) to 1T bits per second",
            )
        })
        .transpose()?
        .map(Bitrate);
    let burst = bitrate_burst
        .map(|burst| count("traffic.bitrateBurst", burst, 1..=1000))
        .transpose()?;
    if burst.is_some() && bitrate.is_none_or(|rate| rate.0 == 0) {
        return Err(Refusal::invalid(
            "traffic.bitrateBurst",
            "needs a traffic.bitrate above 0: set it, or remove bitrateBurst",
        ));
    }
    let fair_queue_rate = fair_queue_rate
        .as_ref()
        .map(|text| {
            quantity_in(
                "traffic.fairQueueRate",
                text,
                1_000..=1_000_000_000_000,
                "1k to 1T bits per second",
            )
        })
        .transpose()?
        .map(Bitrate);
    let wait = |field: &str, text: &Option<duration::Duration>, most: u128, words: &str| {
        text.as_ref()
            .map(|text| span_in(field, text, 100..=most, words))
            .transpose()
    };
    let connect = wait(
        "traffic.connectTimeout",
        connect_timeout,
        300_000,
        "100ms to 5m",
    )?;
    let receive = wait(
        "traffic.receiveTimeout",
        receive_timeout,
        3_600_000,
        "100ms to 1h",
    )?;
    let send = wait(
        "traffic.sendTimeout",
        send_timeout,
        3_600_000,
        "100ms to 1h",
    )?;
    let timeouts = ValidTimeouts {
        connect: connect.unwrap_or(Duration::from_millis(u64::from(CONNECT_TIMEOUT_MS))),
        receive,
        send,
    };
    Ok(Base {
        direction: *direction,
        end,
        omit,
        interval,
        bitrate,
        burst,
        fair_queue_rate,
        socket: options::socket(traffic, family)?,
        fast_paths: options::fast_paths(traffic)?,
        timeouts,
    })
}

fn end(
    duration: Option<&duration::Duration>,
    bytes: Option<&Quantity>,
    blocks: Option<i64>,
) -> Result<End, Refusal> {
    match (duration, bytes, blocks) {
        (Some(text), None, None) => Ok(End::Time(duration_of(text)?)),
        (None, Some(bytes), None) => Ok(End::Bytes(Bytes(quantity_in(
            "traffic.bytes",
            bytes,
            1..=16 << 40,
            "1 to 16Ti",
        )?))),
        (None, None, Some(blocks)) => match u64::try_from(blocks) {
            Ok(number @ 1..=1_000_000_000_000) => Ok(End::Blocks(number)),
            _ => Err(super::out_of_bounds(
                "traffic.blocks",
                blocks,
                1,
                1_000_000_000_000_u64,
            )),
        },
        (None, None, None) => Ok(End::Time(duration_of(&duration::Duration::from(
            Traffic::DEFAULT_DURATION,
        ))?)),
        _ => Err(Refusal::invalid(
            "traffic.duration,",
            "traffic.bytes and traffic.blocks exclude each other: set the one that should end the test",
        )),
    }
}

fn duration_of(text: &duration::Duration) -> Result<Duration, Refusal> {
    whole_seconds(
        "traffic.duration",
        span_in("traffic.duration", text, 1_000..=86_400_000, "1s to 24h")?,
    )
}

/// iperf3's -t and -O count whole seconds.
fn whole_seconds(field: &str, span: Duration) -> Result<Duration, Refusal> {
    if span.subsec_nanos() != 0 {
        return Err(Refusal::invalid(
            field,
            format!("is {}: use whole seconds", crate::span::display(span)),
        ));
    }
    Ok(span)
}

/// A size that this protocol sends.
pub(super) fn message_size(
    field: &str,
    text: &Quantity,
    protocol: Protocol,
) -> Result<Bytes, Refusal> {
    let (bounds, words) = match protocol {
        Protocol::TCP => (1..=1 << 20, "1 to 1Mi for TCP"),
        Protocol::SCTP => (1..=1 << 20, "1 to 1Mi for SCTP"),
        // 65507: the largest UDP payload over IPv4 (RFC 768, RFC 791); 16: iperf3's header with 64-bit counters.
        Protocol::UDP => (16..=65_507, "16 to 65507 for UDP"),
    };
    quantity_in(field, text, bounds, words).map(Bytes)
}

pub(super) fn window(field: &str, text: &Quantity) -> Result<Bytes, Refusal> {
    quantity_in(field, text, 1..=512 << 20, "1 to 512Mi").map(Bytes)
}

pub(super) fn congestion(field: &str, name: &str) -> Result<CongestionControl, Refusal> {
    let letters = name
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    let starts = name.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !(letters && starts && name.len() <= 15) {
        return Err(Refusal::invalid(
            field,
            format!("{name:?} is not a name of a congestion control, such as cubic or bbr"),
        ));
    }
    Ok(CongestionControl(name.to_owned()))
}
