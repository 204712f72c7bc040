//! What may be asked of a result.

use super::*;
use crate::{
    testing::valid,
    valid::{Bound, Relative},
};

#[test]
fn bounds_of_every_kind() {
    let bound = |spec: &str| valid(&manifest(spec)).thresholds[0].bound.clone();
    for (spec, expected) in [
        (
            "{thresholds: [{name: a, metric: Throughput, min: 900M}]}",
            Bound::AtLeast(900_000_000),
        ),
        (
            "{thresholds: [{name: a, metric: RTTMicroseconds, max: 500}]}",
            Bound::AtMost(500),
        ),
        (
            "{thresholds: [{name: a, metric: Retransmits, max: 0}]}",
            Bound::AtMost(0),
        ),
        (
            "{traffic: {protocol: UDP}, thresholds: [{name: a, metric: JitterMicroseconds, max: 1k}]}",
            Bound::AtMost(1000),
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90}}]}",
            Bound::Percent {
                percent: 90,
                of: Relative::LinkSpeed { node_label: None },
            },
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: example.com/speed}}]}",
            Bound::Percent {
                percent: 90,
                of: Relative::LinkSpeed {
                    node_label: Some("example.com/speed".to_owned()),
                },
            },
        ),
        (
            "{sweep: {paths: [PodIP, ClusterIP]}, thresholds: [{name: a, metric: Throughput, variant: tcp-p1-clusterip, relativeTo: {kind: Variant, variant: tcp-p1-podip, percent: 95}}]}",
            Bound::Percent {
                percent: 95,
                of: Relative::Variant("tcp-p1-podip".to_owned()),
            },
        ),
        (
            "{thresholds: [{name: a, metric: RTTMicroseconds, relativeTo: {kind: History, percent: 150}}]}",
            Bound::Percent {
                percent: 150,
                of: Relative::History { runs: 5 },
            },
        ),
    ] {
        assert_eq!(bound(spec), expected, "{spec}");
    }
}

#[test]
fn what_no_test_can_meet_is_refused() {
    for (spec, says) in [
        (
            "{thresholds: [{name: a, metric: JitterMicroseconds, max: 1}]}",
            "thresholds[0].metric JitterMicroseconds needs UDP in traffic.protocol or sweep.protocols",
        ),
        (
            "{traffic: {protocol: UDP}, thresholds: [{name: a, metric: Retransmits, max: 1}]}",
            "thresholds[0].metric Retransmits needs TCP in",
        ),
        (
            "{traffic: {protocol: SCTP}, thresholds: [{name: a, metric: RTTMicroseconds, max: 1}]}",
            "thresholds[0].metric RTTMicroseconds needs TCP in",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, min: 1, variant: udp-p1}]}",
            "thresholds[0].variant \"udp-p1\" is no variant of this test, which has tcp-p1",
        ),
        (
            "{sweep: {parallelStreams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, thresholds: [{name: a, metric: Throughput, min: 1, variant: x}]}",
            "thresholds[0].variant \"x\" is no variant of this test, which has tcp-p1, tcp-p2, tcp-p3, tcp-p4, tcp-p5, tcp-p6, tcp-p7, tcp-p8 and 2 more",
        ),
        (
            "{sweep: {protocols: [TCP, UDP]}, thresholds: [{name: a, metric: LossPPM, max: 1, variant: tcp-p1}]}",
            "thresholds[0].variant \"tcp-p1\" has no LossPPM, which is UDP's",
        ),
        (
            "{sweep: {protocols: [TCP, UDP]}, thresholds: [{name: a, metric: Retransmits, relativeTo: {kind: Variant, variant: udp-p1, percent: 90}}]}",
            "thresholds[0].relativeTo.variant \"udp-p1\" has no Retransmits, which is TCP's",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: Variant, variant: tcp-p1, percent: 90}}]}",
            "thresholds[0].relativeTo.variant \"tcp-p1\" is compared with itself",
        ),
        (
            "{sweep: {parallelStreams: [1, 2]}, thresholds: [{name: a, metric: Throughput, variant: tcp-p1, relativeTo: {kind: Variant, variant: tcp-p1, percent: 90}}]}",
            "thresholds[0].relativeTo.variant \"tcp-p1\" is compared with itself",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: Variant, percent: 90}}]}",
            "thresholds[0].relativeTo.variant and relativeTo.kind Variant need each other",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, runs: 2, percent: 90}}]}",
            "thresholds[0].relativeTo.runs is for relativeTo.kind History: remove it, or set the kind",
        ),
        (
            "{thresholds: [{name: a, metric: RTTMicroseconds, relativeTo: {kind: LinkSpeed, percent: 90}}]}",
            "thresholds[0].relativeTo.kind LinkSpeed is for metric Throughput",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: \"a b\"}}]}",
            "thresholds[0].relativeTo.nodeLabel \"a b\" is not a label's key",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: a}}, {name: b, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 50, nodeLabel: b}}]}",
            "thresholds[1].relativeTo.nodeLabel \"b\" differs from \"a\" in thresholds[0]: name one label, a link has one speed",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: History, percent: 0}}]}",
            "thresholds[0].relativeTo.percent is 0: set 1 to 1000",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, relativeTo: {kind: History, percent: 90, runs: 21}}]}",
            "thresholds[0].relativeTo.runs is 21: set 1 to 20",
        ),
        (
            "{thresholds: [{name: a, metric: Throughput, min: 1, relativeTo: {kind: History, percent: 90}}]}",
            "thresholds[0] has min, max or relativeTo: exactly one of them",
        ),
        (
            "{thresholds: [{name: a, metric: Retransmits, min: 1}]}",
            "thresholds[0] is a Retransmits threshold: set max (segments, e.g. 100) and no min",
        ),
        (
            "{thresholds: [{name: a, metric: RTTMicroseconds, max: 1T}]}",
            "thresholds[0].max is 1T: set at most 3600000000 (an hour)",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec, "{spec}: {message}");
        assert!(message.starts_with(says), "{spec}: {message}");
    }
}
