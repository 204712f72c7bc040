//! Digest -> results: the median repeat's figures, and the spread over the repeats.

use crate::{
    collect::flow_of,
    units,
    valid::{ValidTest, ValidVariant},
};
use nettest_api::result::{FastPath, Flow, Percentiles, Spread, VariantResult};
use nettest_report::{
    digest::{Digest, Figures},
    report::{HostFacts, SocketFacts},
    spread::{self, median_index},
};

/// One result a variant and flow, in the digest's order. Figures that are missing are absent, never 0; figures
/// without any receiver's rate are no result and left out ([`crate::collect::complete`] tells them first).
pub fn aggregate(test: &ValidTest, digest: &Digest) -> Vec<VariantResult> {
    digest
        .figures
        .iter()
        .filter_map(|figures| {
            let variant = test.variant(&figures.variant)?;
            one(variant, digest, figures, flow_of(figures)?)
        })
        .collect()
}

fn one(
    variant: &ValidVariant,
    digest: &Digest,
    figures: &Figures,
    flow: Flow,
) -> Option<VariantResult> {
    let (client, server) = (digest.client_host.as_ref(), digest.server_host.as_ref());
    let (sender, receiver) = match flow {
        Flow::ClientToServer => (client, server),
        Flow::ServerToClient => (server, client),
    };
    // With several variants each has its own.
    let of = |own: &Option<SocketFacts>, host: Option<&HostFacts>| {
        own.clone()
            .or_else(|| host.map(|host| host.sockets.clone()))
    };
    let sending = of(&figures.sender_sockets, sender);
    let receiving = of(&figures.receiver_sockets, receiver);
    let (sending, receiving) = (sending.as_ref(), receiving.as_ref());
    let rates = &figures.received_bits_per_second;
    let median = median_index(rates)?;
    let at = |all: &[u64]| all.get(median).copied().map(signed);
    let lost = figures.lost_datagrams.get(median).copied();
    let datagrams = figures.datagrams.get(median).copied();
    let spread = spread(rates)?;
    Some(VariantResult {
        variant: variant.name.clone(),
        path: variant.path,
        protocol: variant.traffic.protocol,
        flow,
        throughput: units::bits_per_second(*rates.get(median)?),
        throughput_bits_per_second: spread,
        sender_bits_per_second: at(&figures.sent_bits_per_second)?,
        receiver_bits_per_second: at(rates)?,
        sent_bytes: at(&figures.sent_bytes)?,
        received_bytes: at(&figures.received_bytes)?,
        retransmits: at(&figures.retransmits),
        rtt_microseconds: at(&figures.rtt_microseconds),
        rtt_percentiles_microseconds: round_trip(figures, median),
        fairness_ppm: at(&figures.fairness_ppm),
        datagrams: datagrams.map(signed),
        lost_datagrams: lost.map(signed),
        loss_ppm: loss_ppm(lost, datagrams),
        out_of_order: at(&figures.out_of_order),
        jitter_microseconds: at(&figures.jitter_microseconds),
        client_cpu_milli: at(&figures.client_cpu_milli),
        server_cpu_milli: at(&figures.server_cpu_milli),
        fast_paths: fast_paths(sending, receiving),
        congestion_control: sending.and_then(|sockets| sockets.congestion.clone()),
        client_qdisc: client.and_then(|host| host.qdisc.clone()),
        server_qdisc: server.and_then(|host| host.qdisc.clone()),
        repeats: i32::try_from(rates.len()).unwrap_or(i32::MAX),
    })
}

/// Of the median repeat, as every figure.
fn round_trip(figures: &Figures, median: usize) -> Option<Percentiles> {
    let at = |all: &[u64]| all.get(median).copied().map(signed);
    Some(Percentiles {
        p50: at(&figures.rtt_p50_microseconds)?,
        p90: at(&figures.rtt_p90_microseconds)?,
        p99: at(&figures.rtt_p99_microseconds)?,
    })
}

/// Of each end what concerns what it does: a receiver's zero-copy sends are no part of this flow.
fn fast_paths(sender: Option<&SocketFacts>, receiver: Option<&SocketFacts>) -> Vec<FastPath> {
    let of = |sockets: Option<&SocketFacts>, granted: fn(&SocketFacts) -> Option<bool>| {
        sockets.and_then(granted) == Some(true)
    };
    [
        (FastPath::ZeroCopy, of(sender, |sockets| sockets.zerocopy)),
        (
            FastPath::SkipReceiveCopy,
            of(receiver, |sockets| sockets.skip_rx_copy),
        ),
        (FastPath::UDPSegmentation, of(sender, |sockets| sockets.gso)),
        (FastPath::UDPMerging, of(receiver, |sockets| sockets.gro)),
    ]
    .into_iter()
    .filter_map(|(path, in_force)| in_force.then_some(path))
    .collect()
}

fn spread(rates: &[u64]) -> Option<Spread> {
    let median = *rates.get(median_index(rates)?)?;
    Some(Spread {
        median: signed(median),
        min: signed(*rates.iter().min()?),
        max: signed(*rates.iter().max()?),
        // As the engine has it, which takes more repeats by it.
        spread_percent: signed(spread::percent(rates)?),
    })
}

/// Rounded up: one lost datagram is never 0 ppm.
fn loss_ppm(lost: Option<u64>, datagrams: Option<u64>) -> Option<i64> {
    let (lost, datagrams) = (lost?, datagrams.filter(|count| *count > 0)?);
    let ppm = (u128::from(lost) * 1_000_000).div_ceil(u128::from(datagrams));
    Some(i64::try_from(ppm).unwrap_or(i64::MAX))
}

/// The API has no unsigned numbers.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
