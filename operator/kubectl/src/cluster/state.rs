//! How far a test or a run is, from the object alone.

use crate::show::pairs;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::Resource;
use nettest_api::result::Progress;
use nettest_api::{NetTest, NetTestRun, Reason, condition};
use nettest_core::conditions::find;

/// A kind whose conditions say how far it is.
pub trait Conditioned: Resource<DynamicType = ()> {
    fn conditions(&self) -> &[Condition];
    /// Of its pairs, where there are several.
    fn progress(&self) -> Option<&Progress>;
}

impl Conditioned for NetTest {
    fn conditions(&self) -> &[Condition] {
        self.status
            .as_ref()
            .map_or(&[], |status| status.conditions.as_slice())
    }

    fn progress(&self) -> Option<&Progress> {
        self.status.as_ref()?.progress.as_ref()
    }
}

impl Conditioned for NetTestRun {
    fn conditions(&self) -> &[Condition] {
        self.status
            .as_ref()
            .map_or(&[], |status| status.conditions.as_slice())
    }

    fn progress(&self) -> Option<&Progress> {
        self.status.as_ref()?.progress.as_ref()
    }
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// No operator has looked at this generation.
    Unseen,
    /// What it waits for or does.
    Going(String),
    /// How many of its pairs are measured. Changes often.
    Measuring(String),
    Ended,
}

/// A status of an older generation says nothing about this one.
pub fn state(object: &impl Conditioned) -> State {
    let generation = object.meta().generation;
    let succeeded = find(object.conditions(), condition::SUCCEEDED)
        .filter(|condition| condition.observed_generation >= generation);
    match succeeded {
        None => State::Unseen,
        Some(condition) if condition.status == "Unknown" => match object.progress() {
            Some(progress) if condition.reason == Reason::Running.as_str() => {
                State::Measuring(measuring(progress, &condition.message))
            }
            _ => State::Going(sentence(condition)),
        },
        Some(_) => State::Ended,
    }
}

/// The operator's message counts the pairs as well; what it says of them in brackets is why no other begins.
fn measuring(progress: &Progress, message: &str) -> String {
    let counted = pairs::progress(progress);
    match message.split_once(" (") {
        Some((_, why)) => format!("{counted} ({why}"),
        None => counted,
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

    #[test]
    fn pairs_that_are_measured_are_counted() {
        let of = |reason: &str, message: &str| {
            let run: NetTestRun = serde_yaml::from_str(&format!(
                "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {{name: a-1, generation: 1}}\nspec: {{test: {{}}}}\nstatus: {{progress: {{pairs: 45, running: 3, measured: 12, failed: 0}}, conditions: [{{type: Succeeded, status: Unknown, reason: {reason}, message: '{message}', observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z'}}]}}"
            ))
            .unwrap();
            state(&run)
        };
        let counted = "12 of 45 pairs measured, 3 running";
        assert_eq!(
            of("Running", "12 of 45 pairs done, 3 under way"),
            State::Measuring(counted.into())
        );
        assert_eq!(
            of("Running", "12 of 45 pairs done (n4 is cordoned)"),
            State::Measuring(format!("{counted} (n4 is cordoned)"))
        );
        assert_eq!(
            of("Queued", "number 2 in line"),
            State::Going("Queued: number 2 in line".into())
        );
    }
}
