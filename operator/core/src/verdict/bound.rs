//! What a figure has to reach, where that is relative to another.

use super::{History, MeasuredPair, case};
use crate::valid::{Bound, Relative, ValidThreshold};
use nettest_api::result::VariantResult;

/// What a threshold is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    /// Nothing: it is absolute.
    Absolute,
    Known(i64),
    Unknown,
    /// No run of the test was measured before.
    First,
}

pub(super) fn base(
    threshold: &ValidThreshold,
    pair: &MeasuredPair<'_>,
    result: &VariantResult,
    history: &History,
) -> Base {
    let Bound::Percent { of, .. } = &threshold.bound else {
        return Base::Absolute;
    };
    let known = |value: Option<i64>| value.map_or(Base::Unknown, Base::Known);
    let of_same_flow = |results: &[VariantResult], variant: &str| {
        let mut results = results.iter();
        let found = results.find(|other| other.variant == variant && other.flow == result.flow)?;
        case::value(threshold.metric, found)
    };
    match of {
        // The slower end's, or the one that is known.
        Relative::LinkSpeed { .. } => {
            let links = [pair.client_link, pair.server_link];
            let slowest = links.into_iter().flatten().min();
            known(slowest.and_then(|speed| i64::try_from(speed).ok()))
        }
        Relative::Variant(variant) => known(of_same_flow(pair.results, variant)),
        Relative::History { runs } => {
            let runs = usize::try_from(*runs).unwrap_or(usize::MAX);
            let values = history.iter().take(runs);
            let values = values.filter_map(|results| of_same_flow(results, &result.variant));
            case::median(values.collect()).map_or(Base::First, Base::Known)
        }
    }
}

/// Of the pairs' bases.
pub(super) fn median(bases: Vec<Base>) -> Base {
    let mut values = Vec::new();
    for base in bases {
        match base {
            Base::Known(value) => values.push(value),
            other => return other,
        }
    }
    case::median(values).map_or(Base::Unknown, Base::Known)
}

/// In the metric's unit; rounded so that nothing passes by rounding.
pub(super) fn wanted(threshold: &ValidThreshold, base: &Base) -> Option<i64> {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    match (&threshold.bound, base) {
        (Bound::AtLeast(value) | Bound::AtMost(value), _) => Some(signed(*value)),
        (Bound::Percent { percent, .. }, Base::Known(base)) => {
            let value = i128::from(*base) * i128::from(*percent) / 100;
            i64::try_from(value).ok()
        }
        (Bound::Percent { .. }, _) => None,
    }
}

/// Why there is nothing to compare with, and what to do.
pub(super) fn unknown(threshold: &ValidThreshold) -> &'static str {
    match &threshold.bound {
        Bound::Percent {
            of: Relative::LinkSpeed { .. },
            ..
        } => {
            "and the speed of the link is unknown: use host network, or set relativeTo.nodeLabel to a node label that has it"
        }
        _ => "and what it is compared with was not measured",
    }
}
