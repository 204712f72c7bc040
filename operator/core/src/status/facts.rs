//! What the conditions say at each stage.

use crate::{
    conditions::{Fact, Facts, State, find},
    ledger::PairRecord,
    pinning::{Pinning, pinning},
    plan::{Many, Phase, Waiting},
    valid::ValidTest,
    validate::Refusal,
    verdict::Judgement,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::{
    Reason, condition,
    endpoint::CpuMode,
    result::{PairState, VariantResult, Verdict},
    threshold::Severity,
};
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

pub(super) fn measured(
    test: &ValidTest,
    digest: &Digest,
    results: &[VariantResult],
    judgement: &Judgement,
) -> Facts {
    let counts = results.iter().map(|result| result.repeats);
    let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    let repeats = match (least, most) {
        (1, 1) => "1 repeat was measured".to_owned(),
        (least, most) if least == most => format!("{most} repeats were measured"),
        (least, most) => format!("{least} to {most} repeats of each variant were measured"),
    };
    let cpu_pinned = match pinning(test, digest) {
        Pinning::Exclusive { message } => {
            Fact::new(State::True, Reason::ExclusiveConfirmed, message)
        }
        Pinning::Shared { message } => Fact::new(State::False, Reason::SharedPool, message),
        Pinning::Refused { message } | Pinning::FellBack { message } => {
            Fact::new(State::False, Reason::Refused, message)
        }
    };
    Facts {
        accepted: accepted(),
        scheduled: Fact::new(State::True, Reason::PodsRunning, "both pods ran"),
        measured: Fact::new(State::True, Reason::MeasurementComplete, repeats),
        within_thresholds: within_thresholds(judgement),
        cpu_pinned,
        succeeded: succeeded(judgement, "measured"),
    }
}

/// A missed threshold that only warns is in the message: the test passes.
fn within_thresholds(judgement: &Judgement) -> Fact {
    let (missed, warned) = (
        judgement.missed(Severity::Fail),
        judgement.missed(Severity::Warn),
    );
    match (missed.is_empty(), warned.is_empty()) {
        (false, _) => Fact::new(State::False, Reason::ThresholdNotMet, missed),
        (true, false) => Fact::new(
            State::True,
            Reason::ThresholdsMet,
            format!("every threshold that fails the test is met; missed with a warning: {warned}"),
        ),
        (true, true) if judgement.thresholds.is_empty() => {
            Fact::new(State::True, Reason::NoThresholds, "there are no thresholds")
        }
        (true, true) => Fact::new(State::True, Reason::ThresholdsMet, "every threshold is met"),
    }
}

fn succeeded(judgement: &Judgement, measured: &str) -> Fact {
    if judgement.verdict == Verdict::Passed {
        let warned = judgement.missed(Severity::Warn);
        let well = if judgement.thresholds.is_empty() {
            format!("{measured}; there are no thresholds")
        } else if warned.is_empty() {
            format!("{measured}, and within its thresholds")
        } else {
            format!("{measured}; missed with a warning: {warned}")
        };
        return Fact::new(State::True, Reason::Passed, well);
    }
    let missed = judgement.missed(Severity::Fail);
    let unstable = judgement.unstable.join("; ");
    let message = [missed, unstable]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ");
    Fact::new(State::False, judgement.reason, message)
}

/// Every pair of a run with several has come to its end.
pub(super) fn concluded(test: &ValidTest, judgement: &Judgement, many: Option<&Many>) -> Facts {
    let records: Vec<&PairRecord> = many
        .iter()
        .flat_map(|many| many.ledger.0.values())
        .collect();
    let failed: Vec<&&PairRecord> = records
        .iter()
        .filter(|record| record.state == PairState::Failed)
        .collect();
    let (all, missing) = (records.len(), failed.len());
    let measured = all - missing;
    let first = failed.first().map(|record| {
        let reason = record.reason.unwrap_or(Reason::NotMeasured);
        format!(
            "{} -> {}: {reason}: {}",
            record.client, record.server, record.message
        )
    });
    let not_measured = first.map(|first| match (missing, all) {
        (1, 1) => first,
        (1, _) => format!("1 of {all} pairs could not be measured: {first}"),
        _ => format!("{missing} of {all} pairs could not be measured, the first of them {first}"),
    });
    let nothing = "nothing was measured";
    let cpu_pinned = match measured {
        0 => open(Reason::NotMeasured, nothing),
        _ => cpus_of_pairs(test, &records),
    };
    let suspects = many.map_or(&[][..], |many| &many.suspects);
    let suspects: Vec<&str> = suspects
        .iter()
        .filter(|suspect| suspect.confirmed)
        .map(|suspect| suspect.message.as_str())
        .take(5)
        .collect();
    let mut succeeded = succeeded(judgement, "every pair was measured");
    if judgement.verdict != Verdict::Passed {
        // Of thresholds there is nothing to say where nothing was measured.
        let missed = Some(succeeded.message.clone()).filter(|_| measured > 0);
        let parts = [missed, not_measured.clone()];
        let mut parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.extend(suspects.into_iter().map(str::to_owned));
        parts.retain(|part| !part.is_empty());
        succeeded.message = parts.join("; ");
    }
    Facts {
        accepted: accepted(),
        scheduled: if measured > 0 || records.iter().any(|record| ran(record)) {
            Fact::new(State::True, Reason::PodsRunning, "the pods ran")
        } else {
            Fact::new(
                State::False,
                judgement.reason,
                not_measured.clone().unwrap_or_default(),
            )
        },
        measured: match not_measured {
            None => Fact::new(
                State::True,
                Reason::MeasurementComplete,
                format!(
                    "{measured} {} measured",
                    if measured == 1 {
                        "pair was"
                    } else {
                        "pairs were"
                    }
                ),
            ),
            Some(why) => Fact::new(State::False, Reason::NotMeasured, why),
        },
        within_thresholds: if measured == 0 {
            open(Reason::NotMeasured, nothing)
        } else {
            within_thresholds(judgement)
        },
        cpu_pinned,
        succeeded,
    }
}

/// Whether the pods of a pair that was not measured ran, by what became of it.
fn ran(record: &PairRecord) -> bool {
    matches!(
        record.reason,
        Some(
            Reason::PeerUnreachable
                | Reason::NameNotResolved
                | Reason::ServerBusy
                | Reason::ProtocolUnsupported
                | Reason::EngineCrashed
                | Reason::EngineOutOfMemory
                | Reason::RunTimeout
        )
    )
}

/// Whether the pairs that were measured had CPUs of their own.
fn cpus_of_pairs(test: &ValidTest, records: &[&PairRecord]) -> Fact {
    let without: Vec<(&PairRecord, &str)> = records
        .iter()
        .filter_map(|record| Some((*record, record.unpinned.as_deref()?)))
        .collect();
    if let Some((first, why)) = without.first() {
        let message = format!(
            "{} of {} pairs ran without CPUs of their own, the first of them {} -> {}: {why}",
            without.len(),
            records.len(),
            first.client,
            first.server
        );
        return Fact::new(State::False, Reason::Refused, message);
    }
    let ends = [("client", &test.client), ("server", &test.server)];
    let shared: Vec<&str> = ends
        .into_iter()
        .filter(|(_, end)| end.cpu == CpuMode::Shared)
        .map(|(role, _)| role)
        .collect();
    if !shared.is_empty() {
        let message = format!("{}s ran in the shared pool", shared.join("s and "));
        return Fact::new(State::False, Reason::SharedPool, message);
    }
    Fact::new(
        State::True,
        Reason::ExclusiveConfirmed,
        "every engine confirmed CPUs of its own",
    )
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
