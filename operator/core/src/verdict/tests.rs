mod many;
mod relative;
mod stability;

use super::{Judgement, MeasuredPair};
use crate::valid::ValidTest;
use crate::{
    aggregate::aggregate,
    testing::{CPU_PINNED, PAIR_TCP, PAIR_UDP, digest, figures, measured_by, valid},
};
use nettest_api::result::{VariantResult, Verdict};

const M: u64 = 1_000_000;

fn verdict(test: &ValidTest, results: &[VariantResult]) -> Judgement {
    let pair = MeasuredPair {
        client: "a",
        server: "b",
        results: results.iter().collect(),
        client_link: None,
        server_link: None,
    };
    super::verdict(test, &[pair], &[])
}

fn udp(rates: [u64; 2], lost: [&[u64]; 2]) -> Vec<VariantResult> {
    let mut digest = digest(&[rates[0]]);
    digest.figures.push(figures("ServerToClient", &[rates[1]]));
    for (figures, lost) in digest.figures.iter_mut().zip(lost) {
        figures.lost_datagrams = lost.to_vec();
        figures.datagrams = vec![M];
    }
    let test = valid(PAIR_UDP);
    aggregate(&test, &measured_by(&test, digest))
}

#[test]
fn a_bound_is_met_at_its_own_value() {
    for (rate, is) in [(900 * M, Verdict::Passed), (900 * M - 1, Verdict::Failed)] {
        let judged = verdict(
            &valid(PAIR_TCP),
            &aggregate(&valid(PAIR_TCP), &digest(&[rate])),
        );
        assert_eq!(judged.verdict, is, "{rate}");
        assert_eq!(judged.thresholds[0].met, is == Verdict::Passed);
    }
    let judged = verdict(
        &valid(PAIR_TCP),
        &aggregate(&valid(PAIR_TCP), &digest(&[191 * M])),
    );
    assert_eq!(judged.thresholds[0].name, "at-least-900m");
    assert_eq!(
        judged.thresholds[0].message,
        "191 Mbit/s at the receiver, at least 900 Mbit/s asked"
    );
}

#[test]
fn every_flow_must_meet_every_threshold() {
    let test = valid(PAIR_UDP);
    let met = |results: &[VariantResult]| -> Vec<bool> {
        verdict(&test, results)
            .thresholds
            .iter()
            .map(|threshold| threshold.met)
            .collect()
    };
    // loss at most 100 ppm, rate at least 90 Mbit/s
    assert_eq!(met(&udp([95 * M, 95 * M], [&[100], &[0]])), [true, true]);
    assert_eq!(met(&udp([95 * M, 95 * M], [&[0], &[101]])), [false, true]);
    assert_eq!(met(&udp([95 * M, 89 * M], [&[0], &[0]])), [true, false]);
    let judged = verdict(&test, &udp([95 * M, 89 * M], [&[0], &[0]]));
    assert_eq!(judged.verdict, Verdict::Failed);
    assert_eq!(
        judged.thresholds[1].message,
        "client to server: 95.0 Mbit/s at the receiver, at least 90.0 Mbit/s asked; server to client: 89.0 Mbit/s at the receiver, at least 90.0 Mbit/s asked"
    );
}

#[test]
fn unknown_loss_meets_no_bound() {
    let judged = verdict(&valid(PAIR_UDP), &udp([95 * M, 95 * M], [&[0], &[]]));
    assert!(!judged.thresholds[0].met);
    assert!(
        judged.thresholds[0].message.contains("loss is unknown"),
        "{:?}",
        judged.thresholds[0]
    );
}

#[test]
fn without_thresholds_measured_is_passed() {
    let judged = verdict(
        &valid(CPU_PINNED),
        &aggregate(&valid(PAIR_TCP), &digest(&[1])),
    );
    assert_eq!(
        (judged.verdict, judged.thresholds.len()),
        (Verdict::Passed, 0)
    );
    // And a threshold on nothing is missed.
    assert_eq!(verdict(&valid(PAIR_TCP), &[]).verdict, Verdict::Failed);
}
