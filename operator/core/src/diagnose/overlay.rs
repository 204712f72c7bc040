//! OverlayOverhead: the pod network is slower than the nodes' own, between the same two nodes.

use crate::{
    units,
    valid::{Lane, ValidTest, ValidTopology, ValidVariant},
    verdict::{MeasuredPair, is_unstable},
};
use nettest_api::{
    Reason,
    diagnosis::Diagnosis,
    endpoint::Network,
    path::PathKind,
    result::{Flow, VariantResult},
    traffic::Protocol,
};

/// The nodes' own network is that much faster, percent: below, it is within what two measurements differ by.
const FASTER_PERCENT: i128 = 10;

const HOSTS: Lane = Lane {
    client: Network::Host,
    server: Network::Host,
};

/// Where the same traffic was measured between pods and between their nodes.
pub(super) fn overhead(test: &ValidTest, pair: &MeasuredPair<'_>) -> Vec<Diagnosis> {
    // Within a node there is no overlay; and of a server outside only one end has two networks.
    let between_nodes =
        pair.client != pair.server && !matches!(test.topology, ValidTopology::External(_));
    // CPUs that were asked for and not had by one lane alone would be compared with those that were.
    let equal_cpus = !test.wants_exclusive_cpus() || test.requires_exclusive_cpus();
    if !between_nodes || !equal_cpus {
        return vec![];
    }
    let of = |path: PathKind, lane: Lane| {
        let variants = test.variants.iter();
        variants.filter(move |variant| variant.path == path && variant.lane() == lane)
    };
    of(PathKind::PodIP, Lane::PODS)
        // What a receiver of datagrams loses depends on its CPU more than on the path.
        .filter(|pods| pods.traffic.protocol != Protocol::UDP)
        .filter_map(|pods| {
            let mut hosts = of(PathKind::Host, HOSTS);
            Some((pods, hosts.find(|hosts| hosts.traffic == pods.traffic)?))
        })
        .flat_map(|(pods, hosts)| {
            let flows = pods.flows().iter();
            flows.filter_map(move |flow| told(test, pair, (pods, hosts), *flow))
        })
        .collect()
}

fn told(
    test: &ValidTest,
    pair: &MeasuredPair<'_>,
    (pods, hosts): (&ValidVariant, &ValidVariant),
    flow: Flow,
) -> Option<Diagnosis> {
    let result = |variant: &ValidVariant| {
        let mut results = pair.results.iter().copied();
        results.find(|result| result.variant == variant.name && result.flow == flow)
    };
    let (slow, fast) = (result(pods)?, result(hosts)?);
    let (slow_rate, fast_rate) = (
        slow.throughput_bits_per_second,
        fast.throughput_bits_per_second,
    );
    let faster =
        i128::from(fast_rate.median) * 100 > i128::from(slow_rate.median) * (100 + FASTER_PERCENT);
    // No repeat between the nodes was as slow as one between the pods.
    let apart = fast_rate.min > slow_rate.max;
    if !faster
        || !apart
        || is_unstable(test, slow)
        || is_unstable(test, fast)
        || slow_rate.median <= 0
    {
        return None;
    }
    let hundredths = i128::from(fast_rate.median) * 100 / i128::from(slow_rate.median);
    let (from, to) = match flow {
        Flow::ClientToServer => (pair.client, pair.server),
        Flow::ServerToClient => (pair.server, pair.client),
    };
    Some(Diagnosis {
        reason: Reason::OverlayOverhead.as_str().to_owned(),
        message: format!(
            "from {from} to {to} the pod network carried {} ({}{}), the nodes' own {} ({}{}): {}.{:02} times as much",
            rate(slow_rate.median),
            slow.variant,
            cpu(slow),
            rate(fast_rate.median),
            fast.variant,
            cpu(fast),
            hundredths / 100,
            hundredths % 100,
        ),
        hint: "look at what the pod network adds: encapsulation or encryption (its MTU, whether the card offloads it), packet filters on its way; CPU figures near 100 % in the pod network say that it is this work. Native routing, a larger MTU or host network for the pods in question spare it".to_owned(),
    })
}

fn rate(bits: i64) -> String {
    units::bits_per_second(u64::try_from(bits).unwrap_or(0))
}

/// What the two engines used, where both are known.
fn cpu(result: &VariantResult) -> String {
    let percent = |milli: i64| milli.saturating_add(5) / 10;
    match (result.client_cpu_milli, result.server_cpu_milli) {
        (Some(client), Some(server)) => format!(
            ", client at {} % of a CPU and server at {} %",
            percent(client),
            percent(server)
        ),
        _ => String::new(),
    }
}
