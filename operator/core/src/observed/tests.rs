use super::*;
use crate::{
    plan::{Phase, Progress, Stage, Waiting},
    pod::{EngineConfig, Owner, Part, PodPlan, server_pod},
    testing::{HOST_NETWORK, PAIR_TCP, now, run_of, token, valid},
    valid::Lane,
};

/// A server pod of this run, as the API would return it.
fn server(run: &NetTestRun, phase: &str) -> Pod {
    let plan = PodPlan {
        name: "p".to_owned(),
        attempt: 1,
        number: None,
        pair: NodePair {
            client: "worker-1".into(),
            server: "worker-2".into(),
        },
        lane: Lane::PODS,
        part: Part::Server,
    };
    let owner = Owner::of(run).expect("a run");
    let mut pod = server_pod(
        &valid(PAIR_TCP),
        &owner,
        &plan,
        &EngineConfig::default(),
        &token(),
    );
    pod.metadata.uid = Some("pod".to_owned());
    pod.status = Some(k8s_openapi::api::core::v1::PodStatus {
        phase: Some(phase.to_owned()),
        ..Default::default()
    });
    pod
}

fn other(manifest: &str, uid: &str) -> NetTestRun {
    let mut run = run_of(manifest);
    run.metadata.uid = Some(uid.to_owned());
    run
}

#[test]
fn own_pods_others_claims_and_who_waits() {
    let me = run_of(PAIR_TCP);
    let pods = [
        server(&me, "Running"),
        server(&other(PAIR_TCP, "live"), "Running"),
        server(&other(PAIR_TCP, "over"), "Succeeded"),
        Pod::default(),
    ];
    let mut finished = other(PAIR_TCP, "finished");
    finished.status = Some(crate::status::refused_run_status(
        &finished,
        &validate::Refusal::invalid("x", "y"),
        now(),
    ));
    let mut deleted = other(PAIR_TCP, "deleted");
    deleted.metadata.deletion_timestamp = me.metadata.creation_timestamp.clone();
    let held_up = |uid: &str, phase, blocked| {
        let mut run = other(PAIR_TCP, uid);
        let waiting = Waiting {
            phase,
            blocked,
            message: "so it is".to_owned(),
        };
        let progress = Progress {
            attempt: 1,
            placed: None,
            pair: None,
            many: None,
            stage: Stage::Waiting(waiting),
        };
        let status = crate::status::run_status(&run, &valid(PAIR_TCP), &progress, None, &[], now());
        run.status = Some(status);
        run
    };
    let runs = [
        me.clone(),
        other(PAIR_TCP, "waits"),
        held_up("queued", Phase::Queued, None),
        held_up(
            "quota",
            Phase::Pending,
            Some(nettest_api::Reason::QuotaExceeded),
        ),
        finished,
        deleted,
        // Will be refused: the namespace may not use the host's network.
        other(HOST_NETWORK, "refused"),
    ];
    let facts = RunFacts::from_run(&me).expect("facts");
    let seen = Observed::new(facts, &[], &pods, &runs, &Policy::default());
    let runs =
        |runs: Vec<&RunUid>| -> Vec<String> { runs.into_iter().map(|run| run.0.clone()).collect() };
    assert_eq!(
        runs(seen.pods.iter().map(|pod| &pod.run).collect()),
        [crate::testing::UID]
    );
    assert_eq!(
        runs(seen.claims.iter().map(|claim| &claim.run).collect()),
        ["live"]
    );
    assert_eq!(
        runs(seen.waiters.iter().map(|waiter| &waiter.run).collect()),
        ["waits", "queued"]
    );
    assert_eq!(seen.claims[0].holder, "default/p");
}

#[test]
fn a_pod_that_names_our_run_from_another_namespace_is_not_ours() {
    let me = run_of(PAIR_TCP);
    let mut forged = server(&me, "Running");
    forged.metadata.namespace = Some("elsewhere".to_owned());
    let seen = Observed::new(
        RunFacts::from_run(&me).expect("facts"),
        &[],
        [&forged],
        &[],
        &Policy::default(),
    );
    assert!(seen.pods.is_empty());
    // It holds its nodes all the same: it may send.
    assert_eq!(seen.claims.len(), 1);
}

#[test]
fn a_new_run_starts_with_attempt_one() {
    let facts = RunFacts::from_run(&run_of(PAIR_TCP)).expect("facts");
    assert_eq!(
        (
            facts.attempt,
            facts.finished,
            facts.placed,
            facts.client_was_running
        ),
        (1, false, None, false)
    );
}
