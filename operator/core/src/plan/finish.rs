//! From a client to the result, or to why there is none.

use super::{Collect, Phase, Plan, Stage, attempt::Attempt, blocked};
use crate::{
    collect::{self, DigestError},
    documents, link,
    pinning::{Pinning, pinning},
    pod_facts::{Ended, PodFacts, PodState},
    valid::ValidEndpoint,
};
use jiff::Timestamp;
use nettest_api::{Reason, endpoint::CpuMode};
use nettest_report::digest::Digest;

/// When the client's container started, by its node's clock; but not before its pod was made, by the API
/// server's: on a node whose clock is behind, a run would be over before it began. The pod's age is the most
/// that can be meant when nobody said.
pub(super) fn running_since(client: &PodFacts) -> Option<Timestamp> {
    match client.state {
        PodState::Running { since, .. } => since.max(client.created),
        _ => client.created,
    }
}

/// The client's pod exists.
pub(super) fn with_client(attempt: &Attempt<'_>, client: &PodFacts) -> Plan {
    match &client.state {
        PodState::Ended(ended) => client_ended(attempt, client, ended),
        PodState::Running { .. } => running(attempt, client),
        PodState::Pending | PodState::Unscheduled { .. } | PodState::Starting { .. } => {
            not_yet(attempt, client)
        }
    }
}

fn running(attempt: &Attempt<'_>, client: &PodFacts) -> Plan {
    let pair = &client.pair;
    if let Some(node) = [&pair.client, &pair.server]
        .into_iter()
        .find(|node| attempt.lost(node))
    {
        return attempt.failed(
            Reason::NodeLost,
            format!("node {node} is gone or not ready in the middle of the measurement"),
            true,
        );
    }
    let limit = attempt.test.limits.run_timeout;
    if running_since(client).is_some_and(|since| attempt.over(since, limit)) {
        return attempt.failed(
            Reason::RunTimeout,
            format!(
                "the client did not end within limits.runTimeout of {}",
                crate::span::display(limit)
            ),
            true,
        );
    }
    // A server that ended takes its client along in a moment; the client's own words come first, because they
    // may be a whole result.
    let message = match attempt.server.map(|server| &server.state) {
        Some(PodState::Ended(_)) | None if !attempt.is_external() => {
            "the server has ended; waiting for the client's last words"
        }
        _ => "measuring",
    };
    attempt.waiting(Phase::Running, None, message)
}

fn not_yet(attempt: &Attempt<'_>, client: &PodFacts) -> Plan {
    match attempt.server {
        None if attempt.is_external() => {
            if attempt.lost(client.own_node()) {
                return attempt.retry(
                    Reason::NodeLost,
                    format!("node {} is gone or not ready", client.own_node()),
                );
            }
            blocked::wait(attempt, client, &attempt.test.client)
        }
        None => attempt.retry(
            Reason::Interrupted,
            "the server pod vanished before the client ran",
        ),
        Some(server) => {
            if let PodState::Ended(ended) = &server.state {
                return server_alone(attempt, server, ended);
            }
            if let Some(node) = [client.own_node(), server.own_node()]
                .into_iter()
                .find(|node| attempt.lost(node))
            {
                return attempt.retry(
                    Reason::NodeLost,
                    format!("node {node} is gone or not ready"),
                );
            }
            blocked::wait(attempt, client, &attempt.test.client)
        }
    }
}

fn client_ended(attempt: &Attempt<'_>, client: &PodFacts, ended: &Ended) -> Plan {
    let digest = read(attempt, ended);
    if let Ok(digest) = &digest
        && collect::is_complete(digest)
    {
        return measured(attempt, client, digest);
    }
    // When both ends failed, the server's reason is the cause and the client's the effect.
    if let Some(server) = attempt.server
        && let PodState::Ended(server_ended) = &server.state
        && !harmless(server_ended)
    {
        return server_alone(attempt, server, server_ended);
    }
    end(attempt, client, ended, digest, &attempt.test.client)
}

fn measured(attempt: &Attempt<'_>, client: &PodFacts, digest: &Digest) -> Plan {
    if let Err(error) = collect::complete(attempt.test, attempt.lane(), digest) {
        return attempt.failed(Reason::EngineCrashed, error.to_string(), true);
    }
    if let Pinning::Refused { message } = pinning(attempt.test, digest) {
        return attempt.failed(Reason::ExclusiveCPUNotGranted, message, true);
    }
    let digest = Box::new(link::told(attempt.test, attempt.seen, &client.pair, digest));
    let mut plan = attempt.plan(Stage::Measured(digest.clone()));
    plan.collect = vec![Collect {
        pod: client.name.clone(),
        number: None,
        digest,
        budget: documents::CONFIG_MAP_BYTES,
    }];
    plan
}

/// The server ended, and no client's result stands.
pub(super) fn server_alone(attempt: &Attempt<'_>, server: &PodFacts, ended: &Ended) -> Plan {
    if harmless(ended) {
        return attempt.retry(
            Reason::Interrupted,
            "the server ended before the measurement was done",
        );
    }
    let digest = read(attempt, ended);
    end(attempt, server, ended, digest, &attempt.test.server)
}

/// Ended by itself and without complaint.
fn harmless(ended: &Ended) -> bool {
    ended.exit_code == Some(0) && ended.message.trim().is_empty() && !ended.disrupted
}

fn read(attempt: &Attempt<'_>, ended: &Ended) -> Result<Digest, DigestError> {
    collect::digest(&ended.message, &attempt.seen.run.uid, attempt.number)
}

/// A pod that ended without a result: by its digest, else by what the kubelet says.
fn end(
    attempt: &Attempt<'_>,
    pod: &PodFacts,
    ended: &Ended,
    digest: Result<Digest, DigestError>,
    asked: &ValidEndpoint,
) -> Plan {
    let role = pod.role;
    // Both pods ran when the client's container did, or its server's is not the one that ended.
    let ran = attempt.client.is_some_and(|client| {
        !matches!(
            &client.state,
            PodState::Pending
                | PodState::Unscheduled { .. }
                | PodState::Starting { .. }
                | PodState::Ended(Ended {
                    exit_code: None,
                    ..
                })
        )
    });
    let error = match digest {
        Ok(digest) => return failed_digest(attempt, pod, &digest, ran),
        Err(error) => error,
    };
    if ended.out_of_memory {
        return attempt.failed(
            Reason::EngineOutOfMemory,
            format!(
                "the {role}'s engine needed more than {role}.memory of {} MiB",
                asked.memory.0 >> 20
            ),
            ran,
        );
    }
    let by_pod = [ended.pod_reason.as_str(), ended.pod_message.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ");
    if ended.pod_reason == "DeadlineExceeded" {
        return attempt.failed(
            Reason::RunTimeout,
            format!("the {role} pod ran into its deadline ({by_pod})"),
            ran,
        );
    }
    if let (None, Some(reason)) = (
        ended.exit_code,
        refused_by_kubelet(&ended.pod_reason, asked),
    ) {
        return attempt.retry_later(
            pod,
            reason,
            format!("the kubelet refused the {role} pod: {by_pod}"),
        );
    }
    if ended.disrupted || pod.deleting {
        let why = if by_pod.is_empty() {
            "it was deleted"
        } else {
            &by_pod
        };
        return attempt.retry(
            Reason::Interrupted,
            format!("the {role} pod was taken away before its result was read: {why}"),
        );
    }
    match ended.exit_code {
        None => attempt.retry(
            Reason::Interrupted,
            format!("the {role} pod ended before its engine ran ({by_pod})"),
        ),
        Some(code) => attempt.failed(
            Reason::EngineCrashed,
            format!("the {role}'s engine ended with exit code {code}: {error}"),
            ran,
        ),
    }
}

/// The engine said itself why it could not measure.
fn failed_digest(attempt: &Attempt<'_>, pod: &PodFacts, digest: &Digest, ran: bool) -> Plan {
    let reason = collect::failure(digest);
    let message = if digest.message.is_empty() {
        format!("the {}'s engine failed: {reason}", pod.role)
    } else {
        format!("the {}: {}", pod.role, digest.message)
    };
    match reason {
        // What another try may cure. Nothing was measured, so nothing is repeated.
        Reason::PeerUnreachable
        | Reason::NameNotResolved
        | Reason::ServerBusy
        | Reason::Interrupted
        | Reason::ExclusiveCPUNotGranted => attempt.retry_later(pod, reason, message),
        _ => attempt.failed(reason, message, ran),
    }
}

/// Reasons of kubernetes pkg/kubelet/lifecycle/predicate.go and of its resource managers' admission. The
/// scheduler does not place such a pod again; somebody must make a new one.
fn refused_by_kubelet(reason: &str, asked: &ValidEndpoint) -> Option<Reason> {
    let exclusive = asked.cpu == CpuMode::Exclusive;
    match reason {
        "TopologyAffinityError" if exclusive => Some(Reason::TopologyAffinityError),
        "SMTAlignmentError" if exclusive => Some(Reason::SMTAlignmentError),
        "UnexpectedAdmissionError" | "OutOfcpu" | "OutOfCpu" if exclusive => {
            Some(Reason::ExclusiveCPUNotGranted)
        }
        "UnexpectedAdmissionError"
        | "TopologyAffinityError"
        | "SMTAlignmentError"
        | "NodeAffinity"
        | "NodePorts" => Some(Reason::Unschedulable),
        other if other.starts_with("OutOf") => Some(Reason::Unschedulable),
        _ => None,
    }
}
