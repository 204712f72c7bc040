//! What the conditions say at each stage.

use crate::{
    conditions::{Fact, Facts, State, find},
    pinning::{Pinning, pinning},
    plan::{Phase, Waiting},
    valid::ValidTest,
    validate::Refusal,
    verdict::Judgement,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::{Reason, condition, result::Verdict};
use nettest_report::digest::Digest;

fn accepted() -> Fact {
    Fact::new(
        State::True,
        Reason::Valid,
        "the spec is valid and permitted",
    )
}

fn open(reason: Reason, message: &str) -> Fact {
    Fact::new(State::Unknown, reason, message)
}

/// A test whose run does not exist yet.
pub(super) fn new_test() -> Facts {
    let pending = open(Reason::Pending, "its run is about to be made");
    Facts {
        accepted: pending.clone(),
        scheduled: pending.clone(),
        measured: pending.clone(),
        within_thresholds: pending.clone(),
        cpu_pinned: pending.clone(),
        succeeded: pending,
    }
}

pub(super) fn waiting(waiting: &Waiting) -> Facts {
    let Waiting {
        phase,
        blocked,
        message,
    } = waiting;
    let reason = phase.reason();
    let scheduled = match (phase, blocked) {
        (Phase::Running, _) => Fact::new(State::True, Reason::PodsRunning, "both pods run"),
        (_, Some(blocked)) => Fact::new(State::False, *blocked, message.clone()),
        (_, None) => open(reason, message),
    };
    Facts {
        accepted: accepted(),
        scheduled,
        measured: open(reason, message),
        within_thresholds: open(Reason::Pending, "nothing is measured yet"),
        cpu_pinned: open(Reason::Pending, "the engines have not reported yet"),
        succeeded: open(reason, message),
    }
}

pub(super) fn failed(reason: Reason, message: &str, ran: bool) -> Facts {
    let pinning_refused = matches!(
        reason,
        Reason::ExclusiveCPUNotGranted | Reason::TopologyAffinityError | Reason::SMTAlignmentError
    );
    let nothing = "nothing was measured";
    Facts {
        accepted: accepted(),
        scheduled: if ran {
            Fact::new(State::True, Reason::PodsRunning, "both pods ran")
        } else {
            Fact::new(State::False, reason, message)
        },
        measured: Fact::new(State::False, reason, message),
        within_thresholds: open(Reason::NotMeasured, nothing),
        cpu_pinned: if pinning_refused {
            Fact::new(State::False, Reason::Refused, message)
        } else {
            open(Reason::NotMeasured, nothing)
        },
        succeeded: Fact::new(State::False, reason, message),
    }
}

pub(super) fn refused(refusal: &Refusal) -> Facts {
    let (reason, message) = (refusal.reason(), refusal.to_string());
    let no = Fact::new(State::False, reason, message.clone());
    let nothing = open(Reason::NotMeasured, "nothing was measured");
    Facts {
        accepted: no.clone(),
        scheduled: no.clone(),
        measured: no.clone(),
        within_thresholds: nothing.clone(),
        cpu_pinned: nothing,
        succeeded: no,
    }
}

pub(super) fn measured(test: &ValidTest, digest: &Digest, judgement: &Judgement) -> Facts {
    let passed = judgement.verdict == Verdict::Passed;
    let missed: Vec<String> = judgement
        .thresholds
        .iter()
        .filter(|threshold| !threshold.met)
        .map(|threshold| format!("{}: {}", threshold.name, threshold.message))
        .collect();
    let missed = missed.join("; ");
    let repeats = match test.repeats.count {
        1 => "1 repeat was measured".to_owned(),
        count => format!("{count} repeats were measured"),
    };
    let within_thresholds = match (passed, judgement.thresholds.is_empty()) {
        (_, true) => Fact::new(State::True, Reason::NoThresholds, "there are no thresholds"),
        (true, _) => Fact::new(State::True, Reason::ThresholdsMet, "every threshold is met"),
        (false, _) => Fact::new(State::False, Reason::ThresholdNotMet, missed.clone()),
    };
    let cpu_pinned = match pinning(test, digest) {
        Pinning::Exclusive { message } => {
            Fact::new(State::True, Reason::ExclusiveConfirmed, message)
        }
        Pinning::Shared { message } => Fact::new(State::False, Reason::SharedPool, message),
        Pinning::Refused { message } => Fact::new(State::False, Reason::Refused, message),
    };
    Facts {
        accepted: accepted(),
        scheduled: Fact::new(State::True, Reason::PodsRunning, "both pods ran"),
        measured: Fact::new(State::True, Reason::MeasurementComplete, repeats),
        within_thresholds,
        cpu_pinned,
        succeeded: if passed {
            Fact::new(
                State::True,
                Reason::Passed,
                "measured, and within its thresholds",
            )
        } else {
            Fact::new(State::False, Reason::ThresholdNotMet, missed)
        },
    }
}

/// A run's conditions as facts, for its test.
pub(super) fn from_conditions(conditions: &[Condition]) -> Facts {
    let pending = new_test();
    let fact = |type_: &str, otherwise: Fact| -> Fact {
        let Some(found) = find(conditions, type_) else {
            return otherwise;
        };
        let state = match found.status.as_str() {
            "True" => State::True,
            "False" => State::False,
            _ => State::Unknown,
        };
        match Reason::parse(&found.reason) {
            Some(reason) => Fact::new(state, reason, found.message.clone()),
            None => otherwise,
        }
    };
    Facts {
        accepted: fact(condition::ACCEPTED, pending.accepted),
        scheduled: fact(condition::SCHEDULED, pending.scheduled),
        measured: fact(condition::MEASURED, pending.measured),
        within_thresholds: fact(condition::WITHIN_THRESHOLDS, pending.within_thresholds),
        cpu_pinned: fact(condition::CPU_PINNED, pending.cpu_pinned),
        succeeded: fact(condition::SUCCEEDED, pending.succeeded),
    }
}
