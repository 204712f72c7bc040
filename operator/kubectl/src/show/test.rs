//! One finished test for people: rows, results, thresholds, pairs, diagnosis, verdict.

use super::grid::{Extent, Grid};
use super::results::table;
use super::{pairs, rows::rows, screen::Screen};
use nettest_api::result::{ThresholdResult, Verdict};
use nettest_api::threshold::Severity;
use nettest_api::{NetTest, NetTestRun, NetTestStatus, condition};
use nettest_core::conditions::find;
use nettest_report::event::Measurement;
use std::fmt::Write;

/// More rows than this push the result off the screen: then only the totals of each repeat are shown, and of more
/// repeats than fit in as many rows nothing but the result.
const MOST_ROWS: usize = 40;
/// Of a repeat: what it is, the head, the two totals.
const ROWS_OF_TOTALS: usize = 4;

/// A test that has ended, and what else is at hand.
#[derive(Debug)]
pub struct Ended {
    pub test: NetTest,
    /// The documents of its repeats: on this machine.
    pub measurements: Vec<Measurement>,
    /// Its run: in a cluster, where it has several pairs.
    pub run: Option<NetTestRun>,
}

pub fn text(ended: &Ended, wide: bool) -> String {
    render(ended, wide, Screen::of_stdout())
}

fn render(ended: &Ended, wide: bool, screen: Screen) -> String {
    let Ended {
        test,
        measurements,
        run,
    } = ended;
    let mut out = repeats(measurements, wide);
    let Some(status) = &test.status else {
        return out;
    };
    let extent = Extent {
        wide,
        width: screen.width,
    };
    let mut is_cut = false;
    let mut add = |grid: Grid| {
        is_cut |= grid.is_cut;
        if !grid.text.is_empty() {
            out += &grid.text;
            out.push('\n');
        }
    };
    add(table(&status.results, extent));
    let run_status = run.as_ref().and_then(|run| run.status.as_ref());
    let worst = run_status.map_or(&[][..], |status| status.pairs.as_slice());
    add(pairs::worst(worst, extent));
    if is_cut {
        out += "(this terminal is too narrow for every column: -o wide)\n\n";
    }
    if let Some(progress) = &status.progress {
        let _ = writeln!(out, "{}", pairs::progress(progress));
    }
    if let Some(rest) = run.as_ref().and_then(pairs::rest) {
        out += &rest;
    }
    out += &pairs::suspects(&status.suspects);
    for threshold in &status.thresholds {
        let _ = writeln!(
            out,
            "threshold {} {}: {}",
            threshold.name,
            went(threshold),
            threshold.message
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
    let _ = writeln!(out, "{name}: {}", conclusion(status, screen));
    out
}

/// The rows of each repeat, as many as a screen takes.
fn repeats(measurements: &[Measurement], wide: bool) -> String {
    let intervals: usize = measurements
        .iter()
        .map(|measurement| {
            measurement.report["intervals"]
                .as_array()
                .map_or(0, Vec::len)
        })
        .sum();
    if !wide && measurements.len() * ROWS_OF_TOTALS > MOST_ROWS {
        return "(every repeat: -o wide)\n\n".to_owned();
    }
    let intervals = wide || intervals <= MOST_ROWS;
    let mut out = String::new();
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
    out
}

fn went(threshold: &ThresholdResult) -> &'static str {
    match (threshold.met, threshold.severity) {
        (true, _) => "met",
        (false, Severity::Fail) => "MISSED",
        (false, Severity::Warn) => "MISSED (a warning only)",
    }
}

/// The verdict, and of its message what has not been said above.
fn conclusion(status: &NetTestStatus, screen: Screen) -> String {
    let succeeded = find(&status.conditions, condition::SUCCEEDED);
    let reason = succeeded.map_or("", |condition| condition.reason.as_str());
    let message = succeeded.map_or("", |condition| condition.message.as_str());
    let verdict = match status.verdict {
        Some(Verdict::Passed) => screen.colour.verdict(Verdict::Passed),
        Some(verdict) => format!("{} ({reason})", screen.colour.verdict(verdict)),
        None => format!("no verdict yet ({reason})"),
    };
    let message = match status.verdict {
        Some(Verdict::Failed) => not_said_yet(status, message),
        _ => message.to_owned(),
    };
    if message.is_empty() {
        return verdict;
    }
    format!("{verdict}: {message}")
}

/// A message without the missed thresholds and the suspects, which have lines of their own.
fn not_said_yet(status: &NetTestStatus, message: &str) -> String {
    let mut rest = message.to_owned();
    let thresholds = status
        .thresholds
        .iter()
        .map(|threshold| format!("{}: {}", threshold.name, threshold.message));
    let suspects = status.suspects.iter();
    for said in thresholds.chain(suspects.map(|suspect| suspect.message.clone())) {
        rest = rest.replacen(&said, "", 1);
    }
    rest.split("; ")
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(test: NetTest, measurements: Vec<Measurement>, wide: bool) -> String {
        let ended = Ended {
            test,
            measurements,
            run: None,
        };
        render(&ended, wide, Screen::plain(None))
    }

    fn shown(status: &str) -> String {
        let head = "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: a}\nspec: {}\nstatus: ";
        let test: NetTest = serde_yaml::from_str(&format!("{head}{status}")).unwrap();
        plain(test, vec![], false)
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
    }

    #[test]
    fn what_has_a_line_of_its_own_is_not_said_twice() {
        let failed = |reason: &str, message: &str, more: &str| {
            let status = status("Failed", "False", reason, more);
            shown(&status.replace("message: said", &format!("message: '{message}'")))
        };
        let missed = ", thresholds: [{name: t, met: false, message: too little}]";
        let line = "threshold t MISSED: too little\n";
        assert_eq!(
            failed("ThresholdNotMet", "t: too little", missed),
            format!("{line}a: FAILED (ThresholdNotMet)\n")
        );
        let why = format!(
            "{missed}, diagnosis: [{{reason: PacingLimited, message: it was so, hint: do that}}]"
        );
        assert_eq!(
            failed("ThresholdNotMet", "t: too little", &why),
            format!("{line}why: PacingLimited: it was so; do that\na: FAILED (ThresholdNotMet)\n")
        );
        assert_eq!(
            failed("Unstable", "tcp-p1: a spread of 40 %", ""),
            "a: FAILED (Unstable): tcp-p1: a spread of 40 %\n"
        );
        assert_eq!(
            failed(
                "ThresholdNotMet",
                "t: too little; tcp-p1: a spread of 40 %",
                missed
            ),
            format!("{line}a: FAILED (ThresholdNotMet): tcp-p1: a spread of 40 %\n")
        );
    }

    #[test]
    fn a_warning_is_marked_and_the_test_passes() {
        let missed = ", thresholds: [{name: t, met: false, severity: Warn, message: too little}]";
        assert_eq!(
            shown(&status("Passed", "True", "Passed", missed)),
            "threshold t MISSED (a warning only): too little\na: PASSED: said\n"
        );
    }

    #[test]
    fn a_mesh_has_its_summary_its_worst_pairs_and_where_the_rest_is() {
        let test: NetTest = serde_yaml::from_str(include_str!("test/mesh.yaml")).unwrap();
        let run: NetTestRun = serde_yaml::from_str(include_str!("test/mesh-run.yaml")).unwrap();
        let ended = Ended {
            test,
            measurements: vec![],
            run: Some(run),
        };
        let text = render(&ended, false, Screen::plain(Some(100)));
        insta::assert_snapshot!(text);
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
        let rows = |intervals, wide| {
            let test = NetTest::new("a", nettest_api::NetTestSpec::default());
            let text = plain(test, vec![measurement(intervals)], wide);
            (text.matches("(omitted)").count(), text.contains("-o wide"))
        };
        assert_eq!(rows(MOST_ROWS, false), (MOST_ROWS, false));
        assert_eq!(rows(MOST_ROWS + 1, false), (0, true));
        assert_eq!(rows(MOST_ROWS + 1, true), (MOST_ROWS + 1, false));
        let many = |wide| {
            let test = NetTest::new("a", nettest_api::NetTestSpec::default());
            plain(test, vec![measurement(1); MOST_ROWS], wide)
        };
        assert_eq!(many(false), "(every repeat: -o wide)\n\n");
        assert_eq!(many(true).matches("(omitted)").count(), MOST_ROWS);
    }
}
