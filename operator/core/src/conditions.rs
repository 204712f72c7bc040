//! The seven conditions. All are set on the first visit; the time moves only when the status does.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use nettest_api::{Reason, condition};

/// `True`, `False` or `Unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    True,
    False,
    Unknown,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            State::True => "True",
            State::False => "False",
            State::Unknown => "Unknown",
        }
    }
}

/// What one condition says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub state: State,
    pub reason: Reason,
    pub message: String,
}

impl Fact {
    pub fn new(state: State, reason: Reason, message: impl Into<String>) -> Fact {
        Fact {
            state,
            reason,
            message: message.into(),
        }
    }
}

/// What they say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub accepted: Fact,
    pub scheduled: Fact,
    pub measured: Fact,
    pub within_thresholds: Fact,
    pub cpu_pinned: Fact,
    pub succeeded: Fact,
}

impl Facts {
    /// What Complete says: it follows from Succeeded.
    fn complete(&self) -> Fact {
        let state = match self.succeeded.state {
            State::Unknown => State::Unknown,
            State::True | State::False => State::True,
        };
        Fact {
            state,
            ..self.succeeded.clone()
        }
    }
}

/// Bytes of a message. The API server takes 32 KiB, but a status of seven such would be most of an object.
const MAX_MESSAGE: usize = 4_096;

/// Facts as conditions. Conditions of other types, set by others, are kept.
pub fn conditions(
    old: &[Condition],
    facts: &Facts,
    generation: Option<i64>,
    now: Timestamp,
) -> Vec<Condition> {
    let Facts {
        accepted,
        scheduled,
        measured,
        within_thresholds,
        cpu_pinned,
        succeeded,
    } = facts;
    let complete = facts.complete();
    let ours = [
        (condition::ACCEPTED, accepted),
        (condition::SCHEDULED, scheduled),
        (condition::MEASURED, measured),
        (condition::WITHIN_THRESHOLDS, within_thresholds),
        (condition::CPU_PINNED, cpu_pinned),
        (condition::SUCCEEDED, succeeded),
        (condition::COMPLETE, &complete),
    ];
    let mut conditions: Vec<Condition> = ours
        .into_iter()
        .map(|(type_, fact)| {
            let before = old.iter().find(|condition| condition.type_ == type_);
            let same = before.filter(|condition| condition.status == fact.state.as_str());
            Condition {
                type_: type_.to_owned(),
                status: fact.state.as_str().to_owned(),
                reason: fact.reason.as_str().to_owned(),
                message: shortened(&fact.message),
                observed_generation: generation,
                last_transition_time: same.map_or(Time(now), |condition| {
                    condition.last_transition_time.clone()
                }),
            }
        })
        .collect();
    conditions.extend(
        old.iter()
            .filter(|condition| !condition::ALL.contains(&condition.type_.as_str()))
            .cloned(),
    );
    conditions
}

/// A condition by its type.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

fn shortened(text: &str) -> String {
    if text.len() <= MAX_MESSAGE {
        return text.to_owned();
    }
    let mut end = MAX_MESSAGE - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests;
