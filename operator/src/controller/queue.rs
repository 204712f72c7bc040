//! Which runs a change of a pod concerns: its own, and when it goes, those that may have its nodes next.

use super::history::is_finished;
use k8s_openapi::api::core::v1::Pod;
use kube::{Resource, ResourceExt, core::DeserializeGuard, runtime::reflector::ObjectRef};
use nettest_api::{NetTestRun, labels};
use std::sync::Arc;

/// Only the first of a queue can move; the rest looks again by itself every few seconds.
const WOKEN: usize = 16;

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
