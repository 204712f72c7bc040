//! What flows.

use super::{Refusal, count, quantity_in, span_in};
use crate::valid::{Bitrate, Bytes, CongestionControl, End, FastPaths, ValidTraffic};
use nettest_api::{
    duration,
    traffic::{Protocol, Traffic},
};
use std::time::Duration;

pub(super) fn traffic(traffic: &Traffic) -> Result<ValidTraffic, Refusal> {
    let Traffic {
        protocol,
        direction,
        duration,
        bytes,
        omit,
        interval,
        parallel_streams,
        bitrate,
        message_size,
        window_size,
        congestion_control,
        fast,
        zero_copy,
        skip_receive_copy,
        udp_offload,
    } = traffic;
    let end = match (duration, bytes) {
        (Some(_), Some(_)) => {
            return Err(Refusal::invalid(
                "traffic.duration",
                "and traffic.bytes exclude each other: set the one that should end the test",
            ));
        }
        (None, Some(bytes)) => End::Bytes(Bytes(quantity_in(
            "traffic.bytes",
            bytes,
            1..=16 << 40,
            "1 to 16Ti",
        )?)),
        (Some(text), None) => End::Time(duration_of(text)?),
        (None, None) => End::Time(duration_of(&duration::Duration::from(
            Traffic::DEFAULT_DURATION,
        ))?),
    };
    let omit = whole_seconds(
        "traffic.omit",
        span_in("traffic.omit", omit, 0..=600_000, "0s to 600s")?,
    )?;
    let interval = span_in("traffic.interval", interval, 100..=60_000, "100ms to 60s")?;
    let streams = count("traffic.parallelStreams", *parallel_streams, 1..=128)?;
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
    let message_size = message_size
        .as_ref()
        .map(|text| match protocol {
            Protocol::TCP | Protocol::SCTP => {
                quantity_in("traffic.messageSize", text, 1..=1 << 20, "1 to 1Mi for TCP")
            }
            // 65507: the largest UDP payload over IPv4 (RFC 768, RFC 791); 16: iperf3's header with 64-bit counters.
            Protocol::UDP => quantity_in(
                "traffic.messageSize",
                text,
                16..=65_507,
                "16 to 65507 for UDP",
            ),
        })
        .transpose()?
        .map(Bytes);
    let window = window_size
        .as_ref()
        .map(|text| quantity_in("traffic.windowSize", text, 1..=512 << 20, "1 to 512Mi"))
        .transpose()?
        .map(Bytes);
    let congestion_control = congestion_control
        .as_deref()
        .map(|name| congestion(*protocol, name))
        .transpose()?;
    let fast_paths = fast_paths(
        *protocol,
        fast.unwrap_or(false),
        [*zero_copy, *skip_receive_copy, *udp_offload],
    )?;
    Ok(ValidTraffic {
        protocol: *protocol,
        direction: *direction,
        end,
        omit,
        interval,
        streams: u16::try_from(streams).unwrap_or(u16::MAX),
        bitrate,
        message_size,
        window,
        congestion_control,
        fast_paths,
    })
}

/// `single`: zeroCopy, skipReceiveCopy, udpOffload.
fn fast_paths(
    protocol: Protocol,
    all: bool,
    single: [Option<bool>; 3],
) -> Result<FastPaths, Refusal> {
    let [zero_copy, skip_receive_copy, udp_offload] = single.map(|asked| asked == Some(true));
    if zero_copy && protocol != Protocol::TCP {
        return Err(Refusal::invalid(
            "traffic.zeroCopy",
            "is TCP's: remove it, or set traffic.protocol to TCP; UDP has traffic.udpOffload",
        ));
    }
    if udp_offload && protocol != Protocol::UDP {
        return Err(Refusal::invalid(
            "traffic.udpOffload",
            "is UDP's: remove it, or set traffic.protocol to UDP; TCP has traffic.zeroCopy",
        ));
    }
    if !all {
        return Ok(FastPaths::These {
            zero_copy,
            skip_receive_copy,
            udp_offload,
        });
    }
    // Naming one besides is redundant and harmless. A wish for all but one must not be forgotten: the engine takes
    // all, or what is named.
    let names = ["zeroCopy", "skipReceiveCopy", "udpOffload"];
    match names
        .iter()
        .zip(single)
        .find(|(_, asked)| *asked == Some(false))
    {
        None => Ok(FastPaths::All),
        Some((name, _)) => Err(Refusal::invalid(
            format!("traffic.{name}"),
            format!(
                "false contradicts traffic.fast, which takes every fast path: remove {name}, or remove fast and set the ones that you want"
            ),
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

fn congestion(protocol: Protocol, name: &str) -> Result<CongestionControl, Refusal> {
    let field = "traffic.congestionControl";
    if protocol != Protocol::TCP {
        return Err(Refusal::invalid(
            field,
            "is TCP's: remove it or set traffic.protocol to TCP",
        ));
    }
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
