//! What stands on the page.

use super::{environment, mesh, over_time, sweep};
use crate::report::rows::ended;
use crate::report::{
    ReportError,
    rows::{conclusion, verdict, worst_first},
    svg::scale::unit,
};
use crate::show::figures::{cpu, flow, micros, percent, rate};
use crate::subject::Subject;
use askama::Template;
use nettest_api::{
    NetTestRunStatus,
    result::{ThresholdResult, VariantResult, Verdict},
    threshold::{Severity, ThresholdMetric},
};

/// Rows of the pairs' table; the other reports have all.
const MOST_PAIRS: usize = 500;
/// Percent of the median from which on a spread is worth a word.
const WIDE: i64 = 20;

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
    pub sweeps: Vec<Figure>,
    pub meshes: Vec<mesh::Map>,
    pub pairs: Option<Table>,
    pub environment: Option<Table>,
    pub parameters: String,
    pub version: &'static str,
}

/// A figure in large.
#[derive(Debug)]
pub struct Card {
    pub label: String,
    pub value: String,
    pub note: String,
}

#[derive(Debug, Default)]
pub struct Table {
    pub caption: String,
    pub head: Vec<Head>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Debug)]
pub struct Head {
    pub name: &'static str,
    pub right: bool,
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
            sweeps: sweep::figures(subject),
            meshes: mesh::maps(subject),
            pairs: pairs(subject),
            environment: environment::table(subject),
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

fn cards(status: &NetTestRunStatus) -> Vec<Card> {
    let mut cards = vec![];
    let Some(first) = status.results.first() else {
        return cards;
    };
    let several = status.progress.is_some();
    let of = if several {
        "median over the pairs"
    } else {
        "median of the repeats"
    };
    for result in status
        .results
        .iter()
        .take(if status.results.len() == 2 { 2 } else { 1 })
    {
        let spread = &result.throughput_bits_per_second;
        cards.push(Card {
            label: format!("{}, {}", result.variant, flow(result.flow)),
            value: rate(spread.median).unwrap_or_default(),
            note: format!(
                "{of}; {} to {}",
                rate(spread.min).unwrap_or_default(),
                rate(spread.max).unwrap_or_default()
            ),
        });
    }
    let mut add = |label: &str, value: Option<String>, note: &str| {
        if let Some(value) = value {
            cards.push(Card {
                label: label.to_owned(),
                value,
                note: note.to_owned(),
            });
        }
    };
    add(
        "Spread",
        Some(format!(
            "{} %",
            first.throughput_bits_per_second.spread_percent
        )),
        "(max - min) / median",
    );
    add(
        "Round-trip time",
        first.rtt_microseconds.map(micros),
        "mean, smoothed",
    );
    add(
        "Retransmits",
        first.retransmits.map(|count| count.to_string()),
        "segments, median repeat",
    );
    add("Loss", first.loss_ppm.map(percent), "of the datagrams");
    add("Jitter", first.jitter_microseconds.map(micros), "RFC 1889");
    cards
}

type Cell = fn(&VariantResult) -> Option<String>;

const RESULTS: [(&str, bool, Cell); 17] = [
    ("Variant", false, |r| Some(r.variant.clone())),
    ("Flow", false, |r| Some(flow(r.flow).to_owned())),
    ("Path", false, |r| Some(r.path.as_str().to_owned())),
    ("Throughput", true, |r| {
        rate(r.throughput_bits_per_second.median)
    }),
    ("Min", true, |r| rate(r.throughput_bits_per_second.min)),
    ("Max", true, |r| rate(r.throughput_bits_per_second.max)),
    ("Spread", true, |r| {
        Some(format!("{} %", r.throughput_bits_per_second.spread_percent))
    }),
    ("Retr.", true, |r| {
        r.retransmits.map(|count| count.to_string())
    }),
    ("RTT", true, |r| r.rtt_microseconds.map(micros)),
    ("RTT p50", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p50))
    }),
    ("p90", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p90))
    }),
    ("p99", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p99))
    }),
    ("Loss", true, |r| r.loss_ppm.map(percent)),
    ("Jitter", true, |r| r.jitter_microseconds.map(micros)),
    ("Client CPU", true, |r| r.client_cpu_milli.map(cpu)),
    ("Server CPU", true, |r| r.server_cpu_milli.map(cpu)),
    ("Repeats", true, |r| Some(r.repeats.to_string())),
];

/// Columns that nothing has a value for are left out.
fn results(results: &[VariantResult]) -> Table {
    let columns = RESULTS
        .iter()
        .filter(|(_, _, cell)| results.iter().any(|result| cell(result).is_some()));
    let columns: Vec<_> = columns.collect();
    let row = |result| {
        columns
            .iter()
            .map(|(_, _, cell)| cell(result).unwrap_or_else(none))
            .collect()
    };
    Table {
        caption: "Results".to_owned(),
        head: columns
            .iter()
            .map(|(name, right, _)| Head {
                name,
                right: *right,
            })
            .collect(),
        rows: results.iter().map(row).collect(),
    }
}

pub fn none() -> String {
    "–".to_owned()
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

fn warnings(subject: &Subject, status: &NetTestRunStatus) -> Vec<String> {
    let mut warnings = vec![];
    if status.documents.as_ref().is_some_and(|kept| kept.truncated) {
        warnings.push(
            "Not all documents could be kept; the figures are whole all the same.".to_owned(),
        );
    }
    if subject.measurements.iter().any(|of| of.measurement.thinned) {
        warnings.push("Some rows of single streams or intervals were left out of the documents to keep them small.".to_owned());
    }
    if subject.measurements.is_empty() && !status.results.is_empty() {
        warnings.push(
            "No documents are at hand, so there is no throughput over time and no environment."
                .to_owned(),
        );
    }
    let wide = |result: &&VariantResult| result.throughput_bits_per_second.spread_percent > WIDE;
    let wide: Vec<String> = status
        .results
        .iter()
        .filter(wide)
        .map(|result| {
            let spread = result.throughput_bits_per_second.spread_percent;
            format!("{} ({spread} %)", result.variant)
        })
        .collect();
    if !wide.is_empty() && status.progress.is_none() {
        warnings.push(format!(
            "The repeats differ by more than {WIDE} %, and more or longer ones would tell more: {}.",
            wide.join(", ")
        ));
    }
    warnings
}

fn pairs(subject: &Subject) -> Option<Table> {
    if subject.pairs.is_empty() {
        return None;
    }
    let mut all = worst_first(subject);
    let more = all.len().saturating_sub(MOST_PAIRS);
    all.truncate(MOST_PAIRS);
    let row = |row: crate::report::rows::Row<'_>| {
        let result = row.result;
        let of =
            |cell: fn(&VariantResult) -> Option<String>| result.and_then(cell).unwrap_or_else(none);
        let second = if row.second_pass { "second pass" } else { "" };
        vec![
            row.client,
            row.server,
            of(|result| Some(result.variant.clone())),
            of(|result| Some(flow(result.flow).to_owned())),
            of(|result| rate(result.throughput_bits_per_second.median)),
            of(|result| result.retransmits.map(|count| count.to_string())),
            of(|result| result.rtt_microseconds.map(micros)),
            if row.reason.is_empty() {
                second.to_owned()
            } else {
                row.reason
            },
        ]
    };
    let head = [
        ("Client", false),
        ("Server", false),
        ("Variant", false),
        ("Flow", false),
        ("Throughput", true),
        ("Retr.", true),
        ("RTT", true),
        ("", false),
    ];
    let caption = match more {
        0 => "Pairs, worst first".to_owned(),
        more => format!("Pairs, worst first; {more} more rows are in the CSV report"),
    };
    Some(Table {
        caption,
        head: head.map(|(name, right)| Head { name, right }).into(),
        rows: all.into_iter().map(row).collect(),
    })
}

/// The numbers of a chart: x, and a column a series.
pub fn numbers(
    caption: String,
    axis: &'static str,
    xs: &[String],
    series: &[(String, Vec<Option<f64>>)],
) -> Table {
    let all = series
        .iter()
        .flat_map(|(_, values)| values.iter().flatten());
    let (unit, divide) = unit(all.copied().fold(0.0, f64::max));
    let cell =
        |value: &Option<f64>| value.map_or_else(none, |value| format!("{:.2}", value / divide));
    let rows = xs.iter().enumerate().map(|(index, x)| {
        let values = series
            .iter()
            .map(|(_, values)| values.get(index).map_or_else(none, cell));
        std::iter::once(x.clone()).chain(values).collect()
    });
    let mut head = vec![Head {
        name: axis,
        right: true,
    }];
    head.extend(series.iter().map(|_| Head {
        name: "",
        right: true,
    }));
    let names = std::iter::once(String::new())
        .chain(series.iter().map(|(name, _)| format!("{name}, {unit}")));
    Table {
        caption,
        head,
        rows: std::iter::once(names.collect()).chain(rows).collect(),
    }
}
