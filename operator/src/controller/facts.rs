//! Which events a change of status is worth: pure.

use crate::events::Fact;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::{Reason, condition};
use nettest_core::conditions::find;

/// What turned, told once: where a run stands, and how it ends.
pub fn turned(old: &[Condition], new: &[Condition]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    // The end first: what it says, the other condition need not say again.
    for (type_, action) in [
        (condition::SUCCEEDED, "Conclude"),
        (condition::SCHEDULED, "Schedule"),
    ] {
        let Some(now) = find(new, type_) else {
            continue;
        };
        let before = find(old, type_);
        if before.is_some_and(|before| before.reason == now.reason && before.status == now.status) {
            continue;
        }
        let Some(reason) = Reason::parse(&now.reason) else {
            continue;
        };
        let told = facts.iter().any(|fact| fact.reason == reason.as_str());
        // Scheduled tells of trouble; that all is well, Running says.
        let good = type_ == condition::SCHEDULED && now.status != "False";
        if told || good || reason == Reason::Pending {
            continue;
        }
        facts.push(Fact {
            warning: now.status == "False",
            reason: reason.as_str(),
            action,
            note: now.message.clone(),
        });
    }
    facts
}

/// The end alone, for the test that a run belongs to.
pub fn ended(old: &[Condition], new: &[Condition]) -> Option<Fact> {
    let now = find(new, condition::SUCCEEDED)?;
    if now.status == "Unknown" {
        return None;
    }
    turned(old, new)
        .into_iter()
        .find(|fact| fact.action == "Conclude")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(yaml: &str) -> Vec<Condition> {
        let rows: Vec<[String; 4]> = serde_yaml::from_str(yaml).unwrap();
        rows.into_iter()
            .map(|[type_, status, reason, message]| Condition {
                type_,
                status,
                reason,
                message,
                observed_generation: None,
                last_transition_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
                    "2026-11-30T16:00:00Z".parse().unwrap(),
                ),
            })
            .collect()
    }

    fn told(old: &str, new: &str) -> Vec<(&'static str, bool)> {
        turned(&conditions(old), &conditions(new))
            .into_iter()
            .map(|fact| (fact.reason, fact.warning))
            .collect()
    }

    #[test]
    fn each_fact_is_told_once() {
        let queued = "[[Scheduled, 'Unknown', Queued, m], [Succeeded, 'Unknown', Queued, m]]";
        assert_eq!(told("[]", queued), [("Queued", false)]);
        // Only the message changed (another holder): the recorder would keep the first note anyway.
        let other = "[[Scheduled, 'Unknown', Queued, n], [Succeeded, 'Unknown', Queued, n]]";
        assert_eq!(told(queued, other), []);
        let blocked =
            "[[Scheduled, 'False', ImagePullFailed, m], [Succeeded, 'Unknown', Starting, m]]";
        assert_eq!(
            told(queued, blocked),
            [("Starting", false), ("ImagePullFailed", true)]
        );
        let passed = "[[Scheduled, 'True', PodsRunning, m], [Succeeded, 'True', Passed, m]]";
        assert_eq!(told(blocked, passed), [("Passed", false)]);
        assert_eq!(told(passed, passed), []);
    }

    #[test]
    fn a_test_is_told_the_end_only() {
        let running = conditions("[[Succeeded, 'Unknown', Running, m]]");
        let failed = conditions("[[Succeeded, 'False', ThresholdNotMet, slow]]");
        assert_eq!(ended(&[], &running), None);
        let fact = ended(&running, &failed).unwrap();
        assert_eq!(
            (fact.reason, fact.warning, fact.note.as_str()),
            ("ThresholdNotMet", true, "slow")
        );
        assert_eq!(ended(&failed, &failed), None);
    }
}
