mod many;

use super::*;
use crate::{
    plan::{Phase, Waiting},
    testing::{
        CPU_PINNED, HOST_NETWORK, PAIR_TCP, at, checked, digest, host, measured_by, now, run_of,
        valid,
    },
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use nettest_api::Reason;

fn progress(stage: Stage) -> Progress {
    let end = |node: &str| EndpointStatus {
        node: node.to_owned(),
        ..EndpointStatus::default()
    };
    Progress {
        attempt: 1,
        placed: Some(now()),
        pair: Some(PairStatus {
            client: end("worker-1"),
            server: end("worker-2"),
        }),
        many: None,
        stage,
    }
}

fn waiting(phase: Phase, blocked: Option<Reason>) -> Stage {
    Stage::Waiting(Waiting {
        phase,
        blocked,
        message: "so it is".to_owned(),
    })
}

/// The conditions in short: A Sc M W C Su. Complete follows from Su.
fn told(conditions: &[Condition]) -> String {
    let last = conditions.last().expect("Complete");
    let ended = conditions[5].status != "Unknown";
    assert_eq!(
        (last.type_.as_str(), last.status == "True"),
        ("Complete", ended)
    );
    conditions[..6]
        .iter()
        .map(|condition| format!("{}/{}", condition.status, condition.reason))
        .collect::<Vec<_>>()
        .join(" ")
}

fn of(manifest: &str, stage: Stage) -> NetTestRunStatus {
    run_status(
        &run_of(manifest),
        &valid(manifest),
        &progress(stage),
        None,
        &[],
        at(60),
    )
}

#[test]
fn what_the_conditions_say_at_each_stage() {
    let failed = |reason, ran| Stage::Failed {
        reason,
        message: "so it is".to_owned(),
        ran,
    };
    let measured = |rate: u64| Stage::Measured(Box::new(digest(&[rate])));
    for (stage, is) in [
        (
            waiting(Phase::Pending, None),
            "True/Valid Unknown/Pending Unknown/Pending Unknown/Pending Unknown/Pending Unknown/Pending",
        ),
        (
            waiting(Phase::Queued, None),
            "True/Valid Unknown/Queued Unknown/Queued Unknown/Pending Unknown/Pending Unknown/Queued",
        ),
        (
            waiting(Phase::Starting, Some(Reason::ImagePullFailed)),
            "True/Valid False/ImagePullFailed Unknown/Starting Unknown/Pending Unknown/Pending Unknown/Starting",
        ),
        (
            waiting(Phase::Running, None),
            "True/Valid True/PodsRunning Unknown/Running Unknown/Pending Unknown/Pending Unknown/Running",
        ),
        (
            failed(Reason::Unschedulable, false),
            "True/Valid False/Unschedulable False/Unschedulable Unknown/NotMeasured Unknown/NotMeasured False/Unschedulable",
        ),
        (
            failed(Reason::RunTimeout, true),
            "True/Valid True/PodsRunning False/RunTimeout Unknown/NotMeasured Unknown/NotMeasured False/RunTimeout",
        ),
        (
            failed(Reason::ExclusiveCPUNotGranted, false),
            "True/Valid False/ExclusiveCPUNotGranted False/ExclusiveCPUNotGranted Unknown/NotMeasured False/Refused False/ExclusiveCPUNotGranted",
        ),
        (
            measured(900_000_000),
            "True/Valid True/PodsRunning True/MeasurementComplete True/ThresholdsMet False/SharedPool True/Passed",
        ),
        (
            measured(1),
            "True/Valid True/PodsRunning True/MeasurementComplete False/ThresholdNotMet False/SharedPool False/ThresholdNotMet",
        ),
    ] {
        let over = !matches!(stage, Stage::Waiting(_));
        let status = of(PAIR_TCP, stage);
        assert_eq!(told(&status.conditions), is);
        assert_eq!(finished(&status), over, "{is}");
        assert_eq!(status.finish_time.is_some(), over, "{is}");
        assert_eq!(status.verdict.is_some(), over, "{is}");
        assert_eq!(
            status.results.is_empty(),
            !is.contains("MeasurementComplete"),
            "{is}"
        );
    }
}

#[test]
fn a_pinned_run_says_so_and_which_cpus() {
    let mut digest = digest(&[1]);
    digest.client_host = Some(host("2-3", 2));
    digest.server_host = Some(host("1", 1));
    let status = of(CPU_PINNED, Stage::Measured(Box::new(digest)));
    assert_eq!(
        told(&status.conditions),
        "True/Valid True/PodsRunning True/MeasurementComplete True/NoThresholds True/ExclusiveConfirmed True/Passed"
    );
    let succeeded = status.conditions.iter().find(|c| c.type_ == "Succeeded");
    assert_eq!(
        succeeded.map(|c| c.message.as_str()),
        Some("measured; there are no thresholds")
    );
    let pair = status.pair.expect("a pair");
    assert_eq!(pair.client.allowed_cpus.as_deref(), Some("2-3"));
    assert_eq!(pair.server.allowed_cpus.as_deref(), Some("1"));
}

/// One run's digest with bbr on a device that does not pace for it, in one machine.
fn paced() -> Digest {
    let mut digest = digest(&[20_000_000_000]);
    let mut end = host("0-1", 2);
    end.qdisc = Some("noqueue".to_owned());
    end.sockets.congestion = Some("bbr".to_owned());
    end.sockets.mss = Some(1448);
    digest.client_host = Some(end.clone());
    digest.server_host = Some(end);
    let figures = &mut digest.figures[0];
    figures.retransmits = vec![0];
    figures.client_cpu_milli = vec![600];
    figures.server_cpu_milli = vec![500];
    digest
}

#[test]
fn no_more_is_said_than_the_definition_takes() {
    let mut digest = paced();
    digest.figures = vec![digest.figures[0].clone(); 20];
    let manifest = PAIR_TCP.replace("parallelStreams: 4, ", "");
    let digest = measured_by(&valid(&manifest), digest);
    let status = of(&manifest, Stage::Measured(Box::new(digest)));
    assert_eq!((status.results.len(), status.diagnosis.len()), (20, 16));
}

#[test]
fn what_held_the_throughput_is_in_both_kinds() {
    // A single stream.
    let manifest = PAIR_TCP.replace("parallelStreams: 4, ", "");
    let mut run = run_of(&manifest);
    let digest = measured_by(&valid(&manifest), paced());
    run.status = Some(of(&manifest, Stage::Measured(Box::new(digest))));
    let mut test: NetTest = serde_yaml::from_str(&manifest).expect("a manifest");
    test.metadata.generation = Some(1);
    let status = test_status(&test, Some(&run), at(60));
    let found: Vec<_> = status.diagnosis.iter().map(|one| &one.reason).collect();
    assert_eq!(found, ["PacingLimited"]);
    assert_eq!(
        run.status.map(|status| status.diagnosis),
        Some(status.diagnosis)
    );
}

#[test]
fn a_refused_run_ends_before_any_pod() {
    let elsewhere = HOST_NETWORK.replace("nettest-system", "default");
    let refusal = checked(&elsewhere).expect_err("not permitted");
    let status = refused_run_status(&run_of(&elsewhere), &refusal, at(5));
    assert_eq!(
        told(&status.conditions),
        "False/NotPermitted False/NotPermitted False/NotPermitted Unknown/NotMeasured Unknown/NotMeasured False/NotPermitted"
    );
    assert!(finished(&status));
    assert_eq!(status.verdict, Some(Verdict::Error));
}

#[test]
fn times_and_the_pair_stay_and_a_settled_status_is_not_touched() {
    let mut run = run_of(PAIR_TCP);
    let test = valid(PAIR_TCP);
    let first = progress(waiting(Phase::Starting, None));
    run.status = Some(run_status(&run, &test, &first, None, &[], at(10)));
    let later = Progress {
        pair: None,
        ..progress(Stage::Measured(Box::new(digest(&[5]))))
    };
    run.status = Some(run_status(&run, &test, &later, None, &[], at(99)));
    let status = run.status.clone().expect("a status");
    assert_eq!(status.start_time, Some(Time(at(10))));
    assert_eq!(status.placement_time, Some(Time(now())));
    assert_eq!(status.finish_time, Some(Time(at(99))));
    assert_eq!(
        status.pair.as_ref().map(|pair| pair.client.node.as_str()),
        Some("worker-1")
    );
    assert_eq!(
        run_status(&run, &test, &progress(Stage::Settled), None, &[], at(500)),
        status
    );
    // What was written is what the next pass reads.
    let facts = crate::observed::RunFacts::from_run(&run).expect("facts");
    assert!(facts.finished && facts.placed == Some(now()) && facts.attempt == 1);
}

#[test]
fn a_test_shows_its_own_generations_run_and_never_an_older_one() {
    let mut test: NetTest = serde_yaml::from_str(PAIR_TCP).expect("a manifest");
    test.metadata.generation = Some(1);
    let mut run = run_of(PAIR_TCP);
    run.status = Some(of(
        PAIR_TCP,
        Stage::Measured(Box::new(digest(&[900_000_000]))),
    ));
    let status = test_status(&test, Some(&run), at(60));
    assert!(told(&status.conditions).ends_with("True/Passed"));
    assert_eq!(
        (status.verdict, status.results.len()),
        (Some(Verdict::Passed), 1)
    );
    assert_eq!(status.latest_run.as_deref(), Some("pair-tcp-1"));
    assert_eq!(status.last_run_time, Some(Time(at(60))));
    // The spec changes: the old figures go until the new run has its own.
    test.status = Some(status);
    test.metadata.generation = Some(2);
    let status = test_status(&test, Some(&run), at(70));
    assert!(
        told(&status.conditions).ends_with("Unknown/Pending"),
        "{}",
        told(&status.conditions)
    );
    assert_eq!(
        (
            status.verdict,
            status.results.len(),
            status.observed_generation
        ),
        (None, 0, Some(2))
    );
    assert_eq!(status.last_run_time, Some(Time(at(60))));
}

#[test]
fn without_pods_the_pair_is_what_the_engines_saw() {
    let pair = pair_from_digest(&digest(&[1])).expect("both hosts");
    assert_eq!(
        (
            pair.client.node.as_str(),
            pair.client.allowed_cpus.as_deref()
        ),
        ("pod", Some("0-3"))
    );
}
