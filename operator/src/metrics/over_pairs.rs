//! Throughput over the pairs of a node and of two zones: pure. However many pairs there are, these stay few.

use super::{
    family::Family,
    figures::{Labels, Pair, direction},
    samples::{Sample, float},
};
use nettest_api::result::Flow;
use std::collections::BTreeMap;

/// What is grouped: variant, who sent, and two more labels.
type Group<'a> = (&'a str, &'static str, &'a str, &'a str);

pub fn of_nodes(labels: &mut Labels, pairs: &[Pair<'_>], out: &mut Vec<Sample>) {
    groups(labels, Family::NodeThroughput, pairs, out, |pair| {
        vec![(pair.client, "client"), (pair.server, "server")]
    });
}

/// Nothing where no node has a zone.
pub fn of_zones(labels: &mut Labels, pairs: &[Pair<'_>], out: &mut Vec<Sample>) {
    let any = |pair: &Pair<'_>| !pair.client_zone.is_empty() || !pair.server_zone.is_empty();
    if pairs.iter().any(any) {
        groups(labels, Family::ZoneThroughput, pairs, out, |pair| {
            vec![(pair.client_zone, pair.server_zone)]
        });
    }
}

fn groups<'a>(
    labels: &mut Labels,
    family: Family,
    pairs: &[Pair<'a>],
    out: &mut Vec<Sample>,
    of: impl for<'b> Fn(&'b Pair<'a>) -> Vec<(&'a str, &'a str)>,
) {
    let mut rates: BTreeMap<Group<'a>, Vec<i64>> = BTreeMap::new();
    for pair in pairs {
        for result in pair.results {
            let flow: Flow = result.flow;
            for (one, other) in of(pair) {
                rates
                    .entry((&result.variant, direction(flow), one, other))
                    .or_default()
                    .push(result.throughput_bits_per_second.median);
            }
        }
    }
    for ((variant, direction, one, other), mut rates) in rates {
        rates.sort_unstable();
        let base = [
            labels.namespace.clone(),
            labels.test.clone(),
            labels.label(variant),
            labels.label(direction),
            labels.label(one),
            labels.label(other),
        ];
        let of = |index: usize| rates.get(index).copied();
        for (stat, rate) in [
            ("median", of((rates.len() - 1) / 2)),
            ("min", of(0)),
            ("max", of(rates.len() - 1)),
        ] {
            if let Some(rate) = rate {
                let stat = labels.label(stat);
                out.push(Sample {
                    family,
                    labels: [base.as_slice(), &[stat]].concat(),
                    value: float(rate) / 8.0,
                });
            }
        }
    }
}
