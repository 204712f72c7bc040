//! The verdict of a run, and every reason and figure behind it, in sentences.

use super::{pairs, screen::Screen};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::{
    NetTestRun, NetTestRunStatus, condition,
    diagnosis::Diagnosis,
    result::{PairResult, Progress, Suspect, ThresholdResult, Verdict},
    threshold::Severity,
};
use nettest_core::conditions::find;
use serde::Serialize;
use std::fmt::Write;

/// Where each reason has its cause and remedy.
const REASONS: &str = "docs/reasons.md";

/// Pairs that people are shown.
const MOST_PAIRS: usize = 10;

/// It could not be measured, or missed a threshold.
fn is_bad(pair: &PairResult) -> bool {
    pair.reason.is_some() || !pair.missed.is_empty()
}

/// For programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Why<'a> {
    run: &'a str,
    verdict: Option<Verdict>,
    reason: Option<&'a str>,
    message: Option<&'a str>,
    /// How far it is, while it goes on.
    going: Option<&'a str>,
    conditions: &'a [Condition],
    thresholds: &'a [ThresholdResult],
    progress: Option<&'a Progress>,
    /// Those that went wrong.
    pairs: Vec<&'a PairResult>,
    suspects: &'a [Suspect],
    diagnosis: &'a [Diagnosis],
}

impl<'a> Why<'a> {
    pub fn of(run: &'a NetTestRun, going: Option<&'a str>) -> Why<'a> {
        let status = run.status.as_ref();
        let conditions = status.map_or(&[][..], |status| &status.conditions);
        let succeeded = find(conditions, condition::SUCCEEDED);
        let rows = status.map_or(&[][..], |status| &status.pairs);
        Why {
            run: run.metadata.name.as_deref().unwrap_or_default(),
            verdict: status.and_then(|status| status.verdict),
            reason: succeeded.map(|condition| condition.reason.as_str()),
            message: succeeded.map(|condition| condition.message.as_str()),
            going,
            conditions,
            thresholds: status.map_or(&[], |status| &status.thresholds),
            progress: status.and_then(|status| status.progress.as_ref()),
            pairs: rows.iter().filter(|row| is_bad(row)).collect(),
            suspects: status.map_or(&[], |status| &status.suspects),
            diagnosis: status.map_or(&[], |status| &status.diagnosis),
        }
    }
}

/// `far`: how far it is, while it goes on.
pub fn text(run: &NetTestRun, far: Option<&str>, screen: Screen) -> String {
    let name = run.metadata.name.as_deref().unwrap_or_default();
    let Some(status) = &run.status else {
        return format!("{name}: no operator has looked at it yet\n");
    };
    let mut out = String::new();
    let verdict = match status.verdict {
        Some(verdict) => screen.colour.verdict(verdict),
        None => "not ended".to_owned(),
    };
    let succeeded = match status.verdict {
        // The verdict is its reason.
        Some(Verdict::Passed) => message(status, condition::SUCCEEDED),
        _ => said(status, condition::SUCCEEDED),
    };
    let said = far.map(str::to_owned).or(succeeded);
    let _ = writeln!(out, "{name}: {verdict}{}", after(said.as_deref()));
    conditions(&mut out, status);
    thresholds(&mut out, &status.thresholds);
    if let Some(progress) = &status.progress {
        let _ = writeln!(out, "\npairs: {}", pairs::progress(progress));
    }
    let bad: Vec<&PairResult> = status.pairs.iter().filter(|pair| is_bad(pair)).collect();
    for pair in bad.iter().take(MOST_PAIRS) {
        let what = match &pair.reason {
            Some(reason) => format!("{reason}{}", after(pair.message.as_deref())),
            None => format!("missed {}", pair.missed.join(", ")),
        };
        let _ = writeln!(out, "  {} -> {}: {what}", pair.client, pair.server);
    }
    if bad.len() > MOST_PAIRS {
        let more = bad.len() - MOST_PAIRS;
        let _ = writeln!(
            out,
            "  and {more} more: kubectl nettest report has every pair"
        );
    }
    out += &pairs::suspects(&status.suspects);
    if !status.diagnosis.is_empty() {
        out += "\nwhat held the throughput:\n";
    }
    for diagnosis in &status.diagnosis {
        let _ = writeln!(
            out,
            "  {}: {}\n    to do: {}",
            diagnosis.reason, diagnosis.message, diagnosis.hint
        );
    }
    next(&mut out, status);
    out
}

fn after(text: Option<&str>) -> String {
    match text {
        Some(text) if !text.is_empty() => format!(": {text}"),
        _ => String::new(),
    }
}

fn message(status: &NetTestRunStatus, kind: &str) -> Option<String> {
    let condition = find(&status.conditions, kind)?;
    Some(condition.message.clone())
}

/// Reason and message of a condition.
fn said(status: &NetTestRunStatus, kind: &str) -> Option<String> {
    let condition = find(&status.conditions, kind)?;
    Some(format!("{}: {}", condition.reason, condition.message))
}

/// Those that are not as one would wish. Without a verdict all that is not known yet would be one of them.
fn conditions(out: &mut String, status: &NetTestRunStatus) {
    let told = [condition::SUCCEEDED, condition::COMPLETE];
    let bad = status.conditions.iter().filter(|condition| {
        condition.status == "False" && !told.contains(&condition.type_.as_str())
    });
    // Shared CPUs are what most tests ask for.
    let bad: Vec<_> = bad
        .filter(|condition| condition.reason != "SharedPool")
        .collect();
    if bad.is_empty() {
        return;
    }
    out.push_str("\nnot as wanted:\n");
    for condition in bad {
        let _ = writeln!(
            out,
            "  {}: {}: {}",
            condition.type_, condition.reason, condition.message
        );
    }
}

fn thresholds(out: &mut String, thresholds: &[ThresholdResult]) {
    if thresholds.is_empty() {
        return;
    }
    out.push_str("\nthresholds:\n");
    for threshold in thresholds {
        let word = match (threshold.met, threshold.severity) {
            (true, _) => "met",
            (false, Severity::Fail) => "MISSED",
            (false, Severity::Warn) => "MISSED (a warning only)",
        };
        let _ = writeln!(out, "  {} {word}: {}", threshold.name, threshold.message);
    }
}

fn next(out: &mut String, status: &NetTestRunStatus) {
    let Some(succeeded) = find(&status.conditions, condition::SUCCEEDED) else {
        return;
    };
    if status.verdict == Some(Verdict::Passed) {
        return;
    }
    let anchor = succeeded.reason.to_ascii_lowercase();
    let _ = writeln!(out, "\ncause and remedy: {REASONS}#{anchor}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(status: &str, far: Option<&str>) -> String {
        let head = "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {name: a-1}\nspec: {test: {}}\nstatus: ";
        let run: NetTestRun = serde_yaml::from_str(&format!("{head}{status}")).unwrap();
        text(&run, far, Screen::plain(None))
    }

    fn condition(kind: &str, status: &str, reason: &str, message: &str) -> String {
        format!(
            "{{type: {kind}, status: '{status}', reason: {reason}, message: '{message}', lastTransitionTime: '2026-01-01T00:00:00Z'}}"
        )
    }

    #[test]
    fn a_missed_threshold_has_its_figures_its_cause_and_what_to_do() {
        let conditions = [
            condition(
                "Succeeded",
                "False",
                "ThresholdNotMet",
                "line-rate: 4.2 Gbit/s, at least 9 Gbit/s asked",
            ),
            condition("WithinThresholds", "False", "ThresholdNotMet", "line-rate"),
            condition("CPUPinned", "False", "SharedPool", "shared"),
        ];
        let text = shown(
            &format!(
                "{{verdict: Failed, conditions: [{}], thresholds: [{{name: line-rate, met: false, message: 4.2 Gbit/s}}], \
                 suspects: [{{node: node3, confirmed: true, badPairs: 2, goodPairs: 0, message: failed against node1}}], \
                 diagnosis: [{{reason: PacingLimited, message: bbr without fq, hint: take cubic}}]}}",
                conditions.join(", ")
            ),
            None,
        );
        assert_eq!(
            text,
            "a-1: FAILED: ThresholdNotMet: line-rate: 4.2 Gbit/s, at least 9 Gbit/s asked\n\n\
             not as wanted:\n  WithinThresholds: ThresholdNotMet: line-rate\n\n\
             thresholds:\n  line-rate MISSED: 4.2 Gbit/s\n\
             bad node node3: failed against node1\n\n\
             what held the throughput:\n  PacingLimited: bbr without fq\n    to do: take cubic\n\n\
             cause and remedy: docs/reasons.md#thresholdnotmet\n"
        );
    }

    #[test]
    fn a_run_that_goes_on_says_what_it_waits_for() {
        let waits = condition("Succeeded", "Unknown", "Queued", "number 2 in line");
        let text = shown(
            &format!("{{conditions: [{waits}]}}"),
            Some("Queued: number 2 in line"),
        );
        assert!(
            text.starts_with("a-1: not ended: Queued: number 2 in line\n"),
            "{text}"
        );
        let passed = condition("Succeeded", "True", "Passed", "well");
        let text = shown(
            &format!("{{verdict: Passed, conditions: [{passed}]}}"),
            None,
        );
        assert_eq!(text, "a-1: PASSED: well\n");
    }
}
