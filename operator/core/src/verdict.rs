//! Results against thresholds.

mod bound;
mod case;

use crate::{
    units,
    valid::{ValidTest, ValidThreshold},
};
use case::Case;
use nettest_api::{
    Reason,
    result::{ThresholdResult, VariantResult, Verdict},
    threshold::{Severity, ThresholdMetric, ThresholdScope},
};

/// One pair's results, and what is known of its ends.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredPair<'a> {
    /// Node of the client.
    pub client: &'a str,
    pub server: &'a str,
    pub results: &'a [VariantResult],
    /// Bits per second.
    pub client_link: Option<u64>,
    pub server_link: Option<u64>,
}

/// The results of earlier runs of the test, the latest first.
pub type History = [Vec<VariantResult>];

/// How a measured test went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Passed or Failed; Error is for what was not measured.
    pub verdict: Verdict,
    /// Passed, ThresholdNotMet or Unstable.
    pub reason: Reason,
    /// One a threshold, in the order of the spec.
    pub thresholds: Vec<ThresholdResult>,
    /// The variants whose repeats lie too far apart, in words.
    pub unstable: Vec<String>,
}

impl Judgement {
    /// The thresholds that were missed, in words: those that fail the test, or those that only warn.
    pub fn missed(&self, severity: Severity) -> String {
        let missed = self
            .thresholds
            .iter()
            .filter(|threshold| !threshold.met && threshold.severity == severity);
        missed
            .map(|threshold| format!("{}: {}", threshold.name, threshold.message))
            .collect::<Vec<_>>()
            .join("; ")
    }
}

/// Judge what was measured. A figure that is unknown meets no threshold: it cannot be shown to.
pub fn verdict(test: &ValidTest, pairs: &[MeasuredPair<'_>], history: &History) -> Judgement {
    let thresholds: Vec<ThresholdResult> = test
        .thresholds
        .iter()
        .map(|threshold| judge(threshold, pairs, history))
        .collect();
    let unstable = unstable(test, pairs);
    let failed = thresholds
        .iter()
        .any(|threshold| !threshold.met && threshold.severity == Severity::Fail);
    let (verdict, reason) = match (failed, unstable.is_empty()) {
        (true, _) => (Verdict::Failed, Reason::ThresholdNotMet),
        (false, false) => (Verdict::Failed, Reason::Unstable),
        (false, true) => (Verdict::Passed, Reason::Passed),
    };
    Judgement {
        verdict,
        reason,
        thresholds,
        unstable,
    }
}

/// Names of the thresholds of severity Fail that this pair misses by itself.
pub fn missed_by(test: &ValidTest, pair: MeasuredPair<'_>, history: &History) -> Vec<String> {
    test.thresholds
        .iter()
        .filter(|threshold| {
            threshold.severity == Severity::Fail && threshold.scope != ThresholdScope::Median
        })
        .filter(|threshold| !judge(threshold, &[pair], history).met)
        .map(|threshold| threshold.name.clone())
        .collect()
}

/// What is still too far apart after the last repeat.
fn unstable(test: &ValidTest, pairs: &[MeasuredPair<'_>]) -> Vec<String> {
    let Some(stability) = test.repeats.stability else {
        return vec![];
    };
    let several = pairs.len() > 1;
    pairs
        .iter()
        .flat_map(|pair| pair.results.iter().map(move |result| (pair, result)))
        .filter(|(_, result)| {
            result.throughput_bits_per_second.spread_percent
                > i64::from(stability.max_spread_percent)
        })
        .map(|(pair, result)| {
            let spread = result.throughput_bits_per_second;
            let place = if several {
                format!(" from {} to {}", pair.client, pair.server)
            } else {
                String::new()
            };
            let rate = |bits: i64| units::bits_per_second(u64::try_from(bits).unwrap_or(0));
            format!(
                "{}{place}: {} to {} over {} repeats, a spread of {} %, at most {} % asked",
                result.variant,
                rate(spread.min),
                rate(spread.max),
                result.repeats,
                spread.spread_percent,
                stability.max_spread_percent
            )
        })
        .collect()
}

fn judge(
    threshold: &ValidThreshold,
    pairs: &[MeasuredPair<'_>],
    history: &History,
) -> ThresholdResult {
    let cases = match threshold.scope {
        ThresholdScope::EachPair | ThresholdScope::WorstPair => {
            case::of_pairs(threshold, pairs, history)
        }
        ThresholdScope::Median => case::of_median(threshold, pairs, history),
    };
    let worst = cases.iter().max_by_key(|case| case.badness(threshold));
    let missed = missed_pairs(&cases);
    ThresholdResult {
        name: threshold.name.clone(),
        met: !cases.is_empty() && cases.iter().all(|case| case.met),
        severity: threshold.severity,
        observed: worst.and_then(|case| case.observed),
        wanted: worst.and_then(|case| case.wanted),
        variant: worst.map(|case| case.variant.clone()),
        pair: worst.and_then(|case| case.pair.clone()),
        missed_pairs: (pairs.len() > 1 && threshold.scope != ThresholdScope::Median)
            .then(|| i32::try_from(missed).unwrap_or(i32::MAX)),
        message: message(threshold, &cases, worst, pairs.len(), missed),
    }
}

/// Pairs of nodes with at least one case that misses.
fn missed_pairs(cases: &[Case]) -> usize {
    let missed: std::collections::BTreeSet<_> = cases
        .iter()
        .filter(|case| !case.met)
        .map(|case| case.number)
        .collect();
    missed.len()
}

fn message(
    threshold: &ValidThreshold,
    cases: &[Case],
    worst: Option<&Case>,
    pairs: usize,
    missed: usize,
) -> String {
    let Some(worst) = worst else {
        return match &threshold.variant {
            Some(variant) => format!("{variant} was not measured"),
            None => "nothing was measured".to_owned(),
        };
    };
    let one_variant = cases.iter().all(|case| case.variant == worst.variant);
    if pairs <= 1 && one_variant {
        if let [only] = cases {
            return only.words(threshold);
        }
        return cases
            .iter()
            .map(|case| format!("{}: {}", case::flow_words(case.flow), case.words(threshold)))
            .collect::<Vec<_>>()
            .join("; ");
    }
    let mut place = Vec::new();
    if !one_variant {
        place.push(worst.variant.clone());
    }
    match threshold.scope {
        ThresholdScope::Median if pairs > 1 => place.push(format!("median of {pairs} pairs")),
        _ if pairs > 1 => place.extend(worst.pair.clone()),
        _ => {}
    }
    place.push(case::flow_words(worst.flow).to_owned());
    let mut message = format!("{}: {}", place.join(", "), worst.words(threshold));
    if pairs > 1 && missed > 0 && threshold.scope != ThresholdScope::Median {
        message.push_str(&format!("; missed by {missed} of {pairs} pairs"));
    }
    message
}

/// Whether a variant of this protocol has the metric.
pub fn applies(metric: ThresholdMetric, protocol: nettest_api::traffic::Protocol) -> bool {
    use nettest_api::traffic::Protocol::{TCP, UDP};
    match metric {
        ThresholdMetric::Throughput => true,
        ThresholdMetric::LossPPM | ThresholdMetric::JitterMicroseconds => protocol == UDP,
        ThresholdMetric::RTTMicroseconds | ThresholdMetric::Retransmits => protocol == TCP,
    }
}

#[cfg(test)]
mod tests;
