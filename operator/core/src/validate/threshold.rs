//! What must be reached.

use super::{Refusal, count, quantity_in};
use crate::{
    names,
    valid::{Bound, Relative, ValidThreshold, ValidVariant},
};
use nettest_api::{
    threshold::{RelativeKind, RelativeTo, Threshold, ThresholdMetric},
    traffic::Protocol,
};
use std::collections::BTreeSet;

/// Runs that a History threshold looks at when it does not say.
const RUNS: u32 = 5;

pub(super) fn thresholds(
    thresholds: &[Threshold],
    variants: &[ValidVariant],
) -> Result<Vec<ValidThreshold>, Refusal> {
    if thresholds.len() > 16 {
        return Err(Refusal::invalid("thresholds", "has more than 16 entries"));
    }
    one_label(thresholds)?;
    let mut names = BTreeSet::new();
    thresholds
        .iter()
        .enumerate()
        .map(|(index, threshold)| {
            if !names.insert(threshold.name.as_str()) {
                return Err(Refusal::invalid(
                    format!("thresholds[{index}].name"),
                    format!("{:?} is there twice", threshold.name),
                ));
            }
            one(index, threshold, variants)
        })
        .collect()
}

/// A link has one speed.
fn one_label(thresholds: &[Threshold]) -> Result<(), Refusal> {
    let mut named = thresholds.iter().enumerate().filter_map(|(index, one)| {
        let label = one.relative_to.as_ref()?.node_label.as_ref()?;
        Some((index, label))
    });
    let Some((first, label)) = named.next() else {
        return Ok(());
    };
    match named.find(|(_, other)| *other != label) {
        Some((index, other)) => Err(Refusal::invalid(
            format!("thresholds[{index}].relativeTo.nodeLabel"),
            format!(
                "{other:?} differs from {label:?} in thresholds[{first}]: name one label, a link has one speed"
            ),
        )),
        None => Ok(()),
    }
}

fn one(
    index: usize,
    threshold: &Threshold,
    variants: &[ValidVariant],
) -> Result<ValidThreshold, Refusal> {
    let field = |name: &str| format!("thresholds[{index}]{name}");
    let Threshold {
        name,
        metric,
        min: _,
        max: _,
        relative_to: _,
        scope,
        severity,
        variant,
    } = threshold;
    if !names::is_dns_label(name) {
        return Err(Refusal::invalid(
            field(".name"),
            format!("{name:?} has other characters than a-z, 0-9 and -, or is longer than 63"),
        ));
    }
    if !variants.iter().any(|variant| has(variant, *metric)) {
        return Err(Refusal::invalid(
            field(".metric"),
            format!(
                "{metric:?} needs {} in traffic.protocol or sweep.protocols",
                protocol_of(*metric)
            ),
        ));
    }
    if let Some(variant) = variant {
        measured(&field(".variant"), variant, *metric, variants)?;
    }
    let bound = bound(&field, threshold, variants)?;
    Ok(ValidThreshold {
        name: name.clone(),
        metric: *metric,
        bound,
        scope: *scope,
        severity: *severity,
        variant: variant.clone(),
    })
}

/// What a metric's bounds may be, and an example.
fn limits_of(metric: ThresholdMetric) -> (u64, &'static str, &'static str) {
    const HOUR_US: u64 = 3_600_000_000;
    match metric {
        ThresholdMetric::Throughput => (
            1_000_000_000_000_000,
            "at most 1000T bits per second",
            "bits per second, e.g. 900M",
        ),
        ThresholdMetric::LossPPM => (
            1_000_000,
            "at most 1000000 (all)",
            "lost datagrams per million, e.g. 100",
        ),
        ThresholdMetric::JitterMicroseconds | ThresholdMetric::RTTMicroseconds => (
            HOUR_US,
            "at most 3600000000 (an hour)",
            "microseconds, e.g. 500",
        ),
        ThresholdMetric::Retransmits => (
            1_000_000_000_000,
            "at most 1T segments",
            "segments, e.g. 100",
        ),
    }
}

fn bound(
    field: &impl Fn(&str) -> String,
    threshold: &Threshold,
    variants: &[ValidVariant],
) -> Result<Bound, Refusal> {
    let metric = threshold.metric;
    let (most, words, example) = limits_of(metric);
    match (
        metric,
        &threshold.min,
        &threshold.max,
        &threshold.relative_to,
    ) {
        (_, None, None, Some(relative)) => self::relative(field, relative, threshold, variants),
        (_, _, _, Some(_)) => Err(Refusal::invalid(
            field(""),
            "has min, max or relativeTo: exactly one of them",
        )),
        (ThresholdMetric::Throughput, Some(min), None, None) => Ok(Bound::AtLeast(quantity_in(
            &field(".min"),
            min,
            0..=most,
            words,
        )?)),
        (ThresholdMetric::Throughput, _, _, None) => Err(Refusal::invalid(
            field(""),
            format!("is a Throughput threshold: set min ({example}) and no max"),
        )),
        (_, None, Some(max), None) => Ok(Bound::AtMost(quantity_in(
            &field(".max"),
            max,
            0..=most,
            words,
        )?)),
        (_, _, _, None) => Err(Refusal::invalid(
            field(""),
            format!("is a {metric:?} threshold: set max ({example}) and no min"),
        )),
    }
}

fn relative(
    field: &impl Fn(&str) -> String,
    relative: &RelativeTo,
    threshold: &Threshold,
    variants: &[ValidVariant],
) -> Result<Bound, Refusal> {
    let RelativeTo {
        kind,
        percent,
        variant,
        node_label,
        runs,
    } = relative;
    for (is_set, name, its) in [
        (variant.is_some(), "variant", RelativeKind::Variant),
        (node_label.is_some(), "nodeLabel", RelativeKind::LinkSpeed),
        (runs.is_some(), "runs", RelativeKind::History),
    ] {
        if is_set && its != *kind {
            return Err(Refusal::invalid(
                field(&format!(".relativeTo.{name}")),
                format!("is for relativeTo.kind {its:?}: remove it, or set the kind"),
            ));
        }
    }
    let percent = count(&field(".relativeTo.percent"), *percent, 1..=1000)?;
    let of = match (kind, variant) {
        (RelativeKind::LinkSpeed, _) => {
            if threshold.metric != ThresholdMetric::Throughput {
                return Err(Refusal::invalid(
                    field(".relativeTo.kind"),
                    "LinkSpeed is for metric Throughput",
                ));
            }
            if let Some(label) = node_label
                && !names::is_label_key(label)
            {
                return Err(Refusal::invalid(
                    field(".relativeTo.nodeLabel"),
                    format!("{label:?} is not a label's key, such as example.com/link-speed"),
                ));
            }
            Relative::LinkSpeed {
                node_label: node_label.clone(),
            }
        }
        (RelativeKind::Variant, Some(other)) => {
            measured(
                &field(".relativeTo.variant"),
                other,
                threshold.metric,
                variants,
            )?;
            let is_judged = |judged: &ValidVariant| match &threshold.variant {
                Some(name) => judged.name == *name,
                None => has(judged, threshold.metric),
            };
            if !variants
                .iter()
                .any(|judged| is_judged(judged) && judged.name != *other)
            {
                return Err(Refusal::invalid(
                    field(".relativeTo.variant"),
                    format!("{other:?} is compared with itself: name another variant"),
                ));
            }
            Relative::Variant(other.clone())
        }
        (RelativeKind::Variant, None) => {
            return Err(Refusal::invalid(
                field(".relativeTo.variant"),
                "and relativeTo.kind Variant need each other",
            ));
        }
        (RelativeKind::History, _) => Relative::History {
            runs: match runs {
                Some(runs) => count(&field(".relativeTo.runs"), *runs, 1..=20)?,
                None => RUNS,
            },
        },
    };
    Ok(Bound::Percent { percent, of })
}

/// There is a variant of this name, and it has the metric.
fn measured(
    field: &str,
    name: &str,
    metric: ThresholdMetric,
    variants: &[ValidVariant],
) -> Result<(), Refusal> {
    match variants.iter().find(|variant| variant.name == name) {
        None => {
            let mut known: Vec<&str> = Vec::new();
            for variant in variants {
                if !known.contains(&variant.name.as_str()) {
                    known.push(&variant.name);
                }
            }
            const SHOWN: usize = 8;
            let more = known.len().saturating_sub(SHOWN);
            known.truncate(SHOWN);
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Err(Refusal::invalid(
                field,
                format!(
                    "{name:?} is no variant of this test, which has {}{more}",
                    known.join(", ")
                ),
            ))
        }
        Some(variant) if !has(variant, metric) => Err(Refusal::invalid(
            field,
            format!(
                "{name:?} has no {metric:?}, which is {}'s",
                protocol_of(metric)
            ),
        )),
        Some(_) => Ok(()),
    }
}

fn has(variant: &ValidVariant, metric: ThresholdMetric) -> bool {
    match metric {
        ThresholdMetric::Throughput => true,
        ThresholdMetric::LossPPM | ThresholdMetric::JitterMicroseconds => {
            variant.traffic.protocol == Protocol::UDP
        }
        ThresholdMetric::RTTMicroseconds | ThresholdMetric::Retransmits => {
            variant.traffic.protocol == Protocol::TCP
        }
    }
}

fn protocol_of(metric: ThresholdMetric) -> &'static str {
    match metric {
        ThresholdMetric::LossPPM | ThresholdMetric::JitterMicroseconds => "UDP",
        ThresholdMetric::RTTMicroseconds | ThresholdMetric::Retransmits => "TCP",
        ThresholdMetric::Throughput => "any protocol",
    }
}
