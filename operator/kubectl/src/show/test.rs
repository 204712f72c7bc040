//! One finished test for people: rows, results, thresholds, diagnosis, verdict.

use super::{colour::Colour, results::table, rows::rows};
use nettest_api::{NetTest, condition, result::Verdict};
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
    for diagnosis in &status.diagnosis {
        let _ = writeln!(
            out,
            "why: {}: {}; {}",
            diagnosis.reason, diagnosis.message, diagnosis.hint
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
        Some(Verdict::Passed) => {
            let _ = write!(out, "{name}: {}", colour.verdict(Verdict::Passed));
        }
        Some(verdict) => {
            let _ = write!(out, "{name}: {} ({reason})", colour.verdict(verdict));
        }
        None => {
            let _ = write!(out, "{name}: no verdict yet ({reason})");
        }
    }
    // Missed thresholds are said above, one a line.
    if !message.is_empty() && status.verdict != Some(Verdict::Failed) {
        let _ = write!(out, ": {message}");
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(status: &str) -> String {
        let head = "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: a}\nspec: {}\nstatus: ";
        let test: NetTest = serde_yaml::from_str(&format!("{head}{status}")).unwrap();
        render(&test, &[], false, Colour::none())
    }

    fn status(verdict: &str, state: &str, reason: &str, more: &str) -> String {
        format!(
            "{{verdict: {verdict}, conditions: [{{type: Succeeded, status: '{state}', reason: {reason}, message: said, lastTransitionTime: '2026-01-01T00:00:00Z'}}]{more}}}"
        )
    }

    #[test]
    fn the_verdict_is_the_last_line() {
        assert_eq!(
            shown(&status("Passed", "True", "Passed", "")),
            "a: PASSED: said\n"
        );
        assert_eq!(
            shown(&status("Error", "False", "PeerUnreachable", "")),
            "a: ERROR (PeerUnreachable): said\n"
        );
        let missed = ", thresholds: [{name: t, met: false, message: too little}]";
        assert_eq!(
            shown(&status("Failed", "False", "ThresholdNotMet", missed)),
            "threshold t MISSED: too little\na: FAILED (ThresholdNotMet)\n"
        );
        let why = format!(
            "{missed}, diagnosis: [{{reason: PacingLimited, message: it was so, hint: do that}}]"
        );
        assert_eq!(
            shown(&status("Failed", "False", "ThresholdNotMet", &why)),
            "threshold t MISSED: too little\nwhy: PacingLimited: it was so; do that\na: FAILED (ThresholdNotMet)\n"
        );
    }

    #[test]
    fn every_interval_of_few_and_the_totals_of_many() {
        let measurement = |intervals: usize| Measurement {
            run: "u".into(),
            attempt: 1,
            variant: "tcp-p1".into(),
            repeat: 1,
            thinned: false,
            report: serde_json::json!({"intervals": vec![serde_json::json!({"sum": {"omitted": true}}); intervals]}),
        };
        let test = NetTest::new("a", nettest_api::NetTestSpec::default());
        let rows = |intervals, wide| {
            let text = render(&test, &[measurement(intervals)], wide, Colour::none());
            (text.matches("(omitted)").count(), text.contains("-o wide"))
        };
        assert_eq!(rows(MOST_ROWS, false), (MOST_ROWS, false));
        assert_eq!(rows(MOST_ROWS + 1, false), (0, true));
        assert_eq!(rows(MOST_ROWS + 1, true), (MOST_ROWS + 1, false));
    }
}
