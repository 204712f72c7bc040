//! What stands on the page.

use super::cards::{Card, cards};
use super::table::{Table, pairs, results};
use super::{environment, mesh, over_time, round_trip, sweep, warnings::warnings, words};
use crate::report::{
    ReportError,
    rows::{conclusion, ended, verdict},
};
use crate::subject::Subject;
use askama::Template;
use nettest_api::{
    NetTestRunStatus,
    result::{ThresholdResult, Verdict},
    threshold::{Severity, ThresholdMetric},
};

#[derive(Debug, Template)]
#[template(path = "report.html")]
pub struct Page {
    pub name: String,
    /// passed, failed, error, open: a class of the page.
    pub class: &'static str,
    pub verdict: &'static str,
    pub reason: String,
    pub message: String,
    pub about: Vec<(String, String)>,
    pub cards: Vec<Card>,
    pub results: Table,
    pub thresholds: Vec<Threshold>,
    pub suspects: Vec<(String, String)>,
    pub diagnosis: Vec<(String, String, String)>,
    pub warnings: Vec<String>,
    pub over_time: Vec<Figure>,
    /// Of several pairs.
    pub slowest: bool,
    pub sweeps: Vec<Figure>,
    pub round_trip: Option<Figure>,
    pub meshes: Vec<mesh::Map>,
    pub pairs: Option<Table>,
    pub environment: Option<Table>,
    /// In words; empty for a spec that this release does not know.
    pub words: Vec<(&'static str, String)>,
    pub parameters: String,
    pub version: &'static str,
}

#[derive(Debug)]
pub struct Threshold {
    pub name: String,
    pub class: &'static str,
    pub word: &'static str,
    pub message: String,
    /// How far of the way, in percent of the larger of the two; and where the wanted one is.
    pub bar: Option<(i64, i64)>,
}

/// A chart, what its colours are, and its numbers.
#[derive(Debug)]
pub struct Figure {
    pub title: String,
    /// Made by our own writer, which escapes.
    pub svg: String,
    pub legend: Vec<(usize, String)>,
    pub notes: Vec<String>,
    pub table: Table,
}

impl Page {
    pub fn of(subject: &Subject) -> Result<Page, ReportError> {
        let status = subject.status();
        let (reason, message) = conclusion(subject);
        let class = match status.verdict {
            Some(Verdict::Passed) => "passed",
            Some(Verdict::Failed) => "failed",
            Some(Verdict::Error) => "error",
            None => "open",
        };
        Ok(Page {
            name: subject.name.clone(),
            class,
            verdict: verdict(subject),
            reason,
            message,
            about: about(subject, &status),
            cards: cards(&status),
            results: results(&status.results),
            thresholds: status
                .thresholds
                .iter()
                .map(|of| threshold(subject, of))
                .collect(),
            suspects: suspects(&status),
            diagnosis: status
                .diagnosis
                .iter()
                .map(|of| (of.reason.clone(), of.message.clone(), of.hint.clone()))
                .collect(),
            warnings: warnings(subject, &status),
            over_time: over_time::figures(subject),
            slowest: !subject.pairs.is_empty(),
            sweeps: sweep::figures(subject),
            round_trip: round_trip::figure(subject),
            meshes: mesh::maps(subject),
            pairs: pairs(subject),
            environment: environment::table(subject),
            words: words::words(subject),
            parameters: serde_yaml::to_string(&subject.run.spec.test)?,
            version: env!("CARGO_PKG_VERSION"),
        })
    }
}

fn about(subject: &Subject, status: &NetTestRunStatus) -> Vec<(String, String)> {
    let mut about = vec![];
    let mut add = |name: &str, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            about.push((name.to_owned(), text));
        }
    };
    add("Run", subject.run.metadata.name.clone());
    match &subject.namespace {
        Some(namespace) => add("Namespace", Some(namespace.clone())),
        None => add("Measured on", Some("this machine".to_owned())),
    }
    add("Ended", ended(&status.finish_time));
    if let Some(pair) = status.pair.as_ref().filter(|_| status.progress.is_none()) {
        let end = |end: &nettest_api::result::EndpointStatus| {
            let zone = end
                .zone
                .as_ref()
                .map_or_else(String::new, |zone| format!(" ({zone})"));
            let address = end
                .address
                .as_ref()
                .map_or_else(String::new, |at| format!(", {at}"));
            format!("{}{zone}{address}", end.node)
        };
        add("Client", Some(end(&pair.client)));
        add("Server", Some(end(&pair.server)));
    }
    if let Some(progress) = &status.progress {
        add("Pairs", Some(crate::show::pairs::progress(progress)));
    }
    about
}

fn threshold(subject: &Subject, of: &ThresholdResult) -> Threshold {
    let mut asked = subject.run.spec.test.thresholds.iter();
    let metric = asked
        .find(|asked| asked.name == of.name)
        .map(|asked| asked.metric);
    let (class, word) = match (of.met, of.severity) {
        (true, _) => ("met", "met"),
        (false, Severity::Fail) => ("missed", "missed"),
        (false, Severity::Warn) => ("warned", "missed, a warning only"),
    };
    // Of throughput more is better; of the rest the bar fills towards the limit.
    let bar = of
        .observed
        .zip(of.wanted)
        .filter(|_| metric.is_some())
        .map(|(observed, wanted)| {
            let most = observed.max(wanted).max(1);
            let share = |value: i64| {
                i64::try_from(i128::from(value.max(0)) * 100 / i128::from(most)).unwrap_or(0)
            };
            (share(observed), share(wanted))
        });
    let bar =
        bar.filter(|_| metric != Some(ThresholdMetric::Retransmits) || of.observed != Some(0));
    Threshold {
        name: of.name.clone(),
        class,
        word,
        message: of.message.clone(),
        bar,
    }
}

fn suspects(status: &NetTestRunStatus) -> Vec<(String, String)> {
    let one = |suspect: &nettest_api::result::Suspect| {
        let word = if suspect.confirmed {
            "bad node"
        } else {
            "suspect"
        };
        (format!("{word} {}", suspect.node), suspect.message.clone())
    };
    status.suspects.iter().map(one).collect()
}
