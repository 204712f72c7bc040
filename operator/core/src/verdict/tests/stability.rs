//! Repeats that lie too far apart.

use super::M;
use crate::{
    aggregate::aggregate,
    testing::{PAIR_TCP, digest, valid},
    verdict::{Judgement, MeasuredPair, verdict},
};
use nettest_api::{Reason, result::Verdict};

fn judged(rates: &[u64]) -> Judgement {
    let manifest = PAIR_TCP.replace(
        "  thresholds:",
        "  repeats: {count: 2, maxSpreadPercent: 15, maxCount: 4}\n  thresholds:",
    );
    let test = valid(&manifest);
    let results = aggregate(&test, &digest(rates));
    let pair = MeasuredPair {
        client: "a",
        server: "b",
        results: results.iter().collect(),
        client_link: None,
        server_link: None,
    };
    verdict(&test, &[pair], &[])
}

#[test]
fn a_spread_above_what_is_allowed_fails_the_test() {
    let still = judged(&[1_000 * M, 1_150 * M]);
    assert_eq!((still.verdict, still.unstable.len()), (Verdict::Passed, 0));
    let unstable = judged(&[1_000 * M, 1_160 * M, 1_000 * M]);
    assert_eq!(
        (unstable.verdict, unstable.reason),
        (Verdict::Failed, Reason::Unstable)
    );
    assert_eq!(
        unstable.unstable,
        [
            "tcp-p4, client to server: 1.00 Gbit/s to 1.16 Gbit/s over 3 repeats, a spread of 16 %, at most 15 % asked"
        ]
    );
    assert!(unstable.thresholds[0].met);
    // A missed threshold is the better reason; the spread is told all the same.
    let both = judged(&[100 * M, 200 * M]);
    assert_eq!(
        (both.reason, both.unstable.len()),
        (Reason::ThresholdNotMet, 1)
    );
    // Nobody asked.
    let test = valid(PAIR_TCP);
    let results = aggregate(&test, &digest(&[1_000 * M, 9_000 * M]));
    let pair = MeasuredPair {
        client: "a",
        server: "b",
        results: results.iter().collect(),
        client_link: None,
        server_link: None,
    };
    assert_eq!(verdict(&test, &[pair], &[]).verdict, Verdict::Passed);
}

#[test]
fn of_many_the_widest_are_told_and_how_many_more() {
    let test = valid(&PAIR_TCP.replace(
        "  thresholds:",
        "  repeats: {count: 2, maxSpreadPercent: 15}\n  thresholds:",
    ));
    let results: Vec<_> = (0..20)
        .map(|step| aggregate(&test, &digest(&[1_000 * M, (1_200 + step) * M])))
        .collect();
    let pairs: Vec<MeasuredPair<'_>> = results
        .iter()
        .map(|results| MeasuredPair {
            client: "a",
            server: "b",
            results: results.iter().collect(),
            client_link: None,
            server_link: None,
        })
        .collect();
    let told = verdict(&test, &pairs, &[]).unstable;
    assert_eq!(told.len(), 6);
    assert!(
        told[0].starts_with("tcp-p4 from a to b: 1.00 Gbit/s to 1.21 Gbit/s"),
        "{told:?}"
    );
    assert_eq!(told[5], "and 15 more");
}
