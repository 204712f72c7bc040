use super::*;
use crate::{
    aggregate::aggregate,
    ledger::PairRecord,
    testing::{PAIR_TCP, digest, valid},
    valid::Lane,
};
use nettest_api::result::PairState;

const GBIT: u64 = 1_000_000_000;

fn manifest(more: &str) -> String {
    format!(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {{name: a, namespace: nettest-system}}
spec:
  sweep: {{paths: [PodIP, Host]}}
  {more}
"
    )
}

fn result(variant: &str, rates: &[u64]) -> VariantResult {
    let results = aggregate(&valid(PAIR_TCP), &digest(rates));
    let [result] = results.try_into().expect("one");
    VariantResult {
        variant: variant.to_owned(),
        ..result
    }
}

fn said(more: &str, nodes: (&str, &str), results: &[VariantResult]) -> Vec<Diagnosis> {
    let pair = MeasuredPair {
        client: nodes.0,
        server: nodes.1,
        results: results.iter().collect(),
        client_link: None,
        server_link: None,
    };
    of_pair(&valid(&manifest(more)), &pair)
}

fn both(pods: &[u64], hosts: &[u64]) -> Vec<VariantResult> {
    vec![result("tcp-p1-podip", pods), result("tcp-p1-host", hosts)]
}

#[test]
fn a_pod_network_slower_than_its_nodes_is_told_with_the_ratio() {
    let mut results = both(
        &[6 * GBIT, 6 * GBIT, 7 * GBIT],
        &[9 * GBIT, 9 * GBIT, 8 * GBIT],
    );
    for (result, cpu) in results.iter_mut().zip([980, 700]) {
        (result.client_cpu_milli, result.server_cpu_milli) = (Some(cpu), Some(cpu - 100));
    }
    let [found] = said("", ("a", "b"), &results).try_into().expect("one");
    assert_eq!(found.reason, "OverlayOverhead");
    assert_eq!(
        found.message,
        "from a to b the pod network carried 6.00 Gbit/s (tcp-p1-podip, client at 98 % of a CPU and server at 88 %), the nodes' own 9.00 Gbit/s (tcp-p1-host, client at 70 % of a CPU and server at 60 %): 1.50 times as much"
    );
}

#[test]
fn nothing_is_said_of_a_pod_network_that_may_be_innocent() {
    let (slow, fast) = ([6 * GBIT; 3], [9 * GBIT; 3]);
    let nodes = ("a", "b");
    assert_eq!(said("", nodes, &both(&slow, &fast)).len(), 1);
    for (why, more, nodes, results) in [
        ("one node", "", ("a", "a"), both(&slow, &fast)),
        (
            "less than a tenth",
            "",
            nodes,
            both(&[9 * GBIT], &[9_900_000_000]),
        ),
        (
            "their repeats overlap",
            "",
            nodes,
            both(&slow, &[9 * GBIT, 6 * GBIT, 9 * GBIT]),
        ),
        (
            "one path alone",
            "",
            nodes,
            vec![result("tcp-p1-podip", &slow)],
        ),
        ("nothing came", "", nodes, both(&[0], &fast)),
        (
            "CPUs may differ",
            "client: {cpu: {mode: Exclusive, enforcement: Preferred}}",
            nodes,
            both(&slow, &fast),
        ),
        (
            "datagrams",
            "traffic: {protocol: UDP, bitrate: 0}",
            nodes,
            vec![result("udp-p1-podip", &slow), result("udp-p1-host", &fast)],
        ),
    ] {
        assert_eq!(said(more, nodes, &results), [], "{why}");
    }
}

#[test]
fn repeats_too_far_apart_are_told_by_variant() {
    let results = both(&[GBIT, 2 * GBIT], &[2 * GBIT, 2 * GBIT]);
    let allowed = "repeats: {count: 2, maxSpreadPercent: 20}";
    let [found] = said(allowed, ("a", "a"), &results).try_into().expect("one");
    assert_eq!(found.reason, "Unstable");
    assert_eq!(
        found.message,
        "tcp-p1-podip: client to server: 1.00 Gbit/s to 2.00 Gbit/s over 2 repeats, a spread of 100 %, at most 20 % asked"
    );
    // Nobody asked.
    assert_eq!(said("", ("a", "a"), &results), []);
}

#[test]
fn of_many_pairs_each_reason_is_told_once() {
    let test = valid(&manifest("topology: {type: Mesh}"));
    let record = |server: &str, lane: Lane, result: VariantResult| PairRecord {
        client: "a".to_owned(),
        server: server.to_owned(),
        lane,
        second_pass: false,
        state: PairState::Measured,
        attempt: 1,
        reason: None,
        message: String::new(),
        results: vec![result],
        diagnosis: vec![],
        unpinned: None,
        client_link: None,
        server_link: None,
        documents: None,
        client_zone: None,
        server_zone: None,
    };
    let lanes = test.lanes();
    let slow = |server| {
        [
            record(server, lanes[0], result("tcp-p1-podip", &[6 * GBIT])),
            record(server, lanes[1], result("tcp-p1-host", &[9 * GBIT])),
        ]
    };
    let mut records: Vec<PairRecord> = ["b", "c", "d"].into_iter().flat_map(slow).collect();
    records[5].results = vec![result("tcp-p1-host", &[6 * GBIT])];
    let ledger = Ledger((0..).zip(records).collect());
    let [found] = of_run(&test, &ledger).try_into().expect("one");
    assert!(
        found
            .message
            .starts_with("a -> b: from a to b the pod network"),
        "{found:?}"
    );
    assert!(
        found.message.ends_with("; so, too, 1 more of 3 pairs"),
        "{found:?}"
    );
}
