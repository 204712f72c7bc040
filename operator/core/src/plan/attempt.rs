//! One attempt, from the queue to the result.

use super::{Phase, Plan, Progress, Stage, Waiting};
use crate::{observed::Observed, valid::ValidTest};
use jiff::Timestamp;
use std::time::Duration;

pub(super) fn plan(_test: &ValidTest, seen: &Observed, _now: Timestamp) -> Plan {
    Plan {
        step: None,
        progress: Progress {
            attempt: seen.run.attempt,
            placed: seen.run.placed,
            pair: None,
            stage: Stage::Waiting(Waiting {
                phase: Phase::Pending,
                blocked: None,
                message: "not started".to_owned(),
            }),
        },
        collect: None,
        requeue_after: Some(Duration::from_secs(5)),
    }
}
