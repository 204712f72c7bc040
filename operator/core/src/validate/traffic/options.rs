//! Options that only some protocols have. With several protocols in a sweep they are left out where they mean nothing;
//! where they mean nothing to any, somebody is mistaken.

use super::super::{Refusal, count};
use crate::valid::{FastPaths, SocketOptions};
use Protocol::{SCTP, TCP, UDP};
use nettest_api::{
    path::IPFamily,
    traffic::{Protocol, Traffic},
};

/// Who has which, and what to do about it: the schema says the same.
pub(super) fn only(traffic: &Traffic, protocols: &[Protocol]) -> Result<(), Refusal> {
    let on = |switch: Option<bool>| switch == Some(true);
    for (asked, field, has, whose) in [
        (
            traffic.congestion_control.is_some(),
            "congestionControl",
            &[TCP][..],
            "is TCP's: remove it or set traffic.protocol to TCP",
        ),
        (
            on(traffic.zero_copy),
            "zeroCopy",
            &[TCP],
            "is TCP's: remove it, or set traffic.protocol to TCP; UDP has traffic.udpOffload",
        ),
        (
            on(traffic.udp_offload),
            "udpOffload",
            &[UDP],
            "is UDP's: remove it, or set traffic.protocol to UDP; TCP has traffic.zeroCopy",
        ),
        (
            traffic.mss.is_some(),
            "mss",
            &[TCP, SCTP],
            "is TCP's and SCTP's: remove it; UDP has traffic.messageSize",
        ),
        (
            on(traffic.no_delay),
            "noDelay",
            &[TCP, SCTP],
            "is TCP's and SCTP's: remove it; UDP never waits",
        ),
        (
            on(traffic.mptcp),
            "mptcp",
            &[TCP],
            "is TCP's: remove it, or set traffic.protocol to TCP",
        ),
        (
            traffic.send_timeout.is_some(),
            "sendTimeout",
            &[TCP],
            "is TCP's: remove it, or set traffic.protocol to TCP",
        ),
        (
            traffic.sctp_streams.is_some(),
            "sctpStreams",
            &[SCTP],
            "is SCTP's: remove it, or set traffic.protocol to SCTP",
        ),
        (
            on(traffic.dont_fragment),
            "dontFragment",
            &[UDP],
            "is UDP's: remove it, or set traffic.protocol to UDP; TCP never fragments",
        ),
    ] {
        if asked && !protocols.iter().any(|protocol| has.contains(protocol)) {
            return Err(Refusal::invalid(format!("traffic.{field}"), whose));
        }
    }
    Ok(())
}

pub(super) fn socket(
    traffic: &Traffic,
    family: Option<IPFamily>,
) -> Result<SocketOptions, Refusal> {
    let on = |switch: Option<bool>| switch == Some(true);
    if on(traffic.dont_fragment) && family == Some(IPFamily::IPv6) {
        return Err(Refusal::invalid(
            "traffic.dontFragment",
            "is IPv4's: remove it, or set path.ipFamily to IPv4; IPv6 never fragments on the way",
        ));
    }
    if traffic.flow_label.is_some() && family != Some(IPFamily::IPv6) {
        return Err(Refusal::invalid(
            "traffic.flowLabel",
            "is IPv6's: set path.ipFamily to IPv6, or remove flowLabel",
        ));
    }
    let with_mptcp = traffic.dscp.is_some()
        || traffic.fair_queue_rate.is_some()
        || traffic.flow_label.is_some()
        || traffic.send_timeout.is_some()
        || on(traffic.zero_copy);
    if on(traffic.mptcp) && with_mptcp {
        return Err(Refusal::invalid(
            "traffic.mptcp:",
            "Linux takes no dscp, fairQueueRate, flowLabel, sendTimeout or zeroCopy for it: remove them, or remove mptcp",
        ));
    }
    // Linux takes 88 (TCP_MIN_MSS) to 32767 (MAX_TCP_WINDOW).
    let number = |field: &str, value: Option<i32>, from: u32, to: u32| {
        value
            .map(|value| count(field, value, from..=to))
            .transpose()
    };
    let dscp = number("traffic.dscp", traffic.dscp, 0, 63)?;
    let sctp_streams = number("traffic.sctpStreams", traffic.sctp_streams, 1, 65_535)?;
    Ok(SocketOptions {
        mss: number("traffic.mss", traffic.mss, 88, 32_767)?,
        no_delay: on(traffic.no_delay),
        mptcp: on(traffic.mptcp),
        sctp_streams: sctp_streams.and_then(|streams| u16::try_from(streams).ok()),
        dscp: dscp.and_then(|dscp| u8::try_from(dscp).ok()),
        // 20 bits (RFC 8200); 0 is "no label".
        flow_label: number("traffic.flowLabel", traffic.flow_label, 1, 0xf_ffff)?,
        dont_fragment: on(traffic.dont_fragment),
        repeating_payload: on(traffic.repeating_payload),
    })
}

/// What of it `protocol` has.
pub(super) fn of(options: &SocketOptions, protocol: Protocol) -> SocketOptions {
    let SocketOptions {
        mss,
        no_delay,
        mptcp,
        sctp_streams,
        dscp,
        flow_label,
        dont_fragment,
        repeating_payload,
    } = options;
    let connected = matches!(protocol, TCP | SCTP);
    SocketOptions {
        mss: mss.filter(|_| connected),
        no_delay: *no_delay && connected,
        mptcp: *mptcp && protocol == TCP,
        sctp_streams: sctp_streams.filter(|_| protocol == SCTP),
        dscp: *dscp,
        flow_label: *flow_label,
        dont_fragment: *dont_fragment && protocol == UDP,
        repeating_payload: *repeating_payload,
    }
}

pub(super) fn fast_paths(traffic: &Traffic) -> Result<FastPaths, Refusal> {
    let single = [
        traffic.zero_copy,
        traffic.skip_receive_copy,
        traffic.udp_offload,
    ];
    let [zero_copy, skip_receive_copy, udp_offload] = single.map(|asked| asked == Some(true));
    if traffic.fast != Some(true) {
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

/// What of them `protocol` has.
pub(super) fn fast_paths_of(paths: FastPaths, protocol: Protocol) -> FastPaths {
    match paths {
        FastPaths::All => FastPaths::All,
        FastPaths::These {
            zero_copy,
            skip_receive_copy,
            udp_offload,
        } => FastPaths::These {
            zero_copy: zero_copy && protocol == TCP,
            skip_receive_copy,
            udp_offload: udp_offload && protocol == UDP,
        },
    }
}
