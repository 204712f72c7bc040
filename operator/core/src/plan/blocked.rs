//! Why a pod does not run yet.

use super::{Phase, Plan, attempt::Attempt};
use crate::{
    pod_facts::{PodFacts, PodState},
    valid::ValidEndpoint,
};
use nettest_api::{
    Reason,
    endpoint::{CpuEnforcement, CpuMode},
};

/// Wait for it. CPUs of its own that are only preferred are not waited for: the next attempt takes shared ones.
pub(super) fn wait(attempt: &Attempt<'_>, pod: &PodFacts, end: &ValidEndpoint) -> Plan {
    let (reason, message) = blocked(pod, end);
    if reason == Some(Reason::ExclusiveCPUNotGranted)
        && end.enforcement == CpuEnforcement::Preferred
        && attempt.number == 1
    {
        return attempt.retry(Reason::ExclusiveCPUNotGranted, message);
    }
    attempt.until_placed(Phase::Starting, reason, message)
}

/// The reason that would end the run if nothing changed, and what to say. The scheduler's and the kubelet's own
/// messages are kept.
fn blocked(pod: &PodFacts, end: &ValidEndpoint) -> (Option<Reason>, String) {
    let role = pod.role;
    match &pod.state {
        PodState::Unscheduled { message } if message.is_empty() => {
            (None, format!("the {role} pod waits for the scheduler"))
        }
        PodState::Unscheduled { message } => (
            Some(unscheduled(message, end)),
            format!("the {role} pod cannot be placed: {message}"),
        ),
        PodState::Starting { reason, message } => {
            let said = [reason.as_str(), message.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(": ");
            match starting(reason) {
                Some(blocked) => (
                    Some(blocked),
                    format!("the {role} pod does not start: {said}"),
                ),
                None if said.is_empty() => (None, format!("the {role} pod starts")),
                None => (None, format!("the {role} pod starts ({said})")),
            }
        }
        PodState::Pending | PodState::Running { .. } | PodState::Ended(_) => {
            (None, format!("the {role} pod waits for the scheduler"))
        }
    }
}

/// By the scheduler's words (kubernetes pkg/scheduler/framework/plugins: nodeports, noderesources).
fn unscheduled(message: &str, end: &ValidEndpoint) -> Reason {
    if message.contains("free ports") {
        Reason::PortConflict
    } else if end.cpu == CpuMode::Exclusive && message.contains("Insufficient cpu") {
        Reason::ExclusiveCPUNotGranted
    } else {
        Reason::Unschedulable
    }
}

/// By the kubelet's reasons (kubernetes pkg/kubelet/images and pkg/kubelet/kuberuntime).
fn starting(reason: &str) -> Option<Reason> {
    match reason {
        "ErrImagePull"
        | "ImagePullBackOff"
        | "ErrImageNeverPull"
        | "InvalidImageName"
        | "ImageInspectError"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => Some(Reason::ImagePullFailed),
        "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
            Some(Reason::EngineCrashed)
        }
        _ => None,
    }
}
