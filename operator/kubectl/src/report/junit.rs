//! For CI: a testsuite a test; a testcase that it was measured, and one a threshold.

use super::{
    ReportError,
    rows::{conclusion, verdict},
};
use crate::subject::Subject;
use nettest_api::{result::Verdict, threshold::Severity};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

pub fn junit(subject: &Subject) -> Result<String, ReportError> {
    let status = subject.status();
    let mut suite = TestSuite::new(subject.name.clone());
    let (reason, message) = conclusion(subject);
    let lost = status.progress.map_or(0, |progress| progress.failed);
    let measured = match status.verdict {
        Some(Verdict::Passed | Verdict::Failed) if lost == 0 => TestCaseStatus::success(),
        Some(Verdict::Passed | Verdict::Failed) => {
            let all = status.progress.map_or(0, |progress| progress.pairs);
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failure
                .set_type("NotMeasured")
                .set_message(format!("{lost} of {all} pairs could not be measured"));
            failure
        }
        _ => {
            let mut error = TestCaseStatus::non_success(NonSuccessKind::Error);
            error.set_type(reason.clone()).set_message(message.clone());
            error
        }
    };
    let mut case = TestCase::new("measured", measured);
    case.set_classname(subject.name.clone());
    if status.verdict.is_none() {
        case.set_system_out(format!("{}: {message}", verdict(subject)));
    }
    suite.add_test_case(case);
    for threshold in &status.thresholds {
        let missed = !threshold.met && threshold.severity == Severity::Fail;
        let how = if missed {
            let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            failure
                .set_type("ThresholdNotMet")
                .set_message(threshold.message.clone());
            failure
        } else {
            TestCaseStatus::success()
        };
        let mut case = TestCase::new(format!("threshold {}", threshold.name), how);
        case.set_classname(subject.name.clone());
        let warned = if threshold.met || missed {
            ""
        } else {
            "a warning only: "
        };
        case.set_system_out(format!("{warned}{}", threshold.message));
        suite.add_test_case(case);
    }
    // What fails a test without a threshold: unstable.
    let has_missed = lost > 0
        || status
            .thresholds
            .iter()
            .any(|t| !t.met && t.severity == Severity::Fail);
    if status.verdict == Some(Verdict::Failed) && !has_missed {
        let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failure.set_type(reason).set_message(message);
        let mut case = TestCase::new("verdict", failure);
        case.set_classname(subject.name.clone());
        suite.add_test_case(case);
    }
    let mut report = Report::new("nettest");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}
