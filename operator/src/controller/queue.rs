//! Who waits for nodes: which runs a change of a pod concerns (its own, and when it goes, those that may have its
//! nodes next), and how often the others look by themselves.

use super::history::is_finished;
use k8s_openapi::api::core::v1::Pod;
use kube::{Resource, ResourceExt, core::DeserializeGuard, runtime::reflector::ObjectRef};
use nettest_api::{NetTestRun, labels};
use nettest_core::observed::Observed;
use std::{sync::Arc, time::Duration};

/// Only the first of a queue can move; the rest looks again by itself.
const WOKEN: usize = 16;

/// The last of the longest queue looks again after this.
const LONGEST: Duration = Duration::from_secs(60);

/// When a run that waits looks again by itself, if the first would after `first`: the more are before it, the
/// later, so that a burst of hundreds of runs does not cost hundreds of lists every few seconds.
pub fn patience(first: Duration, seen: &Observed) -> Duration {
    let me = (seen.run.created, &seen.run.uid);
    let before = seen
        .waiters
        .iter()
        .filter(|waiter| (waiter.created, &waiter.run) < me)
        .count();
    let turns = u32::try_from(before / WOKEN).unwrap_or(u32::MAX);
    first
        .saturating_mul(turns.saturating_add(1))
        .min(LONGEST.max(first))
}

type Guarded = DeserializeGuard<NetTestRun>;

/// The runs to look at. `unfinished` may be in any order; it is asked only when needed.
pub fn concerned(
    pod: &Pod,
    unfinished: impl FnOnce() -> Vec<Arc<Guarded>>,
) -> Vec<ObjectRef<Guarded>> {
    let mut concerned: Vec<ObjectRef<Guarded>> = owner(pod).into_iter().collect();
    if pod.metadata.deletion_timestamp.is_some() {
        let unfinished = unfinished();
        let mut waiting: Vec<&NetTestRun> = unfinished
            .iter()
            .filter_map(|run| run.0.as_ref().ok())
            .filter(|run| {
                !is_finished(run) && run.uid().as_ref() != pod.labels().get(labels::RUN_UID)
            })
            .collect();
        waiting.sort_by_key(|run| (run.creation_timestamp(), run.uid()));
        concerned.extend(waiting.into_iter().take(WOKEN).map(|run| {
            ObjectRef::new(&run.name_any()).within(&run.namespace().unwrap_or_default())
        }));
    }
    concerned
}

fn owner(pod: &Pod) -> Option<ObjectRef<Guarded>> {
    let namespace = pod.namespace()?;
    pod.owner_references()
        .iter()
        .find(|owner| owner.controller == Some(true) && owner.kind == NetTestRun::kind(&()))
        .map(|owner| ObjectRef::new(&owner.name).within(&namespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_core::{observed::RunFacts, policy::Policy};

    fn pod(deleted: bool) -> Pod {
        let deletion = if deleted {
            ", deletionTimestamp: '2026-11-30T16:00:00Z'"
        } else {
            ""
        };
        serde_yaml::from_str(&format!(
            "metadata: {{name: p, namespace: a, labels: {{nettest.dev/run-uid: u0}}{deletion}, \
             ownerReferences: [{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, name: r0, uid: u0, controller: true}}]}}"
        ))
        .unwrap()
    }

    fn run(number: u32, minute: u32) -> Arc<Guarded> {
        Arc::new(
            serde_yaml::from_str(&format!(
                "{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {{name: r{number}, namespace: b, uid: u{number}, \
                 creationTimestamp: '2026-11-30T16:{minute:02}:00Z'}}, spec: {{test: {{}}}}}}"
            ))
            .unwrap(),
        )
    }

    #[test]
    fn the_further_back_the_more_patient() {
        let first = Duration::from_secs(10);
        let runs: Vec<_> = (0..500).map(|n| run(n, n / 10)).collect();
        let wait = |me: usize| {
            let facts = RunFacts::from_run(runs[me].0.as_ref().unwrap()).unwrap();
            let others = runs.iter().filter_map(|run| run.0.as_ref().ok());
            patience(
                first,
                &Observed::new(facts, [], [], others, &Policy::with_host_network("")),
            )
        };
        assert_eq!([wait(0), wait(9)], [first; 2]);
        assert_eq!(wait(49), first * 3 + first);
        assert_eq!(wait(499), LONGEST);
    }

    fn names(refs: &[ObjectRef<Guarded>]) -> Vec<String> {
        refs.iter().map(|one| one.name.clone()).collect()
    }

    #[test]
    fn a_pod_that_goes_wakes_the_oldest_that_wait() {
        let runs: Vec<_> = (0..20).map(|n| run(n, 59 - n)).collect();
        assert_eq!(names(&concerned(&pod(false), || runs.clone())), ["r0"]);
        let woken = names(&concerned(&pod(true), || runs.clone()));
        assert_eq!(woken.len(), 1 + WOKEN);
        assert_eq!(&woken[..3], ["r0", "r19", "r18"]);
    }
}
