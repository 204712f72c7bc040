//! One figure against what it has to reach.

use super::{History, MeasuredPair, applies, bound};
use crate::{
    units,
    valid::{Bound, Relative, ValidThreshold},
};
use nettest_api::{
    result::{Flow, VariantResult},
    threshold::ThresholdMetric,
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    /// Of the pair, among those that are judged.
    pub number: usize,
    /// `client -> server`; `None` for the median of several.
    pub pair: Option<String>,
    pub variant: String,
    pub flow: Flow,
    pub observed: Option<i64>,
    /// `None`: what it is relative to is unknown.
    pub wanted: Option<i64>,
    pub met: bool,
    /// There is no earlier run to compare with.
    pub is_first: bool,
}

/// Every figure of every pair.
pub(super) fn of_pairs(
    threshold: &ValidThreshold,
    pairs: &[MeasuredPair<'_>],
    history: &History,
) -> Vec<Case> {
    pairs
        .iter()
        .enumerate()
        .flat_map(|(number, pair)| {
            wanted_results(threshold, pair.results).map(move |result| (number, pair, result))
        })
        .map(|(number, pair, result)| {
            let base = bound::base(threshold, pair, result, history);
            case(
                threshold,
                (number, Some(format!("{} -> {}", pair.client, pair.server))),
                result,
                value(threshold.metric, result),
                base,
            )
        })
        .collect()
}

/// The median over the pairs, a case a variant and flow.
pub(super) fn of_median(
    threshold: &ValidThreshold,
    pairs: &[MeasuredPair<'_>],
    history: &History,
) -> Vec<Case> {
    type Group<'a> = (&'a VariantResult, Vec<Option<i64>>, Vec<bound::Base>);
    let mut groups: BTreeMap<(String, bool), Group<'_>> = BTreeMap::new();
    for pair in pairs {
        for result in wanted_results(threshold, pair.results) {
            let key = (result.variant.clone(), result.flow == Flow::ServerToClient);
            let group = groups.entry(key).or_insert((result, vec![], vec![]));
            group.1.push(value(threshold.metric, result));
            group.2.push(bound::base(threshold, pair, result, history));
        }
    }
    let one = pairs.len() == 1;
    groups
        .into_values()
        .map(|(result, observed, bases)| {
            let pair = pairs.first().filter(|_| one);
            let pair = pair.map(|pair| format!("{} -> {}", pair.client, pair.server));
            // One that is unknown makes the median unknown: it may lie on either side.
            let observed: Option<Vec<i64>> = observed.into_iter().collect();
            case(
                threshold,
                (0, pair),
                result,
                observed.and_then(median),
                bound::median(bases),
            )
        })
        .collect()
}

fn wanted_results<'a>(
    threshold: &ValidThreshold,
    results: &'a [VariantResult],
) -> impl Iterator<Item = &'a VariantResult> {
    let (metric, variant) = (threshold.metric, threshold.variant.clone());
    results.iter().filter(move |result| {
        applies(metric, result.protocol)
            && variant
                .as_ref()
                .is_none_or(|variant| *variant == result.variant)
    })
}

fn case(
    threshold: &ValidThreshold,
    (number, pair): (usize, Option<String>),
    result: &VariantResult,
    observed: Option<i64>,
    base: bound::Base,
) -> Case {
    let is_first = base == bound::Base::First;
    let wanted = bound::wanted(threshold, &base);
    let met = match (observed, wanted) {
        _ if is_first => true,
        (Some(observed), Some(wanted)) if is_floor(threshold) => observed >= wanted,
        (Some(observed), Some(wanted)) => observed <= wanted,
        _ => false,
    };
    Case {
        number,
        pair,
        variant: result.variant.clone(),
        flow: result.flow,
        observed,
        wanted,
        met,
        is_first,
    }
}

/// The lower of the two in the middle.
pub(super) fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// The metric's figure of a result, in its unit.
pub(super) fn value(metric: ThresholdMetric, result: &VariantResult) -> Option<i64> {
    match metric {
        ThresholdMetric::Throughput => Some(result.throughput_bits_per_second.median),
        ThresholdMetric::LossPPM => result.loss_ppm,
        ThresholdMetric::JitterMicroseconds => result.jitter_microseconds,
        ThresholdMetric::RTTMicroseconds => result.rtt_microseconds,
        ThresholdMetric::Retransmits => result.retransmits,
    }
}

/// More is better.
fn is_floor(threshold: &ValidThreshold) -> bool {
    match threshold.bound {
        Bound::AtLeast(_) => true,
        Bound::AtMost(_) => false,
        Bound::Percent { .. } => threshold.metric == ThresholdMetric::Throughput,
    }
}

pub(super) fn flow_words(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "client to server",
        Flow::ServerToClient => "server to client",
    }
}

impl Case {
    /// The larger the worse; what is unknown is worst.
    pub(super) fn badness(&self, threshold: &ValidThreshold) -> (bool, bool, i128) {
        let unknown = self.observed.is_none() || self.wanted.is_none();
        let observed = i128::from(self.observed.unwrap_or(0));
        let wanted = i128::from(self.wanted.unwrap_or(0)).max(1);
        let share = observed * 1_000_000 / wanted;
        let share = if is_floor(threshold) { -share } else { share };
        (!self.met, unknown && !self.is_first, share)
    }

    /// What was seen against what was asked.
    pub(super) fn words(&self, threshold: &ValidThreshold) -> String {
        let side = if is_floor(threshold) {
            "at least"
        } else {
            "at most"
        };
        let of = match &threshold.bound {
            Bound::AtLeast(_) | Bound::AtMost(_) => String::new(),
            Bound::Percent { percent, of } => match of {
                Relative::LinkSpeed { .. } => format!(" ({percent} % of the link)"),
                Relative::Variant(variant) => format!(" ({percent} % of {variant})"),
                Relative::History { runs } => {
                    format!(" ({percent} % of the median of the last {runs} runs)")
                }
            },
        };
        let seen = match self.observed {
            Some(observed) => seen(threshold.metric, observed),
            None => format!("{} is unknown", noun(threshold.metric)),
        };
        if self.is_first {
            return format!("{seen}, with no earlier run to compare with");
        }
        match self.wanted {
            Some(wanted) => format!(
                "{seen}, {side} {}{of} asked",
                amount(threshold.metric, wanted)
            ),
            None => format!("{seen}, {}", bound::unknown(threshold)),
        }
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn seen(metric: ThresholdMetric, value: i64) -> String {
    match metric {
        ThresholdMetric::Throughput => {
            format!("{} at the receiver", units::bits_per_second(number(value)))
        }
        ThresholdMetric::LossPPM => format!("{value} ppm of datagrams lost"),
        ThresholdMetric::JitterMicroseconds => format!("a jitter of {value} µs"),
        ThresholdMetric::RTTMicroseconds => format!("a round-trip time of {value} µs"),
        ThresholdMetric::Retransmits => format!("{value} segments sent again"),
    }
}

fn amount(metric: ThresholdMetric, value: i64) -> String {
    match metric {
        ThresholdMetric::Throughput => units::bits_per_second(number(value)),
        ThresholdMetric::LossPPM => format!("{value} ppm"),
        ThresholdMetric::JitterMicroseconds | ThresholdMetric::RTTMicroseconds => {
            format!("{value} µs")
        }
        ThresholdMetric::Retransmits => value.to_string(),
    }
}

fn noun(metric: ThresholdMetric) -> &'static str {
    match metric {
        ThresholdMetric::Throughput => "the throughput",
        ThresholdMetric::LossPPM => "loss",
        ThresholdMetric::JitterMicroseconds => "the jitter",
        ThresholdMetric::RTTMicroseconds => "the round-trip time",
        ThresholdMetric::Retransmits => "the number of segments sent again",
    }
}
