//! How thresholds went, in words.

use super::{
    bar::{Bar, Base},
    case::{Case, Tally},
};
use crate::{
    units,
    valid::{Bound, Relative, ValidThreshold},
};
use nettest_api::{
    result::Flow,
    threshold::{ThresholdMetric, ThresholdScope},
};

pub(super) fn message(bar: &Bar<'_>, tally: &Tally<'_>, pairs: usize) -> String {
    let threshold = bar.threshold;
    let Some(worst) = tally.worst() else {
        return match &threshold.variant {
            Some(variant) => format!("{variant} was not measured"),
            None => "nothing was measured".to_owned(),
        };
    };
    let is_median = threshold.scope == ThresholdScope::Median;
    if pairs > 1 && !is_median {
        let mut message = format!("{}{}", variant(tally, worst), of_pair(bar, worst));
        if tally.missed_pairs > 0 {
            message.push_str(&format!(
                "; missed by {} of {pairs} pairs",
                tally.missed_pairs
            ));
        }
        return message;
    }
    // Both flows of one variant are told side by side.
    if pairs <= 1 && !tally.several_variants && tally.count == tally.first.len() {
        let told = tally.first.iter().map(|case| match tally.count {
            1 => words(bar, case, ""),
            _ => format!("{}: {}", flow(case.flow), words(bar, case, "")),
        });
        return told.collect::<Vec<_>>().join("; ");
    }
    let mut place = Vec::new();
    if tally.several_variants {
        place.push(worst.variant.to_owned());
    }
    if pairs > 1 {
        place.push(format!("median of {pairs} pairs"));
    }
    if tally.both_flows {
        place.push(flow(worst.flow).to_owned());
    }
    let place = match place.is_empty() {
        true => String::new(),
        false => format!("{}: ", place.join(", ")),
    };
    format!("{place}{}", words(bar, worst, ""))
}

fn variant(tally: &Tally<'_>, worst: &Case<'_>) -> String {
    match tally.several_variants {
        true => format!("{}: ", worst.variant),
        false => String::new(),
    }
}

/// From whom the data went to whom.
fn of_pair(bar: &Bar<'_>, case: &Case<'_>) -> String {
    let Some((client, server)) = case.pair else {
        return words(bar, case, "");
    };
    let (from, to) = match case.flow {
        Flow::ClientToServer => (client, server),
        Flow::ServerToClient => (server, client),
    };
    words(bar, case, &format!(" from {from} to {to}"))
}

pub(super) fn flow(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "client to server",
        Flow::ServerToClient => "server to client",
    }
}

/// What was seen against what was asked.
fn words(bar: &Bar<'_>, case: &Case<'_>, way: &str) -> String {
    let metric = bar.threshold.metric;
    let seen = match case.observed {
        Some(observed) => seen(metric, observed, way),
        None => format!("{}{way} is unknown", noun(metric)),
    };
    match (case.wanted, case.base) {
        (Some(wanted), _) => {
            let side = match bar.is_floor() {
                true => "at least",
                false => "at most",
            };
            let wanted = amount(metric, wanted);
            format!(
                "{seen}, {side} {wanted}{} asked",
                share(bar.threshold, case.base)
            )
        }
        (None, Base::First) => format!("{seen}, with no earlier run to compare with"),
        (None, _) => format!("{seen}, and {}", unknown(bar.threshold)),
    }
}

/// Of what the wanted figure is a share.
fn share(threshold: &ValidThreshold, base: Base) -> String {
    let Bound::Percent { percent, of } = &threshold.bound else {
        return String::new();
    };
    let Some(value) = base.value() else {
        return String::new();
    };
    let value = amount(threshold.metric, value);
    match (of, base) {
        (Relative::LinkSpeed { .. }, _) => format!(" ({percent} % of the {value} link)"),
        (Relative::Variant(variant), _) => format!(" ({percent} % of the {value} of {variant})"),
        (Relative::History { .. }, Base::Runs { runs, .. }) if runs > 1 => {
            format!(" ({percent} % of {value}, the median of the last {runs} runs)")
        }
        (Relative::History { .. }, _) => format!(" ({percent} % of the {value} of the last run)"),
    }
}

/// Why there is nothing to compare with, and what to do.
fn unknown(threshold: &ValidThreshold) -> String {
    match &threshold.bound {
        Bound::Percent {
            of: Relative::LinkSpeed { node_label: None },
            ..
        } => "the speed of the link is unknown: measure with host network, or set relativeTo.nodeLabel to a node label that has it".to_owned(),
        Bound::Percent {
            of: Relative::LinkSpeed { node_label: Some(label) },
            ..
        } => format!("the speed of the link is unknown: neither the nodes' devices tell it nor their label {label}"),
        Bound::Percent {
            of: Relative::Variant(variant),
            ..
        } => format!("that of {variant} is unknown"),
        _ => "what it is compared with is unknown".to_owned(),
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn seen(metric: ThresholdMetric, value: i64, way: &str) -> String {
    match metric {
        ThresholdMetric::Throughput => {
            let way = match way {
                "" => " at the receiver",
                way => way,
            };
            format!("{}{way}", units::bits_per_second(number(value)))
        }
        ThresholdMetric::LossPPM => format!("{value} ppm of datagrams lost{way}"),
        ThresholdMetric::JitterMicroseconds => format!("a jitter of {value} µs{way}"),
        ThresholdMetric::RTTMicroseconds => format!("a round-trip time of {value} µs{way}"),
        ThresholdMetric::Retransmits => format!("{value} segments sent again{way}"),
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
