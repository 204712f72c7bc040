//! What figures have to reach.

use super::{History, MeasuredPair, applies, case::Case, median, value};
use crate::valid::{Bound, Relative, ValidThreshold};
use nettest_api::{
    result::{Flow, VariantResult},
    threshold::ThresholdMetric,
};
use std::collections::BTreeMap;

/// A variant and whether the server sent.
type Key<'a> = (&'a str, bool);

/// One threshold, with what earlier runs say of it.
#[derive(Debug)]
pub(super) struct Bar<'a> {
    pub threshold: &'a ValidThreshold,
    earlier: BTreeMap<Key<'a>, Base>,
}

/// What a threshold is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// Nothing: it is absolute.
    Absolute,
    Known(i64),
    /// The median of so many earlier runs.
    Runs {
        median: i64,
        runs: usize,
    },
    Unknown,
    /// No run of the test measured it before.
    First,
}

impl Base {
    pub fn value(self) -> Option<i64> {
        match self {
            Base::Known(value) | Base::Runs { median: value, .. } => Some(value),
            Base::Absolute | Base::Unknown | Base::First => None,
        }
    }
}

fn key(result: &VariantResult) -> Key<'_> {
    (&result.variant, result.flow == Flow::ServerToClient)
}

impl<'a> Bar<'a> {
    pub fn new(threshold: &'a ValidThreshold, history: &'a History) -> Bar<'a> {
        Bar {
            threshold,
            earlier: earlier(threshold, history),
        }
    }

    /// More is better.
    pub fn is_floor(&self) -> bool {
        match self.threshold.bound {
            Bound::AtLeast(_) => true,
            Bound::AtMost(_) => false,
            Bound::Percent { .. } => self.threshold.metric == ThresholdMetric::Throughput,
        }
    }

    /// Of one pair, a case a variant and flow that has the metric.
    pub fn cases<'b>(
        &'b self,
        number: usize,
        pair: &'b MeasuredPair<'_>,
    ) -> impl Iterator<Item = Case<'b>> {
        self.results(pair).map(move |result| {
            let nodes = Some((pair.client, pair.server));
            let observed = value(self.threshold.metric, result);
            self.case((number, nodes), result, observed, self.base(pair, result))
        })
    }

    /// The median over the pairs, a case a variant and flow, in the order in which they were measured.
    pub fn median_cases<'b>(&'b self, pairs: &'b [MeasuredPair<'_>]) -> Vec<Case<'b>> {
        type Group<'b> = (&'b VariantResult, Vec<Option<i64>>, Vec<Base>);
        let mut groups: Vec<Group<'b>> = Vec::new();
        let mut known: BTreeMap<Key<'b>, usize> = BTreeMap::new();
        for pair in pairs {
            for result in self.results(pair) {
                let index = *known.entry(key(result)).or_insert_with(|| {
                    groups.push((result, vec![], vec![]));
                    groups.len() - 1
                });
                if let Some((_, observed, bases)) = groups.get_mut(index) {
                    observed.push(value(self.threshold.metric, result));
                    bases.push(self.base(pair, result));
                }
            }
        }
        let nodes = match pairs {
            [only] => Some((only.client, only.server)),
            _ => None,
        };
        groups
            .into_iter()
            .map(|(result, observed, bases)| {
                // One that is unknown makes the median unknown: it may lie on either side.
                let observed: Option<Vec<i64>> = observed.into_iter().collect();
                self.case(
                    (0, nodes),
                    result,
                    observed.and_then(median),
                    median_base(&bases),
                )
            })
            .collect()
    }

    /// What the threshold is about. What others are held against is not held against itself.
    fn results<'b>(
        &'b self,
        pair: &'b MeasuredPair<'_>,
    ) -> impl Iterator<Item = &'b VariantResult> {
        let ValidThreshold {
            metric,
            bound,
            variant,
            ..
        } = self.threshold;
        let other = match bound {
            Bound::Percent {
                of: Relative::Variant(other),
                ..
            } => Some(other),
            _ => None,
        };
        let results = pair.results.iter().copied();
        results.filter(move |result| {
            applies(*metric, result.protocol)
                && variant
                    .as_ref()
                    .is_none_or(|variant| *variant == result.variant)
                && other.is_none_or(|other| *other != result.variant)
        })
    }

    fn base(&self, pair: &MeasuredPair<'_>, result: &VariantResult) -> Base {
        let Bound::Percent { of, .. } = &self.threshold.bound else {
            return Base::Absolute;
        };
        let known = |value: Option<i64>| value.map_or(Base::Unknown, Base::Known);
        match of {
            // The slower end's, or the one that is known.
            Relative::LinkSpeed { .. } => {
                let links = [pair.client_link, pair.server_link];
                let slowest = links.into_iter().flatten().min();
                known(slowest.and_then(|speed| i64::try_from(speed).ok()))
            }
            Relative::Variant(other) => {
                let wanted = (other.as_str(), result.flow == Flow::ServerToClient);
                let mut results = pair.results.iter();
                let found = results.find(|result| key(result) == wanted);
                known(found.and_then(|found| value(self.threshold.metric, found)))
            }
            Relative::History { .. } => {
                let found = self.earlier.get(&key(result));
                found.copied().unwrap_or(Base::First)
            }
        }
    }

    fn case<'b>(
        &self,
        (number, pair): (usize, Option<(&'b str, &'b str)>),
        result: &'b VariantResult,
        observed: Option<i64>,
        base: Base,
    ) -> Case<'b> {
        let wanted = self.wanted(base);
        let met = match (observed, wanted) {
            (Some(_), _) if base == Base::First => true,
            (Some(observed), Some(wanted)) if self.is_floor() => observed >= wanted,
            (Some(observed), Some(wanted)) => observed <= wanted,
            _ => false,
        };
        Case {
            number,
            pair,
            variant: &result.variant,
            flow: result.flow,
            observed,
            base,
            wanted,
            met,
        }
    }

    /// In the metric's unit; rounded so that nothing passes by rounding.
    fn wanted(&self, base: Base) -> Option<i64> {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        match self.threshold.bound {
            Bound::AtLeast(value) | Bound::AtMost(value) => Some(signed(value)),
            Bound::Percent { percent, .. } => {
                let exact = i128::from(base.value()?) * i128::from(percent);
                let up = self.is_floor() && exact % 100 != 0;
                i64::try_from(exact / 100 + i128::from(up)).ok()
            }
        }
    }
}

fn earlier<'a>(threshold: &ValidThreshold, history: &'a History) -> BTreeMap<Key<'a>, Base> {
    let Bound::Percent {
        of: Relative::History { runs },
        ..
    } = threshold.bound
    else {
        return BTreeMap::new();
    };
    let mut values: BTreeMap<Key<'a>, Vec<i64>> = BTreeMap::new();
    let runs = usize::try_from(runs).unwrap_or(usize::MAX);
    for result in history.iter().take(runs).flatten() {
        if let Some(value) = value(threshold.metric, result) {
            values.entry(key(result)).or_default().push(value);
        }
    }
    values
        .into_iter()
        .filter_map(|(key, values)| {
            let runs = values.len();
            let median = median(values)?;
            Some((key, Base::Runs { median, runs }))
        })
        .collect()
}

/// Of the pairs' bases. What one of them lacks, the median lacks.
fn median_base(bases: &[Base]) -> Base {
    let mut values = Vec::new();
    for base in bases {
        match base {
            Base::Known(value) => values.push(*value),
            // The same for all pairs.
            other => return *other,
        }
    }
    median(values).map_or(Base::Unknown, Base::Known)
}
