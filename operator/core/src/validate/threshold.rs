//! What must be reached.

use super::{Refusal, quantity_in};
use crate::{
    names,
    valid::{Bound, ValidThreshold},
};
use nettest_api::{
    threshold::{Threshold, ThresholdMetric},
    traffic::Protocol,
};
use std::collections::BTreeSet;

pub(super) fn thresholds(
    thresholds: &[Threshold],
    protocol: Protocol,
) -> Result<Vec<ValidThreshold>, Refusal> {
    if thresholds.len() > 16 {
        return Err(Refusal::invalid("thresholds", "has more than 16 entries"));
    }
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
            one(index, threshold, protocol)
        })
        .collect()
}

fn one(index: usize, threshold: &Threshold, protocol: Protocol) -> Result<ValidThreshold, Refusal> {
    let field = |name: &str| format!("thresholds[{index}]{name}");
    let Threshold {
        name,
        metric,
        min,
        max,
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
    let bound = match (metric, min, max) {
        (ThresholdMetric::Throughput, Some(min), None) => Bound::AtLeast(quantity_in(
            &field(".min"),
            min,
            0..=1_000_000_000_000_000,
            "at most 1000T bits per second",
        )?),
        (ThresholdMetric::Throughput, _, _) => {
            return Err(Refusal::invalid(
                field(""),
                "is a Throughput threshold: set min (bits per second, e.g. 900M) and no max",
            ));
        }
        (ThresholdMetric::LossPPM, _, _) if protocol != Protocol::UDP => {
            return Err(Refusal::invalid(
                field(".metric"),
                "LossPPM needs traffic.protocol UDP",
            ));
        }
        (ThresholdMetric::LossPPM, None, Some(max)) => Bound::AtMost(quantity_in(
            &field(".max"),
            max,
            0..=1_000_000,
            "at most 1000000 (all)",
        )?),
        (ThresholdMetric::LossPPM, _, _) => {
            return Err(Refusal::invalid(
                field(""),
                "is a LossPPM threshold: set max (lost datagrams per million, e.g. 100) and no min",
            ));
        }
        (_, _, _) => return Err(Refusal::invalid(field(".metric"), "is not built yet")),
    };
    Ok(ValidThreshold {
        name: name.clone(),
        metric: *metric,
        bound,
        scope: *scope,
        severity: *severity,
        variant: variant.clone(),
    })
}
