//! One finished test for people: rows, results, thresholds, verdict.

use super::{colour::Colour, results::table, rows::rows};
use nettest_api::{NetTest, condition};
use nettest_report::event::Measurement;
use std::fmt::Write;

/// More rows than this push the result off the screen: then only the totals of each repeat are shown.
const MOST_ROWS: usize = 40;

/// `measurements` are empty where the documents are not at hand (a cluster).
pub fn text(test: &NetTest, measurements: &[Measurement], wide: bool) -> String {
    render(test, measurements, wide, Colour::of_stdout())
}

fn render(test: &NetTest, measurements: &[Measurement], wide: bool, colour: Colour) -> String {
    let mut out = String::new();
    let all: usize = measurements
        .iter()
        .map(|measurement| {
            measurement.report["intervals"]
                .as_array()
                .map_or(0, Vec::len)
        })
        .sum();
    let intervals = wide || all <= MOST_ROWS;
    for measurement in measurements {
        let _ = writeln!(
            out,
            "{}, repeat {}: {}",
            measurement.variant,
            measurement.repeat,
            rows(&measurement.report, intervals)
        );
    }
    if !intervals {
        out += "(every interval: -o wide)\n\n";
    }
    let Some(status) = &test.status else {
        return out;
    };
    if !status.results.is_empty() {
        out += &table(&status.results, wide);
        out.push('\n');
    }
    for threshold in &status.thresholds {
        let met = if threshold.met { "met" } else { "MISSED" };
        let _ = writeln!(
            out,
            "threshold {} {met}: {}",
            threshold.name, threshold.message
        );
    }
    let name = test.metadata.name.as_deref().unwrap_or_default();
    let succeeded = status
        .conditions
        .iter()
        .find(|condition| condition.type_ == condition::SUCCEEDED);
    let reason = succeeded.map_or("", |condition| condition.reason.as_str());
    let message = succeeded.map_or("", |condition| condition.message.as_str());
    match status.verdict {
        Some(verdict) => {
            let _ = write!(out, "{name}: {} ({reason})", colour.verdict(verdict));
        }
        None => {
            let _ = write!(out, "{name}: no verdict yet ({reason})");
        }
    }
    if !message.is_empty() {
        let _ = write!(out, " {message}");
    }
    out.push('\n');
    out
}
