//! From nothing to a client: queue, server pod, its readiness.

use super::{Phase, Plan, Step, attempt::Attempt, attempt::pair_status, blocked, finish};
use crate::{
    argv::PORT,
    exclusivity::{self, Turn},
    names::{self, Role},
    pod::{Part, PodPlan},
    pod_facts::{NodePair, PodFacts, PodState},
    refusal::CreateRefusal,
};
use nettest_api::{Reason, path::PathKind};
use std::net::SocketAddr;

/// No pod exists.
pub(super) fn from_nothing(attempt: &Attempt<'_>) -> Plan {
    match exclusivity::turn(attempt.test, attempt.seen) {
        Turn::Wait { holder } => {
            // The queue's time is not counted: each holder has its own deadlines.
            let mut plan = attempt.waiting(
                Phase::Queued,
                None,
                format!("waiting for nodes that {holder} uses or waits for"),
            );
            plan.progress.placed = None;
            plan
        }
        Turn::NoPair { why } => placed(attempt, |attempt| {
            attempt.until_placed(Phase::Pending, Some(Reason::Unschedulable), why.clone())
        }),
        Turn::Now(pair) => placed(attempt, |attempt| match &attempt.seen.refusal {
            Some(refusal) => refused(attempt, Role::Server, refusal),
            None if attempt.placing_is_over() => {
                let (reason, message) = attempt.seen.run.blocked.clone().unwrap_or((
                    Reason::ScheduleTimeout,
                    "the server pod did not come to run".to_owned(),
                ));
                attempt.until_placed(Phase::Starting, Some(reason), message)
            }
            None => {
                let message = format!(
                    "making the server pod on {}; the client goes to {}",
                    pair.server, pair.client
                );
                let mut plan = attempt.waiting(Phase::Starting, None, message);
                plan.progress.pair = Some(pair_status(&pair, None, None));
                attempt.step(plan, Some(create(attempt, &pair, Part::Server)))
            }
        }),
    }
}

/// The attempt leaves the queue now, if it has not before.
fn placed(attempt: &Attempt<'_>, then: impl Fn(&Attempt<'_>) -> Plan) -> Plan {
    let placed = Attempt {
        placed: attempt.placed.or(Some(attempt.now)),
        ..*attempt
    };
    then(&placed)
}

/// The server's pod exists, the client's does not.
pub(super) fn with_server(attempt: &Attempt<'_>, server: &PodFacts) -> Plan {
    if let PodState::Ended(ended) = &server.state {
        return finish::server_alone(attempt, server, ended);
    }
    if server.deleting {
        return attempt.until_placed(
            Phase::Starting,
            None,
            "the server pod was deleted; it is made again when it is gone",
        );
    }
    if attempt.lost(server.own_node()) {
        return attempt.retry(
            Reason::NodeLost,
            format!(
                "node {} of the server is gone or not ready",
                server.own_node()
            ),
        );
    }
    if let Some(claim) = exclusivity::conflict(server, attempt.seen) {
        let message = format!("{} uses the same nodes", claim.holder);
        if exclusivity::gives_way(server, claim) {
            let mut plan = attempt.waiting(Phase::Queued, None, message);
            plan.progress.placed = None;
            let step = Step::DeletePod {
                name: server.name.clone(),
                uid: server.uid.clone(),
            };
            return attempt.step(plan, Some(step));
        }
        return attempt.until_placed(Phase::Queued, None, message);
    }
    match &server.state {
        PodState::Running { started: true, .. } => make_client(attempt, server),
        PodState::Running { .. } => attempt.until_placed(
            Phase::Starting,
            None,
            "the server runs and does not accept tests yet",
        ),
        _ => {
            let (reason, message) = blocked::blocked(server, &attempt.test.server);
            attempt.until_placed(Phase::Starting, reason, message)
        }
    }
}

fn make_client(attempt: &Attempt<'_>, server: &PodFacts) -> Plan {
    let Some(variant) = attempt.test.variants.first() else {
        return attempt.until_placed(Phase::Starting, None, "the test has no variant");
    };
    let address = match variant.path {
        PathKind::Host => server.host_address,
        _ => server.address,
    };
    let Some(address) = address else {
        return attempt.until_placed(Phase::Starting, None, "the server has no address yet");
    };
    let Some(token) = server.token.clone() else {
        return attempt.retry(
            Reason::Interrupted,
            "the server pod was changed: its run token is missing",
        );
    };
    if let Some(refusal) = &attempt.seen.refusal {
        return refused(attempt, Role::Client, refusal);
    }
    if attempt.placing_is_over() {
        let (reason, message) = attempt.seen.run.blocked.clone().unwrap_or((
            Reason::ScheduleTimeout,
            "the client did not start".to_owned(),
        ));
        return attempt.until_placed(Phase::Starting, Some(reason), message);
    }
    let plan = attempt.waiting(
        Phase::Starting,
        None,
        "the server is ready; making the client pod",
    );
    let part = Part::Client {
        targets: [(variant.path, SocketAddr::new(address, PORT))].into(),
        token,
    };
    attempt.step(plan, Some(create(attempt, &server.pair, part)))
}

fn create(attempt: &Attempt<'_>, pair: &NodePair, part: Part) -> Step {
    let role = match part {
        Part::Server => Role::Server,
        Part::Client { .. } => Role::Client,
    };
    let run = &attempt.seen.run;
    Step::CreatePod(Box::new(PodPlan {
        name: names::pod_name(&run.name, run.uid.as_str(), attempt.number, role),
        attempt: attempt.number,
        pair: pair.clone(),
        lane: attempt.lane(),
        part,
    }))
}

/// The API server does not want the pod.
fn refused(attempt: &Attempt<'_>, role: Role, refusal: &CreateRefusal) -> Plan {
    let message = format!("the {role} pod was refused: {}", refusal.message);
    if refusal.is_final() {
        return attempt.failed(refusal.reason, message, false);
    }
    attempt.until_placed(Phase::Pending, Some(refusal.reason), message)
}
