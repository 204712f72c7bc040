//! Leave nothing behind.

use super::{Plan, Progress, Stage, Step};
use crate::{observed::Observed, pod_facts::PodFacts};
use std::time::Duration;

/// Delete the run's pods one by one; the status stands.
pub(super) fn all(seen: &Observed) -> Plan {
    let step = next(&seen.pods);
    Plan {
        requeue_after: if seen.pods.is_empty() {
            None
        } else if step.is_some() {
            Some(Duration::ZERO)
        } else {
            Some(Duration::from_secs(5))
        },
        step,
        progress: Progress {
            attempt: seen.run.attempt,
            placed: seen.run.placed,
            pair: None,
            stage: Stage::Settled,
        },
        collect: None,
    }
}

/// Delete the first of these pods that is not on its way out: clients first, so that traffic stops first.
pub(super) fn next<'a>(pods: impl IntoIterator<Item = &'a PodFacts>) -> Option<Step> {
    let mut pods: Vec<&PodFacts> = pods.into_iter().filter(|pod| !pod.deleting).collect();
    pods.sort_by_key(|pod| (pod.role, pod.attempt));
    pods.first().map(|pod| Step::DeletePod {
        name: pod.name.clone(),
        uid: pod.uid.clone(),
    })
}
