//! Results against thresholds.

mod bar;
mod case;
mod stability;
mod words;

pub use stability::{is_unstable, spread_in_words};

use crate::valid::{ValidTest, ValidThreshold};
use bar::Bar;
use case::Tally;
use nettest_api::{
    Reason,
    result::{Flow, ThresholdResult, VariantResult, Verdict},
    threshold::{Severity, ThresholdMetric, ThresholdScope},
};

/// Two nodes with all that was measured between them, on whichever lanes, so that paths can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPair<'a> {
    /// Node of the client.
    pub client: &'a str,
    pub server: &'a str,
    pub results: Vec<&'a VariantResult>,
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
    /// The variants whose repeats lie too far apart, in words: the first of them, and how many more.
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

/// A figure of a pair that misses a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed<'a> {
    /// Of the threshold, in the order of the spec.
    pub number: usize,
    pub threshold: &'a ValidThreshold,
    pub variant: &'a str,
    pub flow: Flow,
}

/// A test's thresholds, ready for many pairs.
#[derive(Debug)]
pub struct Judge<'a> {
    test: &'a ValidTest,
    bars: Vec<Bar<'a>>,
}

/// Judge what was measured. A figure that is unknown meets no threshold: it cannot be shown to.
pub fn verdict(test: &ValidTest, pairs: &[MeasuredPair<'_>], history: &History) -> Judgement {
    Judge::new(test, history).verdict(pairs)
}

impl<'a> Judge<'a> {
    pub fn new(test: &'a ValidTest, history: &'a History) -> Judge<'a> {
        let bars = test.thresholds.iter();
        Judge {
            test,
            bars: bars.map(|threshold| Bar::new(threshold, history)).collect(),
        }
    }

    pub fn verdict(&self, pairs: &[MeasuredPair<'_>]) -> Judgement {
        let thresholds: Vec<ThresholdResult> =
            self.bars.iter().map(|bar| judge(bar, pairs)).collect();
        let unstable = stability::unstable(self.test, pairs);
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

    /// What this pair misses by itself, whether that fails the test or only warns.
    pub fn missed<'b>(&'b self, pair: &'b MeasuredPair<'_>) -> impl Iterator<Item = Missed<'b>> {
        let bars = self.bars.iter().enumerate();
        bars.filter(|(_, bar)| bar.threshold.scope != ThresholdScope::Median)
            .flat_map(move |(number, bar)| {
                let missed = bar.cases(0, pair).filter(|case| !case.met);
                missed.map(move |case| Missed {
                    number,
                    threshold: bar.threshold,
                    variant: case.variant,
                    flow: case.flow,
                })
            })
    }

    /// Whether this pair by itself fails the test.
    pub fn fails(&self, pair: &MeasuredPair<'_>) -> bool {
        self.missed(pair)
            .any(|missed| missed.threshold.severity == Severity::Fail)
    }
}

/// Names of the thresholds that a pair misses by itself, in the order of the spec.
pub fn missed_by(test: &ValidTest, pair: &MeasuredPair<'_>, history: &History) -> Vec<String> {
    let judge = Judge::new(test, history);
    let mut names: Vec<String> = Vec::new();
    for missed in judge.missed(pair) {
        if names.last() != Some(&missed.threshold.name) {
            names.push(missed.threshold.name.clone());
        }
    }
    names
}

fn judge(bar: &Bar<'_>, pairs: &[MeasuredPair<'_>]) -> ThresholdResult {
    let threshold = bar.threshold;
    let mut tally = Tally::default();
    match threshold.scope {
        ThresholdScope::EachPair | ThresholdScope::WorstPair => {
            for (number, pair) in pairs.iter().enumerate() {
                bar.cases(number, pair)
                    .for_each(|case| tally.add(bar, case));
            }
        }
        ThresholdScope::Median => {
            let cases = bar.median_cases(pairs);
            cases.into_iter().for_each(|case| tally.add(bar, case));
        }
    }
    let worst = tally.worst();
    let several = pairs.len() > 1 && threshold.scope != ThresholdScope::Median;
    ThresholdResult {
        name: threshold.name.clone(),
        met: worst.is_some_and(|worst| worst.met),
        severity: threshold.severity,
        observed: worst.and_then(|case| case.observed),
        wanted: worst.and_then(|case| case.wanted),
        variant: worst.map(|case| case.variant.to_owned()),
        pair: worst
            .and_then(|case| case.pair)
            .map(|(client, server)| format!("{client} -> {server}")),
        missed_pairs: several.then(|| i32::try_from(tally.missed_pairs).unwrap_or(i32::MAX)),
        message: words::message(bar, &tally, pairs.len()),
    }
}

/// The metric's figure of a result, in its unit.
fn value(metric: ThresholdMetric, result: &VariantResult) -> Option<i64> {
    match metric {
        ThresholdMetric::Throughput => Some(result.throughput_bits_per_second.median),
        ThresholdMetric::LossPPM => result.loss_ppm,
        ThresholdMetric::JitterMicroseconds => result.jitter_microseconds,
        ThresholdMetric::RTTMicroseconds => result.rtt_microseconds,
        ThresholdMetric::Retransmits => result.retransmits,
    }
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

/// The lower of the two in the middle.
fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests;
