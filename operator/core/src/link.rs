//! The speed of an end's link, for thresholds that are relative to it.

use crate::{
    observed::Observed,
    pod_facts::NodePair,
    quantity,
    valid::{Bound, NodeName, Relative, ValidTest},
};
use nettest_report::{digest::Digest, report::HostFacts};

/// As its device says, bits per second; else as the first node label says that a threshold names.
pub fn speed(
    test: &ValidTest,
    seen: &Observed,
    node: &NodeName,
    host: Option<&HostFacts>,
) -> Option<u64> {
    host.and_then(|host| host.link_speed_bits_per_second)
        .or_else(|| of_label(test, seen, node))
}

/// A digest whose hosts know their links, as far as that is known.
pub fn told(test: &ValidTest, seen: &Observed, pair: &NodePair, digest: &Digest) -> Digest {
    let mut digest = digest.clone();
    let ends = [
        (&mut digest.client_host, &pair.client),
        (&mut digest.server_host, &pair.server),
    ];
    for (host, node) in ends {
        let speed = speed(test, seen, node, host.as_ref());
        if let Some(host) = host {
            host.link_speed_bits_per_second = speed;
        }
    }
    digest
}

fn of_label(test: &ValidTest, seen: &Observed, node: &NodeName) -> Option<u64> {
    let label = test
        .thresholds
        .iter()
        .find_map(|threshold| match &threshold.bound {
            Bound::Percent {
                of: Relative::LinkSpeed { node_label },
                ..
            } => node_label.as_ref(),
            _ => None,
        })?;
    let mut nodes = seen.nodes.iter();
    let facts = nodes.find(|facts| facts.name == *node)?;
    quantity::whole(facts.labels.get(label)?).ok()
}
