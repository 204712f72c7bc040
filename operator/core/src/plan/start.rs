//! From nothing to a client: queue, server pod, its readiness.

use super::{Phase, Plan, Step, attempt::Attempt, attempt::pair_status, blocked, finish};
use crate::{
    argv::{PORT, Targets},
    exclusivity::{self, Turn},
    names::{self, Role},
    pod::{Part, PodPlan, ServicePlan},
    pod_facts::{NodePair, PodFacts, PodState, of_family},
    refusal::CreateRefusal,
    service_facts::ServiceFacts,
    valid::ValidTopology,
};
use nettest_api::{
    Reason,
    path::{IPFamily, PathKind},
};
use std::net::SocketAddr;

/// No pod exists.
pub(super) fn from_nothing(attempt: &Attempt<'_>) -> Plan {
    match exclusivity::turn(attempt.test, attempt.seen) {
        Turn::Wait { why, place } => {
            // The queue's time is not counted: each holder has its own deadlines.
            let mut plan = attempt.waiting(
                Phase::Queued,
                None,
                format!("number {place} in line: {why}"),
            );
            plan.progress.placed = None;
            plan
        }
        Turn::NoPair { why } => placed(attempt, |attempt| {
            attempt.until_placed(Phase::Pending, Some(Reason::Unschedulable), why.clone())
        }),
        Turn::Now(pair) if attempt.is_external() => {
            placed(attempt, |attempt| external(attempt, &pair))
        }
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
                plan.progress.pair =
                    Some(pair_status(&attempt.seen.nodes, &pair, None, None, None));
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
    // While the server starts: its Service is then known to every node before there is a client.
    if attempt.paths().any(PathKind::has_service)
        && let Err(plan) = service(attempt, server)
    {
        return *plan;
    }
    match &server.state {
        PodState::Running { started: true, .. } => make_client(attempt, server),
        PodState::Running { .. } => attempt.until_placed(
            Phase::Starting,
            None,
            "the server runs and does not accept tests yet",
        ),
        _ => blocked::wait(attempt, server, &attempt.test.server),
    }
}

fn make_client(attempt: &Attempt<'_>, server: &PodFacts) -> Plan {
    let targets = match targets(attempt, server) {
        Ok(targets) => targets,
        Err(plan) => return *plan,
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
        targets,
        token: Some(token),
    };
    attempt.step(plan, Some(create(attempt, &server.pair, part)))
}

/// Where the client's variants find the server; else what is done or waited for first.
fn targets(attempt: &Attempt<'_>, server: &PodFacts) -> Result<Targets, Box<Plan>> {
    let family = attempt.test.ip_family;
    let no_address = |what: &str| {
        let family = family.map(IPFamily::as_str).unwrap_or_default();
        let message = format!("{what} has no {family} address yet").replace("  ", " ");
        // A family that was asked for and does not come is one that the cluster does not have.
        let reason = attempt.test.ip_family.map(|_| Reason::ProtocolUnsupported);
        Box::new(attempt.until_placed(Phase::Starting, reason, message))
    };
    let mut targets = Targets::new();
    for path in attempt.paths() {
        let target = match path {
            PathKind::PodIP => {
                let address = server
                    .address(family)
                    .ok_or_else(|| no_address("the server"))?;
                SocketAddr::new(address, PORT)
            }
            PathKind::Host => {
                let address = server.host_address(family);
                let address = address.ok_or_else(|| no_address("the server's node"))?;
                SocketAddr::new(address, PORT)
            }
            PathKind::ClusterIP => {
                let service = service(attempt, server)?;
                let address = of_family(&service.addresses, family);
                let address = address.ok_or_else(|| no_address("the server's Service"))?;
                SocketAddr::new(address, PORT)
            }
            PathKind::NodePort => {
                let service = service(attempt, server)?;
                let node = server.host_address(family);
                let node = node.ok_or_else(|| no_address("the server's node"))?;
                let port = service.node_port;
                let port = port.ok_or_else(|| no_address("the server's node port"))?;
                SocketAddr::new(node, port)
            }
        };
        targets.insert(path, target);
    }
    Ok(targets)
}

/// The Service in front of the server, which is made when it is not there.
fn service<'a>(attempt: &Attempt<'a>, server: &PodFacts) -> Result<&'a ServiceFacts, Box<Plan>> {
    let name = names::service_name(&server.name);
    let services = &attempt.seen.services;
    if let Some(service) = services.iter().find(|service| service.name == name) {
        return Ok(service);
    }
    if let Some(refusal) = &attempt.seen.refusal {
        return Err(Box::new(refused_service(attempt, refusal)));
    }
    let plan = attempt.waiting(
        Phase::Starting,
        None,
        "making the Service in front of the server",
    );
    let step = Step::CreateService(Box::new(ServicePlan {
        name,
        server: server.name.clone(),
        attempt: attempt.number,
        number: attempt.seen.run.number,
        node_port: attempt.paths().any(|path| path == PathKind::NodePort),
        family: attempt.test.ip_family,
    }));
    Err(Box::new(attempt.step(plan, Some(step))))
}

/// The client of a server outside of the cluster: there is no server pod.
fn external(attempt: &Attempt<'_>, pair: &NodePair) -> Plan {
    let ValidTopology::External(external) = &attempt.test.topology else {
        return attempt.until_placed(Phase::Starting, None, "the server is not known");
    };
    let address = match &attempt.seen.external {
        Some(Ok(address)) => *address,
        Some(Err((Reason::NameNotResolved, why))) => {
            return attempt.until_placed(
                Phase::Starting,
                Some(Reason::NameNotResolved),
                why.clone(),
            );
        }
        Some(Err((reason, why))) => return attempt.failed(*reason, why.clone(), false),
        None => {
            return attempt.until_placed(
                Phase::Starting,
                None,
                format!("looking up {}", external.host),
            );
        }
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
    let mut plan = attempt.waiting(
        Phase::Starting,
        None,
        format!("making the client pod on {}", pair.client),
    );
    plan.progress.pair = Some(pair_status(&attempt.seen.nodes, pair, None, None, None));
    let target = SocketAddr::new(address, external.port);
    let part = Part::Client {
        targets: attempt.paths().map(|path| (path, target)).collect(),
        token: None,
    };
    attempt.step(plan, Some(create(attempt, pair, part)))
}

fn create(attempt: &Attempt<'_>, pair: &NodePair, part: Part) -> Step {
    let role = match part {
        Part::Server => Role::Server,
        Part::Client { .. } => Role::Client,
    };
    let run = &attempt.seen.run;
    Step::CreatePod(Box::new(PodPlan {
        name: names::pod_name(
            &run.name,
            run.uid.as_str(),
            run.number,
            attempt.number,
            role,
        ),
        attempt: attempt.number,
        number: run.number,
        pair: pair.clone(),
        lane: attempt.lane(),
        part,
    }))
}

/// The API server does not want the Service.
fn refused_service(attempt: &Attempt<'_>, refusal: &CreateRefusal) -> Plan {
    let message = format!("the server's Service was refused: {}", refusal.message);
    attempt.until_placed(Phase::Pending, Some(refusal.reason), message)
}

/// The API server does not want the pod.
fn refused(attempt: &Attempt<'_>, role: Role, refusal: &CreateRefusal) -> Plan {
    let message = format!("the {role} pod was refused: {}", refusal.message);
    if refusal.is_final() {
        return attempt.failed(refusal.reason, message, false);
    }
    attempt.until_placed(Phase::Pending, Some(refusal.reason), message)
}
