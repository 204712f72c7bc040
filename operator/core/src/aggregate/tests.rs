use crate::testing::{PAIR_TCP, digest, figures, host, valid};
use nettest_api::result::VariantResult;
use nettest_api::result::{FastPath, Flow};
use nettest_report::digest::{Digest, Figures};
use nettest_report::report::{HostFacts, SocketFacts};
use proptest::prelude::*;

fn aggregate(digest: &Digest) -> Vec<VariantResult> {
    super::aggregate(&valid(PAIR_TCP), digest)
}

#[test]
fn the_result_is_the_median_repeat_as_it_ran() {
    let mut digest = digest(&[900, 500, 800]);
    digest.figures[0].retransmits = vec![1, 2, 3];
    digest.figures[0].rtt_microseconds = vec![10, 20, 30];
    digest.figures[0].client_cpu_milli = vec![900, 950, 980];
    insta::assert_yaml_snapshot!("median", aggregate(&digest));
}

#[test]
fn of_an_even_count_the_lower_of_the_two_in_the_middle() {
    for (rates, median) in [
        (&[4, 1, 3, 2][..], 2),
        (&[7, 9], 7),
        (&[5], 5),
        (&[5, 5, 5], 5),
        (&[0, 0, 8], 0),
    ] {
        let result = &aggregate(&digest(rates))[0];
        assert_eq!(
            result.throughput_bits_per_second.median, median,
            "{rates:?}"
        );
        assert_eq!(result.receiver_bits_per_second, median);
        // All figures are of that one repeat.
        assert_eq!(result.sender_bits_per_second, median + 1);
        assert_eq!(result.repeats as usize, rates.len());
    }
}

#[test]
fn the_spread_is_over_all_repeats() {
    let spread = aggregate(&digest(&[100, 80, 110]))[0].throughput_bits_per_second;
    assert_eq!(
        (spread.min, spread.max, spread.spread_percent),
        (80, 110, 30)
    );
    let nothing = aggregate(&digest(&[0, 0]))[0].throughput_bits_per_second;
    assert_eq!(nothing.spread_percent, 0);
}

#[test]
fn both_flows_of_a_bidirectional_test_are_results() {
    let mut digest = digest(&[1, 2, 3]);
    digest
        .figures
        .push(figures("ServerToClient", &[30, 20, 10]));
    let results = aggregate(&digest);
    let seen: Vec<_> = results
        .iter()
        .map(|result| (result.flow, result.receiver_bits_per_second))
        .collect();
    assert_eq!(
        seen,
        [(Flow::ClientToServer, 2), (Flow::ServerToClient, 20)]
    );
}

#[test]
fn loss_is_in_ppm_and_never_rounds_to_none() {
    let loss = |lost: Vec<u64>, datagrams: Vec<u64>| {
        let mut digest = digest(&[9]);
        digest.figures[0].lost_datagrams = lost;
        digest.figures[0].datagrams = datagrams;
        aggregate(&digest)[0].loss_ppm
    };
    assert_eq!(loss(vec![10], vec![1_000]), Some(10_000));
    assert_eq!(loss(vec![0], vec![1_000]), Some(0));
    assert_eq!(loss(vec![1], vec![10_000_000]), Some(1));
    assert_eq!(loss(vec![u64::MAX], vec![u64::MAX]), Some(1_000_000));
    // Unknown stays unknown.
    assert_eq!(loss(vec![], vec![1_000]), None);
    assert_eq!(loss(vec![5], vec![]), None);
    assert_eq!(loss(vec![0], vec![0]), None);
}

#[test]
fn what_carried_a_flow_is_said_by_the_end_that_did_it() {
    let mut digest = digest(&[9]);
    digest.figures.push(figures("ServerToClient", &[9]));
    digest.figures[0].fairness_ppm = vec![990_000];
    let end = |qdisc: &str, congestion: &str, sockets: SocketFacts| HostFacts {
        qdisc: Some(qdisc.to_owned()),
        sockets: SocketFacts {
            congestion: Some(congestion.to_owned()),
            ..sockets
        },
        ..host("0-3", 4)
    };
    digest.client_host = Some(end(
        "fq",
        "bbr",
        SocketFacts {
            zerocopy: Some(true),
            skip_rx_copy: Some(true),
            gso: Some(false),
            ..SocketFacts::default()
        },
    ));
    digest.server_host = Some(end(
        "noqueue",
        "cubic",
        SocketFacts {
            gso: Some(true),
            gro: Some(true),
            ..SocketFacts::default()
        },
    ));
    let results = aggregate(&digest);
    let seen: Vec<_> = results
        .iter()
        .map(|result| {
            (
                result.fast_paths.as_slice(),
                result.congestion_control.as_deref(),
                result.fairness_ppm,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (
                &[FastPath::ZeroCopy, FastPath::UDPMerging][..],
                Some("bbr"),
                Some(990_000)
            ),
            (
                &[FastPath::SkipReceiveCopy, FastPath::UDPSegmentation][..],
                Some("cubic"),
                None
            ),
        ]
    );
    // Of the ends, whoever sends.
    for result in &results {
        let qdiscs = (
            result.client_qdisc.as_deref(),
            result.server_qdisc.as_deref(),
        );
        assert_eq!(qdiscs, (Some("fq"), Some("noqueue")));
    }
}

#[test]
fn unknown_is_absent_and_what_was_not_received_is_no_result() {
    let result = &aggregate(&digest(&[9]))[0];
    assert_eq!(
        (
            result.retransmits,
            result.rtt_microseconds,
            result.jitter_microseconds
        ),
        (None, None, None)
    );
    let json = serde_json::to_value(result).expect("JSON");
    assert!(
        json.get("lossPPM").is_none() && json.get("clientCPUMilli").is_none(),
        "{json}"
    );
    for key in [
        "fairnessPPM",
        "fastPaths",
        "congestionControl",
        "clientQdisc",
        "serverQdisc",
    ] {
        assert!(json.get(key).is_none(), "{key}: {json}");
    }
    assert!(aggregate(&digest(&[])).is_empty());
    let mut other = digest(&[1]);
    other.figures[0].flow = "sideways".to_owned();
    assert!(aggregate(&other).is_empty());
}

/// A mesh measures both ways one after the other: two variants of one name, a flow each. With several variants each
/// has what its own sockets were granted.
#[test]
fn each_variant_of_a_mesh_is_a_result_each_way_with_its_own_sockets() {
    let test = valid(
        "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: a, namespace: default}
spec:
  topology: {type: Mesh}
  sweep: {parallelStreams: [1, 4]}
  repeats: {count: 1}
",
    );
    let mut digest = digest(&[]);
    let keys = [
        ("tcp-p1", "ClientToServer", 10),
        ("tcp-p1-reverse", "ServerToClient", 20),
        ("tcp-p4", "ClientToServer", 30),
        ("tcp-p4-reverse", "ServerToClient", 40),
        ("of-another-test", "ClientToServer", 50),
    ];
    digest.figures = keys
        .iter()
        .map(|(key, flow, rate)| Figures {
            variant: (*key).to_owned(),
            sender_sockets: Some(SocketFacts {
                congestion: Some(format!("cc{rate}")),
                zerocopy: Some(*rate == 40),
                ..SocketFacts::default()
            }),
            receiver_sockets: Some(SocketFacts {
                skip_rx_copy: Some(*rate == 10),
                ..SocketFacts::default()
            }),
            ..figures(flow, &[*rate])
        })
        .collect();
    let results = super::aggregate(&test, &digest);
    let seen: Vec<_> = results
        .iter()
        .map(|result| {
            (
                result.variant.as_str(),
                result.flow,
                result.receiver_bits_per_second,
                result.congestion_control.as_deref(),
                result.fast_paths.as_slice(),
            )
        })
        .collect();
    let (there, back) = (Flow::ClientToServer, Flow::ServerToClient);
    assert_eq!(
        seen,
        [
            (
                "tcp-p1",
                there,
                10,
                Some("cc10"),
                &[FastPath::SkipReceiveCopy][..]
            ),
            ("tcp-p1", back, 20, Some("cc20"), &[]),
            ("tcp-p4", there, 30, Some("cc30"), &[]),
            ("tcp-p4", back, 40, Some("cc40"), &[FastPath::ZeroCopy]),
        ]
    );
}

proptest! {
    /// Whatever was measured, all figures are of one repeat that ran, and half of the others lie on either side.
    #[test]
    fn the_median_is_a_repeat(rates in prop::collection::vec(any::<u64>().prop_map(|rate| rate / 2), 1..50)) {
        let mut digest = digest(&[]);
        digest.figures = vec![figures("ClientToServer", &rates)];
        digest.figures[0].retransmits = (0..).take(rates.len()).collect();
        let results = aggregate(&digest);
        prop_assert_eq!(results.len(), 1);
        let result = &results[0];
        let spread = result.throughput_bits_per_second;
        let repeat = usize::try_from(result.retransmits.unwrap()).unwrap();
        prop_assert_eq!(i64::try_from(rates[repeat]).unwrap(), spread.median);
        prop_assert_eq!(result.sender_bits_per_second, spread.median.saturating_add(1));
        let below = rates.iter().filter(|rate| **rate < rates[repeat]).count();
        let above = rates.iter().filter(|rate| **rate > rates[repeat]).count();
        prop_assert!(below <= (rates.len() - 1) / 2 && above <= rates.len() / 2);
        prop_assert!(spread.min <= spread.median && spread.median <= spread.max);
        prop_assert!(spread.spread_percent >= 0);
    }
}
