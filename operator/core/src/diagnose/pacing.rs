//! PacingLimited: a congestion control that paces (bbr), on a device that does not pace for it.
//!
//! bbr asks the kernel to pace (`SK_PACING_NEEDED`, net/ipv4/tcp_bbr.c). Where the packets pass the fq queueing
//! discipline with their socket, fq does it (`SK_PACING_FQ`, net/sched/sch_fq.c). Everywhere else TCP sets a timer
//! for each segment of at most 64 KiB (`tcp_needs_internal_pacing`, Linux 4.13 and newer). Where this was measured
//! (lo and veth) one stream then reached 15 to 27 Gbit/s, 8 to 17 on busy CPUs, against 38 to 48 and 25 to 42 with
//! cubic: a timer costs 8 to 14 us of CPU a segment, and is late where the CPU is not free.

use super::sender_sockets;
use crate::{units, valid::ValidVariant};
use nettest_api::{
    Reason,
    diagnosis::Diagnosis,
    endpoint::Network,
    result::{Flow, VariantResult},
};
use nettest_report::{digest::Digest, report::HostFacts};

/// bbr and its successors (bbr2, bbr3); no other congestion control of the kernel asks for pacing.
const PACES: &str = "bbr";

/// Queueing disciplines that have no others below them and neither pace nor shape. lo and veth have `noqueue`.
/// Not here: classful ones (fq may be below them), those that shape (tbf, cake, netem), and etf, which drops what
/// has no time of its own.
const NEVER_PACE: [&str; 9] = [
    "noqueue",
    "pfifo_fast",
    "pfifo",
    "bfifo",
    "fq_codel",
    "fq_pie",
    "codel",
    "pie",
    "sfq",
];

/// Bits per second within which the timers may be what holds one stream. Below, a segment leaves each 52 us or
/// less often, the timers take less than 30 % of a CPU, and it is more likely something else, first of all a link of
/// 10 Gbit/s. Above, a segment leaves each 13 us, as no timer did that was measured: something else paces (some CNIs
/// take the socket along to an fq of the node).
const LEAST: u64 = 10_000_000_000;
const MOST: u64 = 40_000_000_000;

/// Links whose payload lies within that, bits per second. A stream that fills one is held by it: 1398 of 1538
/// bytes on the wire are payload in an overlay at MTU 1500, and nearly all with jumbo frames.
const LINKS: [u64; 2] = [25_000_000_000, 40_000_000_000];
const LINK_PAYLOAD_PERCENT: u128 = 88;

/// The one thread of a receiver near a whole CPU, thousandths: then that holds the stream. The sender's may be full:
/// its timers are part of what fills it.
const BUSY_MILLI: i64 = 900;

/// Bytes that leave on a timer, and the least CPU that was measured for one of them.
const SEGMENT: u128 = 64 << 10;
const TIMER_MICROSECONDS: u128 = 8;

/// What a sender may have in flight unless told otherwise: the kernel's default of net.ipv4.tcp_wmem's maximum.
const BUFFER: u64 = 4 << 20;

/// Segments sent again of a thousand sent, from which loss may hold the stream: bbr itself does not mind so few.
const LOST_PERMILLE: u128 = 10;

/// The diagnosis of one flow, `None` when pacing is not shown to be what holds it.
pub(super) fn limited(
    test: &ValidVariant,
    digest: &Digest,
    result: &VariantResult,
) -> Option<Diagnosis> {
    let congestion = result.congestion_control.as_deref()?;
    let (client_cpu, server_cpu) = (result.client_cpu_milli?, result.server_cpu_milli?);
    let (sender, qdisc, network, sender_cpu, receiver_cpu) = match result.flow {
        Flow::ClientToServer => (
            "client",
            &result.client_qdisc,
            test.client_network,
            client_cpu,
            server_cpu,
        ),
        Flow::ServerToClient => (
            "server",
            &result.server_qdisc,
            test.server_network,
            server_cpu,
            client_cpu,
        ),
    };
    let qdisc = qdisc.as_deref()?;
    if !congestion.starts_with(PACES) || !never_paces(qdisc) {
        return None;
    }
    // Each stream has a timer of its own. What several do to each other was not measured.
    if test.traffic.streams != 1 {
        return None;
    }
    let rate = u64::try_from(result.receiver_bits_per_second).ok()?;
    let mss = sender_sockets(test, digest, result.flow)?.mss?;
    let one_machine = one_machine(digest);
    // A server that sends keeps its round-trip time for itself. Within a machine it is no matter unless somebody asked
    // for a window, which may be a small one.
    let short_way = one_machine && test.traffic.window.is_none();
    let rtt = result.rtt_microseconds.or_else(|| short_way.then_some(0))?;
    let held_by_something_else = !(LEAST..=MOST).contains(&rate)
        || (!one_machine && (fills_a_link(rate) || !timers_show(rate, sender_cpu)))
        || test
            .traffic
            .bitrate
            .is_some_and(|asked| asked.0 > 0 && reaches(rate, asked.0))
        || receiver_cpu >= BUSY_MILLI
        || throttled(digest)
        || window_may_hold(test, rate, rtt)
        || lost(result.retransmits?, mss, result.sent_bytes)
        || moment(result);
    if held_by_something_else {
        return None;
    }
    let place = match network {
        Network::Pod => format!("in the {sender}'s network namespace"),
        Network::Host => format!("on the {sender}'s node"),
    };
    Some(Diagnosis {
        reason: Reason::PacingLimited.as_str().to_owned(),
        message: format!(
            "the {sender} sent with {congestion} by a device whose queueing discipline is {qdisc} and not fq, so that TCP paced the stream by a timer of its own: {} with the client at {} % of a CPU and the server at {} %",
            units::bits_per_second(rate),
            percent(client_cpu),
            percent(server_cpu),
        ),
        hint: format!(
            "set traffic.congestionControl to one that does not pace (cubic, reno): is it no faster then, pacing is not the limit; or give the device fq: `tc qdisc replace dev DEVICE root fq` {place}"
        ),
    })
}

/// Of one CPU, as the table of results rounds it.
fn percent(cpu_milli: i64) -> i64 {
    cpu_milli.saturating_add(5) / 10
}

/// Of `mq/fq_codel+fq` all that may be below a device's queues; mq alone tells nothing of it.
fn never_paces(qdisc: &str) -> bool {
    let mut parts = qdisc.split(['/', '+']).peekable();
    if parts.next_if_eq(&"mq").is_some() && parts.peek().is_none() {
        return false;
    }
    parts.all(|part| NEVER_PACE.contains(&part))
}

/// Both ends on one machine: no link is between them.
fn one_machine(digest: &Digest) -> bool {
    let (Some(client), Some(server)) = (&digest.client_host, &digest.server_host) else {
        return false;
    };
    match (&client.node, &server.node) {
        (Some(client), Some(server)) => client == server,
        (None, None) => !client.hostname.is_empty() && client.hostname == server.hostname,
        _ => false,
    }
}

fn fills_a_link(rate: u64) -> bool {
    LINKS.iter().any(|&link| {
        rate <= link && u128::from(rate) * 100 >= u128::from(link) * LINK_PAYLOAD_PERCENT
    })
}

/// The sender used at least the CPU that so many timers take. With less of it the stream met another ceiling, which
/// between machines may be anywhere: a cloud's cap, a policer.
fn timers_show(rate: u64, sender_cpu_milli: i64) -> bool {
    let segment_bits = SEGMENT * 8;
    // Microseconds of CPU a second, a thousand of which are a thousandth.
    let used = u128::try_from(sender_cpu_milli).unwrap_or(0) * 1_000;
    used * segment_bits >= u128::from(rate) * TIMER_MICROSECONDS
}

/// Nine tenths of what was asked: it got what it asked for.
fn reaches(rate: u64, asked: u64) -> bool {
    u128::from(rate) * 10 >= u128::from(asked) * 9
}

fn throttled(digest: &Digest) -> bool {
    let periods = |host: &Option<HostFacts>| host.as_ref().and_then(|host| host.throttled_periods);
    [&digest.client_host, &digest.server_host]
        .into_iter()
        .any(|host| periods(host).is_some_and(|count| count > 0))
}

/// Bytes in flight (rate x round-trip time) that are half of the buffer or more: the mean of a round-trip time says
/// nothing of its longest.
fn window_may_hold(test: &ValidVariant, rate: u64, rtt_microseconds: i64) -> bool {
    let buffer = test.traffic.window.map_or(BUFFER, |window| window.0);
    let rtt = u128::try_from(rtt_microseconds).unwrap_or(0);
    let in_flight = u128::from(rate) * rtt / 8_000_000;
    in_flight * 2 >= u128::from(buffer)
}

fn lost(retransmits: i64, mss: u32, sent_bytes: i64) -> bool {
    let (again, sent) = (
        u128::try_from(retransmits).unwrap_or(0),
        u128::try_from(sent_bytes).unwrap_or(0),
    );
    again * u128::from(mss) * 1_000 > sent * LOST_PERMILLE
}

/// Less than a second's worth of data: the start of the stream is too much of it.
fn moment(result: &VariantResult) -> bool {
    let (bytes, rate) = (
        i128::from(result.sent_bytes),
        i128::from(result.sender_bits_per_second),
    );
    bytes * 8 * 10 < rate * 9
}

#[cfg(test)]
mod tests;
