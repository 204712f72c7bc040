//! What a finished run is shown as: pure. Absent rather than 0 where a figure is unknown.

use super::family::Family;
use jiff::Timestamp;
use nettest_api::{
    result::{Progress, Suspect, ThresholdResult, Verdict},
    threshold::{Severity, Threshold},
};
use std::sync::Arc;

/// Which NetTest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey {
    pub namespace: String,
    pub name: String,
}

/// Which of its runs: its name, and its end, since a test that is made anew has runs of the same names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunKey {
    pub name: String,
    pub finished: Option<Timestamp>,
}

/// What a finished run tells as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Finished<'a> {
    /// As its spec has them.
    pub asked: &'a [Threshold],
    pub thresholds: &'a [ThresholdResult],
    pub verdict: Verdict,
    pub finished: Option<Timestamp>,
    /// When the test last passed, this run or an earlier one.
    pub last_success: Option<Timestamp>,
    /// By its schedule.
    pub next_run: Option<Timestamp>,
    /// Of several pairs.
    pub progress: Option<Progress>,
    pub suspects: &'a [Suspect],
    /// Where the server listens.
    pub port: u16,
}

/// Label values are shared: a node's name is in thousands of samples.
pub type Label = Arc<str>;

#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub family: Family,
    pub labels: Vec<Label>,
    pub value: f64,
}

/// The test as a whole.
pub fn of_test(key: &TestKey, finished: &Finished<'_>) -> Vec<Sample> {
    let Finished {
        asked,
        thresholds,
        verdict,
        finished,
        last_success,
        next_run,
        progress,
        suspects,
        port: _,
    } = *finished;
    let mut out = Vec::new();
    let mut add = |family, more: &[&str], value| {
        let labels = [key.namespace.as_str(), key.name.as_str()];
        let labels = labels.iter().chain(more).map(|label| Label::from(*label));
        out.push(Sample {
            family,
            labels: labels.collect(),
            value,
        });
    };
    let ok = |met: bool| if met { 1.0 } else { 0.0 };

    add(Family::Success, &[], ok(verdict == Verdict::Passed));
    for threshold in thresholds {
        let metric = asked.iter().find(|asked| asked.name == threshold.name);
        let metric = metric.map_or("", |asked| asked.metric.as_str());
        let severity = match threshold.severity {
            Severity::Fail => "Fail",
            Severity::Warn => "Warn",
        };
        add(
            Family::ThresholdMet,
            &[&threshold.name, metric, severity],
            ok(threshold.met),
        );
    }
    for (family, time) in [
        (Family::LastRun, finished),
        (Family::LastSuccess, last_success),
        (Family::NextRun, next_run),
    ] {
        if let Some(time) = time {
            add(family, &[], seconds(time));
        }
    }
    if let Some(progress) = progress {
        for (state, pairs) in [("measured", progress.measured), ("failed", progress.failed)] {
            add(Family::Pairs, &[state], f64::from(pairs));
        }
    }
    for suspect in suspects {
        let confirmed = if suspect.confirmed { "true" } else { "false" };
        add(Family::Suspect, &[&suspect.node, confirmed], 1.0);
    }
    out
}

/// The API keeps its integers below 2^53.
#[allow(clippy::cast_precision_loss)]
pub fn float(number: i64) -> f64 {
    number as f64
}

pub fn seconds(time: Timestamp) -> f64 {
    float(time.as_millisecond()) / 1e3
}
