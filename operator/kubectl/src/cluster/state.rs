//! How far a test or a run is, from the object alone.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::Resource;
use nettest_api::{NetTest, NetTestRun, condition};

/// A kind whose conditions say how far it is.
pub trait Conditioned: Resource<DynamicType = ()> {
    fn conditions(&self) -> &[Condition];
}

impl Conditioned for NetTest {
    fn conditions(&self) -> &[Condition] {
        self.status
            .as_ref()
            .map_or(&[], |status| status.conditions.as_slice())
    }
}

impl Conditioned for NetTestRun {
    fn conditions(&self) -> &[Condition] {
        self.status
            .as_ref()
            .map_or(&[], |status| status.conditions.as_slice())
    }
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// No operator has looked at this generation.
    Unseen,
    /// What it waits for or does.
    Going(String),
    Ended,
}

/// A status of an older generation says nothing about this one.
pub fn state(object: &impl Conditioned) -> State {
    let generation = object.meta().generation;
    let succeeded = object
        .conditions()
        .iter()
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

    #[test]
    fn a_run_is_told_by_the_same_condition() {
        let run: NetTestRun = serde_yaml::from_str(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {name: a-1, generation: 1}\nspec: {test: {}}\nstatus: {conditions: [{type: Succeeded, status: 'False', reason: NodeLost, message: m, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z'}]}",
        )
        .unwrap();
        assert_eq!(state(&run), State::Ended);
    }
}
