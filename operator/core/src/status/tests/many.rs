//! Runs with several pairs.

use super::*;
use crate::{
    aggregate::aggregate,
    ledger::{Ledger, PairRecord},
    plan::Many,
    valid::{Lane, NodeName},
};
use nettest_api::result::{Flow, PairState, Suspect};

const MESH: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: mesh, namespace: default}
spec:
  topology: {type: Mesh}
  traffic: {parallelStreams: 4}
  thresholds:
    - {name: at-least-900m, metric: Throughput, min: 900M}
    - {name: wish, metric: Throughput, min: 950M, severity: Warn}
";

const M: u64 = 1_000_000;

/// `Err`: why it could not be measured.
fn record(server: &str, rate: Result<u64, Reason>) -> PairRecord {
    PairRecord {
        client: "a".to_owned(),
        server: server.to_owned(),
        lane: Lane::PODS,
        second_pass: false,
        state: match rate {
            Ok(_) => PairState::Measured,
            Err(_) => PairState::Failed,
        },
        attempt: 1,
        reason: rate.err(),
        message: rate.err().map_or("", |_| "so it is").to_owned(),
        results: rate.map_or(vec![], |rate| {
            aggregate(&valid(PAIR_TCP), &digest(&[rate, rate, rate]))
        }),
        diagnosis: vec![],
        unpinned: None,
        client_link: None,
        server_link: None,
        documents: None,
        client_zone: None,
        server_zone: None,
    }
}

fn concluded(manifest: &str, records: Vec<PairRecord>) -> NetTestRunStatus {
    ended(manifest, records, vec![])
}

fn ended(manifest: &str, records: Vec<PairRecord>, suspects: Vec<Suspect>) -> NetTestRunStatus {
    let many = Many {
        nodes: ["a", "b", "c", "d"].map(NodeName::from).to_vec(),
        pairs: u32::try_from(records.len()).expect("few"),
        running: vec![],
        ledger: Ledger((0..).zip(records).collect()),
        suspects,
    };
    let progress = Progress {
        pair: None,
        many: Some(many),
        ..progress(Stage::Concluded)
    };
    run_status(
        &run_of(manifest),
        &valid(manifest),
        &progress,
        None,
        &[],
        at(60),
    )
}

fn message(status: &NetTestRunStatus, type_: &str) -> String {
    let found = find(&status.conditions, type_).expect("a condition");
    found.message.clone()
}

#[test]
fn what_the_conditions_say_of_several_pairs() {
    let good = || record("b", Ok(960 * M));
    let lost = |server, reason| record(server, Err(reason));
    for (records, verdict, is) in [
        (
            vec![good(), good()],
            Verdict::Passed,
            "True/Valid True/PodsRunning True/MeasurementComplete True/ThresholdsMet False/SharedPool True/Passed",
        ),
        (
            vec![good(), record("c", Ok(M))],
            Verdict::Failed,
            "True/Valid True/PodsRunning True/MeasurementComplete False/ThresholdNotMet False/SharedPool False/ThresholdNotMet",
        ),
        (
            vec![good(), lost("c", Reason::PeerUnreachable)],
            Verdict::Failed,
            "True/Valid True/PodsRunning False/NotMeasured True/ThresholdsMet False/SharedPool False/NotMeasured",
        ),
        (
            vec![record("b", Ok(M)), lost("c", Reason::PeerUnreachable)],
            Verdict::Failed,
            "True/Valid True/PodsRunning False/NotMeasured False/ThresholdNotMet False/SharedPool False/ThresholdNotMet",
        ),
        (
            vec![
                lost("b", Reason::NodeLost),
                lost("c", Reason::PeerUnreachable),
                lost("d", Reason::PeerUnreachable),
            ],
            Verdict::Error,
            "True/Valid True/PodsRunning False/NotMeasured Unknown/NotMeasured Unknown/NotMeasured False/PeerUnreachable",
        ),
        (
            vec![lost("b", Reason::QuotaExceeded)],
            Verdict::Error,
            "True/Valid False/QuotaExceeded False/NotMeasured Unknown/NotMeasured Unknown/NotMeasured False/QuotaExceeded",
        ),
    ] {
        let status = concluded(MESH, records);
        assert_eq!(told(&status.conditions), is);
        assert_eq!(status.verdict, Some(verdict), "{is}");
        assert!(finished(&status) && status.finish_time.is_some(), "{is}");
    }
}

#[test]
fn the_message_of_the_end_has_all_that_is_wrong() {
    let suspect = |node: &str, confirmed| Suspect {
        node: node.to_owned(),
        confirmed,
        bad_pairs: 2,
        good_pairs: 0,
        message: format!("{node} is slow"),
    };
    let status = ended(
        MESH,
        vec![
            record("b", Ok(M)),
            record("c", Ok(940 * M)),
            record("d", Err(Reason::PeerUnreachable)),
        ],
        vec![suspect("b", true), suspect("c", false)],
    );
    assert_eq!(
        message(&status, condition::SUCCEEDED),
        "at-least-900m: 1.00 Mbit/s from a to b, at least 900 Mbit/s asked; missed by 1 of 2 pairs; 1 of 3 pairs could not be measured: a -> d: PeerUnreachable: so it is; b is slow"
    );
    assert_eq!(
        message(&status, condition::COMPLETE),
        message(&status, condition::SUCCEEDED)
    );
    // A warning fails nothing, and is told.
    let status = concluded(
        MESH,
        vec![record("b", Ok(940 * M)), record("c", Ok(960 * M))],
    );
    assert_eq!(status.verdict, Some(Verdict::Passed));
    assert_eq!(
        message(&status, condition::WITHIN_THRESHOLDS),
        "every threshold that fails the test is met; missed with a warning: wish: 940 Mbit/s from a to b, at least 950 Mbit/s asked; missed by 1 of 2 pairs"
    );
    assert_eq!(
        message(&status, condition::SUCCEEDED),
        "every pair was measured; missed with a warning: wish: 940 Mbit/s from a to b, at least 950 Mbit/s asked; missed by 1 of 2 pairs"
    );
    assert_eq!(status.pairs[0].missed, ["wish"]);
    // Where nothing was measured, no threshold is to blame.
    let status = concluded(MESH, vec![record("b", Err(Reason::NodeLost))]);
    assert_eq!(
        message(&status, condition::SUCCEEDED),
        "a -> b: NodeLost: so it is"
    );
}

#[test]
fn one_pair_on_two_paths_is_a_result_when_both_were_measured() {
    let manifest = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: paths, namespace: nettest-system}
spec:
  sweep: {paths: [PodIP, Host]}
  thresholds:
    - {name: near, metric: Throughput, relativeTo: {kind: Variant, variant: tcp-p1-host, percent: 90}}
";
    let lanes = valid(manifest).lanes();
    let of = |lane: usize, rate: Result<u64, Reason>| {
        let mut record = record("b", rate);
        record.lane = lanes[lane];
        for result in &mut record.results {
            result.variant = ["tcp-p1-podip", "tcp-p1-host"][lane].to_owned();
        }
        record
    };
    let status = concluded(manifest, vec![of(0, Ok(6_000 * M)), of(1, Ok(9_000 * M))]);
    assert_eq!(status.verdict, Some(Verdict::Failed));
    assert_eq!(status.results.len(), 2);
    let [found] = &status.diagnosis[..] else {
        panic!("{:?}", status.diagnosis);
    };
    assert_eq!(found.reason, "OverlayOverhead");
    let [threshold] = &status.thresholds[..] else {
        panic!("one threshold");
    };
    assert_eq!(threshold.pair.as_deref(), Some("a -> b"));
    assert_eq!(
        threshold.message,
        "6.00 Gbit/s at the receiver, at least 8.10 Gbit/s (90 % of the 9.00 Gbit/s of tcp-p1-host) asked"
    );
    let status = concluded(
        manifest,
        vec![of(0, Ok(M)), of(1, Err(Reason::PortConflict))],
    );
    assert_eq!(status.verdict, Some(Verdict::Error));
    assert!(told(&status.conditions).ends_with("False/PortConflict"));
}

#[test]
fn cpus_of_many_pairs() {
    let with = |client: &str, server: &str| {
        MESH.replace(
            "  traffic:",
            &format!(
                "  client: {{cpu: {{{client}}}}}\n  server: {{cpu: {{{server}}}}}\n  traffic:"
            ),
        )
    };
    let exclusive = "mode: Exclusive";
    let preferred = "mode: Exclusive, enforcement: Preferred";
    let fallen = PairRecord {
        unpinned: Some("the client's engine was allowed 4 of 4 CPUs".to_owned()),
        ..record("c", Ok(960 * M))
    };
    let good = record("b", Ok(960 * M));
    let cpus = |manifest: &str, records: Vec<PairRecord>| {
        let status = concluded(manifest, records);
        assert_eq!(status.verdict, Some(Verdict::Passed));
        let found = find(&status.conditions, condition::CPU_PINNED).expect("CPUPinned");
        format!("{}/{}: {}", found.status, found.reason, found.message)
    };
    assert_eq!(
        cpus(&with(exclusive, exclusive), vec![good.clone()]),
        "True/ExclusiveConfirmed: every engine confirmed CPUs of its own"
    );
    assert_eq!(
        cpus(&with(exclusive, "mode: Shared"), vec![good.clone()]),
        "False/SharedPool: servers ran in the shared pool"
    );
    assert_eq!(
        cpus(&with(preferred, preferred), vec![good.clone()]),
        "True/ExclusiveConfirmed: every engine confirmed CPUs of its own"
    );
    assert_eq!(
        cpus(&with(preferred, preferred), vec![good, fallen]),
        "False/Refused: 1 of 2 pairs ran without CPUs of their own, the first of them a -> c: the client's engine was allowed 4 of 4 CPUs"
    );
}

#[test]
fn what_the_schedule_says_stays() {
    let mut test: NetTest = serde_yaml::from_str(MESH).expect("a manifest");
    test.metadata.generation = Some(1);
    test.status = Some(NetTestStatus {
        next_run_time: Some(Time(at(900))),
        last_schedule_time: Some(Time(at(1))),
        ..NetTestStatus::default()
    });
    let mut run = run_of(MESH);
    run.status = Some(concluded(MESH, vec![record("b", Ok(960 * M))]));
    for run in [None, Some(&run)] {
        let status = test_status(&test, run, at(60));
        assert_eq!(status.next_run_time, Some(Time(at(900))));
        assert_eq!(status.last_schedule_time, Some(Time(at(1))));
        assert_eq!(status.progress.is_some(), run.is_some());
    }
}

/// 100 nodes, 64 variants both ways with every figure, sixteen thresholds, everything missed, all names long.
#[test]
fn a_mesh_of_a_hundred_nodes_fits_a_status() {
    let thresholds: String = (0..16)
        .map(|number| {
            let name = format!("{number:x}-{}", "n".repeat(60));
            format!("    - {{name: {name}, metric: Throughput, min: 900T}}\n")
        })
        .collect();
    let manifest = format!(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {{name: mesh, namespace: default}}
spec:
  topology: {{type: Mesh}}
  traffic: {{duration: 1s, omit: 0s}}
  repeats: {{count: 1}}
  thresholds:\n{thresholds}"
    );
    let test = valid(&manifest);
    let node =
        |number: u32| format!("node-{number:03}.a-rather-long-domain.of.a.cloud.example.com");
    let mut full = aggregate(
        &valid(PAIR_TCP),
        &digest(&[94_123_456_789, 14_123_456_789, 84_123_456_789]),
    );
    let full = full.remove(0);
    let full = VariantResult {
        retransmits: Some(123_456),
        rtt_microseconds: Some(123_456),
        fairness_ppm: Some(999_999),
        client_cpu_milli: Some(10_123),
        server_cpu_milli: Some(10_123),
        congestion_control: Some("cubic".to_owned()),
        client_qdisc: Some("mq/fq_codel".to_owned()),
        server_qdisc: Some("mq/fq_codel".to_owned()),
        ..full
    };
    let results: Vec<VariantResult> = (0..64)
        .flat_map(|number| {
            let variant = format!("tcp-p{number}-{}", "v".repeat(55));
            [Flow::ClientToServer, Flow::ServerToClient].map(|flow| VariantResult {
                variant: variant.clone(),
                flow,
                ..full.clone()
            })
        })
        .collect();
    let mut ledger = Ledger::default();
    let ends = (0..100).flat_map(|client| (client + 1..100).map(move |server| (client, server)));
    // The same results for all: 4,950 copies would be the most of the test's time.
    for (number, (client, server)) in (0..).zip(ends) {
        let failed = number % 7 == 0;
        let rate = if failed {
            Err(Reason::PeerUnreachable)
        } else {
            Ok(1)
        };
        let count = if number % 500 == 1 { results.len() } else { 2 };
        let record = PairRecord {
            client: node(client),
            server: node(server),
            message: if failed {
                "x".repeat(5_000)
            } else {
                String::new()
            },
            results: if failed {
                vec![]
            } else {
                results[..count].to_vec()
            },
            ..record("b", rate)
        };
        ledger.0.insert(number, record);
    }
    assert_eq!(ledger.0.len(), 4_950);
    let suspects = (0..50)
        .map(|number| Suspect {
            node: node(number),
            confirmed: true,
            bad_pairs: 99,
            good_pairs: 0,
            message: "s".repeat(300),
        })
        .collect();
    let many = Many {
        nodes: (0..100).map(|number| NodeName(node(number))).collect(),
        pairs: 4_950,
        running: vec![],
        ledger,
        suspects,
    };
    let progress = Progress {
        pair: None,
        many: Some(many),
        ..progress(Stage::Concluded)
    };
    let status = run_status(&run_of(&manifest), &test, &progress, None, &[], at(60));
    assert_eq!(status.results.len(), 128);
    let size = serde_json::to_string(&status).expect("JSON").len();
    assert!((150 * 1024..200 * 1024).contains(&size), "{size}");
    assert!(!status.pairs.is_empty(), "no room for pairs");
}
