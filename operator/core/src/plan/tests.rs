//! The state machine as a table: what is seen -> what is done and said. And worlds: see `converges`.

mod converges;
mod failing;
mod measuring;
mod starting;

use super::*;
use crate::{
    names::Role,
    pod::Part,
    pod_facts::{Ended, NodePair, PodFacts, PodState},
    testing::{at, token, uid},
};
use nettest_api::path::PathKind;

/// A pod of attempt 1 in the default namespace, made at second 0, on two nodes.
pub(crate) fn pod(role: Role, state: PodState) -> PodFacts {
    PodFacts {
        name: format!("run-a1-{role}"),
        namespace: "default".to_owned(),
        uid: format!("uid-{role}"),
        run: uid(),
        role,
        attempt: 1,
        number: None,
        pair: NodePair {
            client: "worker-1".into(),
            server: "worker-2".into(),
        },
        created: Some(at(0)),
        deleting: false,
        addresses: vec![[10, 244, 1, 7].into()],
        host_addresses: vec![[192, 0, 2, 2].into()],
        token: Some(token()),
        state,
    }
}

pub(crate) fn running() -> PodState {
    PodState::Running {
        started: true,
        since: Some(at(0)),
    }
}

pub(crate) fn exited(code: i32, message: &str) -> PodState {
    PodState::Ended(Ended {
        exit_code: Some(code),
        message: message.to_owned(),
        ..Ended::default()
    })
}

/// The kubelet refused the pod: no container ever ran.
pub(crate) fn kubelet_refused(reason: &str) -> PodState {
    PodState::Ended(Ended {
        pod_reason: reason.to_owned(),
        pod_message: "not enough cpus available".to_owned(),
        ..Ended::default()
    })
}

/// The plan in short: step, stage, and what it waits for.
pub(crate) fn told(plan: &Plan) -> String {
    let step = match &plan.step {
        None => "-".to_owned(),
        Some(Step::CreatePod(plan)) => format!("create {} a{}", plan.role(), plan.attempt),
        Some(Step::CreateService(plan)) => format!("create {}", plan.name),
        Some(Step::DeletePod { name, .. } | Step::DeleteService { name, .. }) => {
            format!("delete {name}")
        }
        Some(Step::Record(records)) => format!("record {}", records.len()),
    };
    let stage = match &plan.progress.stage {
        Stage::Settled => "settled".to_owned(),
        Stage::Measured(_) => "measured".to_owned(),
        Stage::Concluded => "concluded".to_owned(),
        Stage::Failed { reason, .. } => format!("failed {reason}"),
        Stage::Waiting(waiting) => match waiting.blocked {
            None => format!("{:?}", waiting.phase),
            Some(reason) => format!("{:?}/{reason}", waiting.phase),
        },
    };
    format!("{step} | {stage} | a{}", plan.progress.attempt)
}

pub(crate) fn message(plan: &Plan) -> String {
    match &plan.progress.stage {
        Stage::Waiting(waiting) => waiting.message.clone(),
        Stage::Failed { message, .. } => message.clone(),
        Stage::Settled | Stage::Measured(_) | Stage::Concluded => String::new(),
    }
}

#[test]
fn a_client_is_told_where_and_with_what_to_connect() {
    let mut seen = crate::testing::seen(crate::testing::PAIR_TCP);
    seen.pods = vec![pod(Role::Server, running())];
    let plan = plan(
        &crate::testing::valid(crate::testing::PAIR_TCP),
        &seen,
        at(3),
    );
    let Some(Step::CreatePod(client)) = plan.step else {
        panic!("no create");
    };
    let targets = [(PathKind::PodIP, ([10, 244, 1, 7], 5201).into())].into();
    assert_eq!(
        client.part,
        Part::Client {
            targets,
            token: Some(token())
        }
    );
    assert_eq!(
        plan.progress.pair.unwrap().server.address.as_deref(),
        Some("10.244.1.7")
    );
}
