//! The speed of an end's link, for thresholds that are relative to it.

use crate::{
    observed::Observed,
    quantity,
    valid::{Bound, NodeName, Relative, ValidTest},
};
use nettest_report::report::HostFacts;

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
