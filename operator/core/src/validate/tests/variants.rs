//! What a sweep becomes.

use super::*;
use crate::{
    testing::valid,
    valid::{Bitrate, Bytes, Lane, ValidVariant},
};
use nettest_api::{
    endpoint::Network,
    path::PathKind,
    traffic::{Direction, Protocol},
};

fn variants(spec: &str) -> Vec<ValidVariant> {
    valid(&manifest(spec)).variants
}

fn names(spec: &str) -> String {
    let names: Vec<String> = variants(spec).into_iter().map(|v| v.name).collect();
    names.join(" ")
}

#[test]
fn names_say_what_varies_and_no_more() {
    for (spec, expected) in [
        ("{}", "tcp-p1"),
        (
            "{traffic: {parallelStreams: 4, messageSize: 8Ki}}",
            "tcp-p4",
        ),
        ("{traffic: {protocol: SCTP}}", "sctp-p1"),
        ("{sweep: {parallelStreams: [1, 8]}}", "tcp-p1 tcp-p8"),
        ("{sweep: {protocols: [TCP, UDP]}}", "tcp-p1 udp-p1"),
        // One of a list is nothing that varies.
        (
            "{sweep: {messageSizes: [1400], windowSizes: [1Mi], congestionControls: [bbr], paths: [ClusterIP]}}",
            "tcp-p1",
        ),
        (
            "{traffic: {protocol: UDP}, sweep: {messageSizes: [64, 1400, 8Ki]}}",
            "udp-p1-l64 udp-p1-l1400 udp-p1-l8192",
        ),
        (
            "{sweep: {windowSizes: [256Ki, 4Mi]}}",
            "tcp-p1-w262144 tcp-p1-w4194304",
        ),
        // UDP has no congestion control to vary.
        (
            "{sweep: {protocols: [TCP, UDP], congestionControls: [cubic, bbr]}}",
            "tcp-p1-cubic tcp-p1-bbr udp-p1",
        ),
        (
            "{sweep: {congestionControls: [scalable, bbr_v2]}}",
            "tcp-p1-scalable tcp-p1-bbr-v2",
        ),
        (
            "{sweep: {paths: [PodIP, ClusterIP, NodePort]}}",
            "tcp-p1-podip tcp-p1-clusterip tcp-p1-nodeport",
        ),
        (
            "{sweep: {parallelStreams: [1, 4], messageSizes: [1Ki, 128Ki], paths: [PodIP, ClusterIP]}}",
            "tcp-p1-l1024-podip tcp-p1-l131072-podip tcp-p4-l1024-podip tcp-p4-l131072-podip \
             tcp-p1-l1024-clusterip tcp-p1-l131072-clusterip tcp-p4-l1024-clusterip tcp-p4-l131072-clusterip",
        ),
    ] {
        assert_eq!(names(spec), expected, "{spec}");
    }
}

#[test]
fn the_longest_names_are_labels() {
    let spec = "{topology: {type: Mesh}, sweep: {protocols: [TCP], parallelStreams: [127, 128], messageSizes: [1048575, 1Mi], windowSizes: [512Mi, 536870911], congestionControls: [abcdefghijklmno, b], paths: [ClusterIP, NodePort]}}";
    let variants = variants(spec);
    assert_eq!(variants.len(), 64);
    for variant in variants {
        assert!(crate::names::is_dns_label(&variant.key), "{}", variant.key);
    }
}

#[test]
fn each_is_what_the_sweep_says() {
    let spec = "{traffic: {messageSize: 1400, bitrate: 10M, parallelStreams: 3, congestionControl: bbr, mss: 1200, noDelay: true, zeroCopy: true, udpOffload: true, dontFragment: true, dscp: 46}, sweep: {protocols: [TCP, UDP], windowSizes: [1Mi]}}";
    let [tcp, udp] = &variants(spec)[..] else {
        panic!("two");
    };
    for variant in [tcp, udp] {
        let traffic = &variant.traffic;
        assert_eq!(
            (traffic.streams, traffic.message_size),
            (3, Some(Bytes(1400)))
        );
        assert_eq!(traffic.window, Some(Bytes(1 << 20)));
        assert_eq!(traffic.bitrate, Some(Bitrate(10_000_000)));
        assert_eq!(traffic.socket.dscp, Some(46));
    }
    // What only one of them has is left out for the other.
    assert_eq!(tcp.traffic.protocol, Protocol::TCP);
    assert!(tcp.traffic.congestion_control.is_some() && udp.traffic.congestion_control.is_none());
    assert_eq!(
        (tcp.traffic.socket.mss, udp.traffic.socket.mss),
        (Some(1200), None)
    );
    assert!(tcp.traffic.socket.no_delay && !udp.traffic.socket.no_delay);
    assert!(!tcp.traffic.socket.dont_fragment && udp.traffic.socket.dont_fragment);
    let paths = |zero_copy, udp_offload| FastPaths::These {
        zero_copy,
        skip_receive_copy: false,
        udp_offload,
    };
    assert_eq!(tcp.traffic.fast_paths, paths(true, false));
    assert_eq!(udp.traffic.fast_paths, paths(false, true));
}

#[test]
fn paths_have_their_lanes() {
    // A Host of the sweep is both ends'.
    let swept = "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: t, namespace: nettest-system}\nspec: {sweep: {paths: [PodIP, ClusterIP, Host]}}\n";
    let test = valid(swept);
    let hosts = Lane {
        client: Network::Host,
        server: Network::Host,
    };
    assert_eq!(test.lanes(), [Lane::PODS, hosts]);
    let pods: Vec<_> = test.variants_of(Lane::PODS).map(|v| v.path).collect();
    assert_eq!(pods, [PathKind::PodIP, PathKind::ClusterIP]);
    // From pod to host and back, each by itself.
    for (ends, lane) in [
        ("server: {network: Host}, path: {type: Host}", "podhost"),
        ("client: {network: Host}", "hostpod"),
        (
            "client: {network: Host}, path: {type: ClusterIP}",
            "hostpod",
        ),
    ] {
        let manifest = swept.replace("sweep: {paths: [PodIP, ClusterIP, Host]}", ends);
        assert_eq!(valid(&manifest).lanes()[0].as_str(), lane, "{ends}");
    }
}

#[test]
fn a_mesh_is_measured_both_ways() {
    let ways = |spec: &str| -> Vec<(String, String, Direction)> {
        variants(spec)
            .into_iter()
            .map(|v| (v.name, v.key, v.traffic.direction))
            .collect()
    };
    let one = |name: &str, key: &str, direction| (name.to_owned(), key.to_owned(), direction);
    assert_eq!(
        ways("{topology: {type: Mesh}, sweep: {parallelStreams: [1, 4]}}"),
        [
            one("tcp-p1", "tcp-p1", Direction::Forward),
            one("tcp-p1", "tcp-p1-reverse", Direction::Reverse),
            one("tcp-p4", "tcp-p4", Direction::Forward),
            one("tcp-p4", "tcp-p4-reverse", Direction::Reverse),
        ]
    );
    assert_eq!(
        ways("{topology: {type: Mesh}, traffic: {direction: Bidirectional}}"),
        [one("tcp-p1", "tcp-p1", Direction::Bidirectional)]
    );
    assert_eq!(
        ways("{topology: {type: Star}}"),
        [one("tcp-p1", "tcp-p1", Direction::Forward)]
    );
}

#[test]
fn what_a_sweep_cannot_be() {
    let streams: Vec<String> = (1..=65).map(|n| n.to_string()).collect();
    let sixty_five = format!("{{sweep: {{parallelStreams: [{}]}}}}", streams.join(", "));
    for (spec, says) in [
        (
            sixty_five.as_str(),
            "sweep makes more than 64 variants: shorten its lists",
        ),
        (
            "{sweep: {parallelStreams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], messageSizes: [1, 2, 3, 4, 5]}}",
            "sweep makes more than 64 variants",
        ),
        (
            "{sweep: {parallelStreams: [1, 129]}}",
            "sweep.parallelStreams[1] is 129: set 1 to 128",
        ),
        (
            "{sweep: {parallelStreams: [2, 2]}}",
            "sweep.parallelStreams has 2 twice",
        ),
        (
            "{sweep: {messageSizes: [1024, 1Ki]}}",
            "sweep.messageSizes has 1024 twice",
        ),
        (
            "{sweep: {windowSizes: [1Mi, 1024Ki]}}",
            "sweep.windowSizes has 1048576 twice",
        ),
        (
            "{sweep: {windowSizes: [1Gi]}}",
            "sweep.windowSizes[0] is 1Gi: set 1 to 512Mi",
        ),
        (
            "{sweep: {protocols: [UDP, UDP]}}",
            "sweep.protocols has UDP twice",
        ),
        (
            "{sweep: {paths: [PodIP, PodIP]}}",
            "sweep.paths has PodIP twice",
        ),
        (
            "{sweep: {protocols: [TCP, UDP], messageSizes: [64, 128Ki]}}",
            "sweep.messageSizes[1] is 128Ki: set 16 to 65507 for UDP",
        ),
        (
            "{traffic: {messageSize: 128Ki}, sweep: {protocols: [TCP, UDP]}}",
            "traffic.messageSize is 128Ki: set 16 to 65507 for UDP",
        ),
        (
            "{sweep: {messageSizes: [many]}}",
            "sweep.messageSizes[0] \"many\" is not a quantity",
        ),
        (
            "{sweep: {protocols: [UDP], congestionControls: [bbr]}}",
            "sweep.congestionControls is TCP's: remove it, or add TCP to sweep.protocols",
        ),
        (
            "{traffic: {protocol: UDP}, sweep: {congestionControls: [bbr]}}",
            "sweep.congestionControls is TCP's: remove it, or set traffic.protocol to TCP",
        ),
        (
            "{sweep: {congestionControls: [bbr, \"-F /etc/passwd\"]}}",
            "sweep.congestionControls[1] \"-F /etc/passwd\" is not a name",
        ),
        (
            "{sweep: {congestionControls: [a, a_]}}",
            "sweep makes two variants of the name tcp-p1-a",
        ),
        (
            "{path: {type: ClusterIP}, sweep: {paths: [PodIP]}}",
            "sweep.paths stands in place of path.type and server.network: remove them",
        ),
        (
            "{path: {type: Host}, server: {network: Host}, sweep: {paths: [PodIP]}}",
            "sweep.paths stands in place of path.type and server.network: remove them",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec, "{spec}: {message}");
        assert!(message.starts_with(says), "{spec}: {message}");
    }
}
