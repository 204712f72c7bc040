//! Leave nothing behind that is not wanted.

use super::{Plan, Progress, Stage, Step};
use crate::{observed::Observed, pod_facts::PodFacts, service_facts::ServiceFacts};
use nettest_api::{cleanup::PodCleanup, result::Verdict};
use std::time::Duration;

/// Delete what the run made, one by one; the status stands. Pods that have ended may be kept to be looked at; one that
/// runs holds its nodes, and Services are of no use without it.
pub(super) fn all(seen: &Observed, pods: PodCleanup) -> Plan {
    let keeps = match pods {
        PodCleanup::Always => false,
        PodCleanup::OnSuccess => seen.run.verdict != Some(Verdict::Passed),
        PodCleanup::Never => true,
    };
    let unwanted: Vec<&PodFacts> = seen
        .pods
        .iter()
        .filter(|pod| pod.live() || !keeps)
        .collect();
    let step = next(unwanted.iter().copied()).or_else(|| service(&seen.services));
    Plan {
        requeue_after: if step.is_some() {
            Some(Duration::ZERO)
        } else if unwanted.is_empty() && seen.services.is_empty() {
            None
        } else {
            Some(Duration::from_secs(5))
        },
        step,
        progress: Progress {
            attempt: seen.run.attempt,
            placed: seen.run.placed,
            pair: None,
            many: None,
            stage: Stage::Settled,
        },
        collect: vec![],
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

/// Delete the first of these Services that is not on its way out.
pub(super) fn service<'a>(services: impl IntoIterator<Item = &'a ServiceFacts>) -> Option<Step> {
    let service = services.into_iter().find(|service| !service.deleting)?;
    Some(Step::DeleteService {
        name: service.name.clone(),
        uid: service.uid.clone(),
    })
}
