//! Throughput over all pairs, over those of a node and over those of two zones: pure. However many pairs there are, these stay few.

use super::{
    family::Family,
    figures::{Labels, Pair, direction},
    samples::{Sample, float},
};
use std::collections::BTreeMap;

/// What is grouped: variant, who sent, and the labels of the group.
type Group<'a> = (&'a str, &'static str, Vec<&'a str>);

pub fn of_all(labels: &mut Labels, pairs: &[Pair<'_>], out: &mut Vec<Sample>) {
    groups(labels, Family::PairsThroughput, pairs, out, |_| {
        vec![vec![]]
    });
}

pub fn of_nodes(labels: &mut Labels, pairs: &[Pair<'_>], out: &mut Vec<Sample>) {
    groups(labels, Family::NodeThroughput, pairs, out, |pair| {
        vec![vec![pair.client, "client"], vec![pair.server, "server"]]
    });
}

/// Nothing where no node has a zone.
pub fn of_zones(labels: &mut Labels, pairs: &[Pair<'_>], out: &mut Vec<Sample>) {
    let any = |pair: &Pair<'_>| !pair.client_zone.is_empty() || !pair.server_zone.is_empty();
    if pairs.iter().any(any) {
        groups(labels, Family::ZoneThroughput, pairs, out, |pair| {
            vec![vec![pair.client_zone, pair.server_zone]]
        });
    }
}

fn groups<'a>(
    labels: &mut Labels,
    family: Family,
    pairs: &[Pair<'a>],
    out: &mut Vec<Sample>,
    of: impl for<'b> Fn(&'b Pair<'a>) -> Vec<Vec<&'a str>>,
) {
    let mut rates: BTreeMap<Group<'a>, Vec<i64>> = BTreeMap::new();
    for pair in pairs {
        let groups = of(pair);
        for result in pair.results {
            for group in &groups {
                rates
                    .entry((&result.variant, direction(result.flow), group.clone()))
                    .or_default()
                    .push(result.throughput_bits_per_second.median);
            }
        }
    }
    for ((variant, direction, group), mut rates) in rates {
        rates.sort_unstable();
        let mut base = vec![labels.namespace.clone(), labels.test.clone()];
        let texts = [variant, direction].into_iter().chain(group);
        base.extend(texts.map(|text| labels.label(text)));
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
