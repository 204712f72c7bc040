//! How far a test is, from the object alone.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::{NetTest, condition};

/// How far a test is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// No operator has looked at this generation.
    Unseen,
    /// What it waits for or does.
    Going(String),
    Ended,
}

/// A status of an older generation says nothing about this one.
pub fn state(test: &NetTest) -> State {
    let generation = test.metadata.generation;
    let succeeded = test
        .status
        .iter()
        .flat_map(|status| &status.conditions)
        .find(|condition| condition.type_ == condition::SUCCEEDED)
        .filter(|condition| condition.observed_generation >= generation);
    match succeeded {
        None => State::Unseen,
        Some(condition) if condition.status == "Unknown" => State::Going(sentence(condition)),
        Some(_) => State::Ended,
    }
}

fn sentence(condition: &Condition) -> String {
    match condition.message.as_str() {
        "" => condition.reason.clone(),
        message => format!("{}: {message}", condition.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(generation: i64, condition: &str) -> State {
        let test: NetTest = serde_yaml::from_str(&format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: a, generation: {generation}}}\nspec: {{}}\nstatus: {{conditions: [{condition}]}}"
        ))
        .unwrap();
        state(&test)
    }

    #[test]
    fn the_condition_succeeded_of_this_generation_tells() {
        let succeeded = |status: &str| {
            format!(
                "{{type: Succeeded, status: '{status}', reason: Queued, message: node1 is in use, observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z'}}"
            )
        };
        assert_eq!(of(2, ""), State::Unseen);
        assert_eq!(of(3, &succeeded("True")), State::Unseen);
        assert_eq!(
            of(2, &succeeded("Unknown")),
            State::Going("Queued: node1 is in use".into())
        );
        assert_eq!(of(2, &succeeded("True")), State::Ended);
        assert_eq!(of(2, &succeeded("False")), State::Ended);
    }
}
