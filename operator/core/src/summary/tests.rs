use super::*;
use crate::{
    testing::{PAIR_TCP, digest, valid},
    valid::Lane,
};
use nettest_api::{Reason, path::PathKind};
use proptest::prelude::*;

fn record(client: &str, server: &str, rate: Option<u64>) -> PairRecord {
    let test = valid(PAIR_TCP);
    PairRecord {
        client: client.to_owned(),
        server: server.to_owned(),
        lane: Lane::PODS,
        second_pass: false,
        state: if rate.is_some() {
            PairState::Measured
        } else {
            PairState::Failed
        },
        attempt: 1,
        reason: rate.is_none().then_some(Reason::PeerUnreachable),
        message: "x".repeat(if rate.is_none() { 5_000 } else { 0 }),
        results: rate.map_or(vec![], |rate| {
            crate::aggregate::aggregate(&test, &digest(&[rate, rate, rate]))
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

#[test]
fn the_worst_come_first() {
    let rates = [Some(950_000_000), Some(100), None, Some(940_000_000)];
    let servers = ["b", "c", "d", "e"];
    let records = rates.into_iter().zip(servers);
    let records = records.map(|(rate, server)| record("a", server, rate));
    let ledger = Ledger((0..).zip(records).collect());
    let rows = worst_first(&valid(PAIR_TCP), &ledger, &[], usize::MAX);
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let rate = row.figures.first();
            (
                row.state,
                rate.map(|rate| rate.throughput_bits_per_second),
                row.missed.len(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (PairState::Failed, None, 0),
            (PairState::Measured, Some(100), 1),
            (PairState::Measured, Some(940_000_000), 0),
            (PairState::Measured, Some(950_000_000), 0),
        ]
    );
    let [all] = summarise(&ledger).try_into().expect("one variant");
    let spread = all.throughput_bits_per_second;
    assert_eq!(
        (spread.min, spread.median, spread.max),
        (100, 940_000_000, 950_000_000)
    );
    assert_eq!(
        progress(7, &[5], &ledger),
        Progress {
            pairs: 7,
            running: 1,
            measured: 3,
            failed: 1
        }
    );
}

/// … with results of its own choice.
fn measured(client: &str, server: &str, lane: Lane, results: Vec<VariantResult>) -> PairRecord {
    PairRecord {
        lane,
        results,
        ..record(client, server, Some(1))
    }
}

fn result(variant: &str, flow: Flow, rate: u64) -> VariantResult {
    let test = valid(PAIR_TCP);
    let results = crate::aggregate::aggregate(&test, &digest(&[rate]));
    let [result] = results.try_into().expect("one");
    VariantResult {
        variant: variant.to_owned(),
        flow,
        ..result
    }
}

#[test]
fn a_row_has_what_its_own_lane_misses() {
    let test = valid(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: a, namespace: nettest-system}
spec:
  topology: {type: Mesh}
  sweep: {paths: [PodIP, Host]}
  thresholds:
    - {name: wish, metric: Throughput, min: 950, severity: Warn}
    - {name: near, metric: Throughput, relativeTo: {kind: Variant, variant: tcp-p1-host, percent: 90}}
",
    );
    let lanes = test.lanes();
    let flow = Flow::ClientToServer;
    let pods = |rate| vec![result("tcp-p1-podip", flow, rate)];
    let hosts = |rate| vec![result("tcp-p1-host", flow, rate)];
    let again = PairRecord {
        second_pass: true,
        ..measured("a", "b", lanes[0], pods(999))
    };
    let ledger = Ledger(
        [
            measured("a", "b", lanes[0], pods(600)),
            measured("a", "b", lanes[1], hosts(1_000)),
            measured("a", "c", lanes[0], pods(940)),
            measured("a", "c", lanes[1], hosts(1_000)),
            again,
        ]
        .into_iter()
        .zip(0..)
        .map(|(record, number)| (number, record))
        .collect(),
    );
    let rows = worst_first(&test, &ledger, &[], usize::MAX);
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let names: Vec<&str> = row.missed.iter().map(String::as_str).collect();
            (row.server.as_str(), row.second_pass, row.path, names)
        })
        .collect();
    assert_eq!(
        told,
        [
            // The second pass has nothing to compare with: it was not measured on the other lane.
            ("b", false, Some(PathKind::PodIP), vec!["wish", "near"]),
            ("b", true, Some(PathKind::PodIP), vec!["near"]),
            ("c", false, Some(PathKind::PodIP), vec!["wish"]),
            ("b", false, Some(PathKind::PodIP), vec![]),
            ("c", false, Some(PathKind::PodIP), vec![]),
        ]
    );
}

#[test]
fn of_many_figures_a_row_has_the_worst_in_their_order() {
    let results = |rates: [u64; 3]| -> Vec<VariantResult> {
        let names = ["x", "y", "z"].into_iter().zip(rates);
        let figures = names.map(|(name, rate)| result(name, Flow::ServerToClient, rate));
        figures.collect()
    };
    // 200 rows have two figures each.
    let mut ledger = Ledger::default();
    for number in 0..300 {
        let record = measured(
            "a",
            &format!("n{number}"),
            Lane::PODS,
            results([100, 1_000, 10]),
        );
        ledger.0.insert(number, record);
    }
    let slow = measured("a", "slow", Lane::PODS, results([50, 1_000, 4]));
    ledger.0.insert(300, slow);
    let test = valid(&PAIR_TCP.replace("min: 900M", "min: 0"));
    let rows = worst_first(&test, &ledger, &[], usize::MAX);
    assert_eq!(rows.len(), 200);
    let told: Vec<_> = rows[0]
        .figures
        .iter()
        .map(|figures| (figures.variant.as_str(), figures.throughput_bits_per_second))
        .collect();
    assert_eq!(
        (rows[0].server.as_str(), told),
        ("slow", vec![("x", 50), ("z", 4)])
    );
    // And no more rows than there is room for.
    let one = serde_json::to_string(&rows[0]).expect("JSON").len() + 1;
    assert_eq!(worst_first(&test, &ledger, &[], one).len(), 1);
    assert_eq!(worst_first(&test, &ledger, &[], one - 1).len(), 0);
}

#[test]
fn a_summary_is_in_the_order_of_the_variants() {
    let both = |one: &str, two: &str, rate| {
        vec![
            result(one, Flow::ClientToServer, rate),
            result(one, Flow::ServerToClient, rate + 1),
            result(two, Flow::ClientToServer, rate + 2),
        ]
    };
    let ledger = Ledger(
        [
            (
                0,
                measured("a", "b", Lane::PODS, both("tcp-p8", "tcp-p1", 10)),
            ),
            (
                1,
                measured("a", "c", Lane::PODS, both("tcp-p8", "tcp-p1", 20)),
            ),
        ]
        .into(),
    );
    let told: Vec<_> = summarise(&ledger)
        .into_iter()
        .map(|result| {
            let spread = result.throughput_bits_per_second;
            (
                result.variant,
                result.flow,
                spread.min,
                spread.median,
                spread.max,
            )
        })
        .collect();
    let there = Flow::ClientToServer;
    assert_eq!(
        told,
        [
            ("tcp-p8".to_owned(), there, 10, 10, 20),
            ("tcp-p8".to_owned(), Flow::ServerToClient, 11, 11, 21),
            ("tcp-p1".to_owned(), there, 12, 12, 22),
        ]
    );
}

proptest! {
    #[test]
    fn rows_are_the_worst_and_a_summary_is_of_a_pair_that_ran(
        rates in prop::collection::vec(prop::option::of(1u64..5_000), 1..400),
    ) {
        let records = rates.iter().enumerate();
        let records = records.map(|(number, rate)| record("a", &format!("n{number}"), *rate));
        let ledger = Ledger((0..).zip(records).collect());
        let rows = worst_first(&valid(PAIR_TCP), &ledger, &[], usize::MAX);
        prop_assert_eq!(rows.len(), rates.len().min(200));
        // Those that could not be measured, then the slowest: `None` comes first.
        let mut sorted = rates.clone();
        sorted.sort_unstable();
        let told: Vec<Option<u64>> = rows
            .iter()
            .map(|row| row.figures.first())
            .map(|figures| figures.map(|figures| figures.throughput_bits_per_second.unsigned_abs()))
            .collect();
        // Shares are millionths, so that rates a millionth apart may change places.
        prop_assert_eq!(&told[..], &sorted[..told.len()]);
        let measured: Vec<u64> = sorted.into_iter().flatten().collect();
        let summary = summarise(&ledger);
        prop_assert_eq!(summary.len(), usize::from(!measured.is_empty()));
        if let Some(one) = summary.first() {
            let middle = measured[(measured.len() - 1) / 2].cast_signed();
            prop_assert_eq!(one.throughput_bits_per_second.median, middle);
            prop_assert_eq!(one.receiver_bits_per_second, middle);
            prop_assert_eq!(one.throughput_bits_per_second.min, measured[0].cast_signed());
        }
        let figures: usize = rows.iter().map(|row| row.figures.len()).sum();
        prop_assert!(figures <= 400);
    }
}
