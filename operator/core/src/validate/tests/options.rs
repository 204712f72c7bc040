//! Every option of the traffic: its bounds, and who has it.

use super::*;
use crate::{
    testing::valid,
    valid::{Bitrate, End, SocketOptions},
};
use std::time::Duration;

#[test]
fn all_of_them() {
    let test = valid(&manifest(
        "{traffic: {blocks: 1000, bitrate: 1G, bitrateBurst: 10, fairQueueRate: 2G, mss: 1400, noDelay: true, dscp: 46, repeatingPayload: true, connectTimeout: 1500ms, receiveTimeout: 20s, sendTimeout: 30s}}",
    ));
    let traffic = &test.variants[0].traffic;
    assert_eq!(traffic.end, End::Blocks(1000));
    assert_eq!(
        (traffic.bitrate, traffic.burst),
        (Some(Bitrate(1_000_000_000)), Some(10))
    );
    assert_eq!(traffic.fair_queue_rate, Some(Bitrate(2_000_000_000)));
    assert_eq!(
        traffic.socket,
        SocketOptions {
            mss: Some(1400),
            no_delay: true,
            dscp: Some(46),
            repeating_payload: true,
            ..SocketOptions::default()
        }
    );
    assert_eq!(test.timeouts.connect, Duration::from_millis(1500));
    assert_eq!(test.timeouts.receive, Some(Duration::from_secs(20)));
    assert_eq!(test.timeouts.send, Some(Duration::from_secs(30)));

    let six = valid(&manifest(
        "{path: {ipFamily: IPv6}, traffic: {protocol: SCTP, sctpStreams: 4, flowLabel: 77}}",
    ));
    let socket = &six.variants[0].traffic.socket;
    assert_eq!(
        (socket.sctp_streams, socket.flow_label),
        (Some(4), Some(77))
    );
    let udp = valid(&manifest("{traffic: {protocol: UDP, dontFragment: true}}"));
    assert!(udp.variants[0].traffic.socket.dont_fragment);
    assert!(
        valid(&manifest("{traffic: {mptcp: true}}")).variants[0]
            .traffic
            .socket
            .mptcp
    );
    // False asks for nothing.
    for spec in [
        "{traffic: {protocol: UDP, noDelay: false, mptcp: false}}",
        "{traffic: {dontFragment: false}, path: {ipFamily: IPv6}}",
        "{traffic: {mptcp: false, dscp: 1}}",
    ] {
        assert!(checked(&manifest(spec)).is_ok(), "{spec}");
    }
}

#[test]
fn bounds_and_contradictions() {
    for (spec, says) in [
        (
            "{traffic: {blocks: 0}}",
            "traffic.blocks is 0: set 1 to 1000000000000",
        ),
        (
            "{traffic: {blocks: -5}}",
            "traffic.blocks is -5: set 1 to 1000000000000",
        ),
        (
            "{traffic: {blocks: 1000000000001}}",
            "traffic.blocks is 1000000000001: set 1 to",
        ),
        (
            "{traffic: {blocks: 1, bytes: 1}}",
            "traffic.duration, traffic.bytes and traffic.blocks exclude each other",
        ),
        (
            "{traffic: {blocks: 1, duration: 1s}}",
            "traffic.duration, traffic.bytes and traffic.blocks exclude each other",
        ),
        (
            "{traffic: {bitrateBurst: 5}}",
            "traffic.bitrateBurst needs a traffic.bitrate above 0: set it, or remove bitrateBurst",
        ),
        (
            "{traffic: {bitrate: 0, bitrateBurst: 5}}",
            "traffic.bitrateBurst needs a traffic.bitrate above 0",
        ),
        (
            "{traffic: {bitrate: 1M, bitrateBurst: 1001}}",
            "traffic.bitrateBurst is 1001: set 1 to 1000",
        ),
        (
            "{traffic: {fairQueueRate: 10}}",
            "traffic.fairQueueRate is 10: set 1k to 1T",
        ),
        ("{traffic: {mss: 87}}", "traffic.mss is 87: set 88 to 32767"),
        (
            "{traffic: {mss: 32768}}",
            "traffic.mss is 32768: set 88 to 32767",
        ),
        ("{traffic: {dscp: 64}}", "traffic.dscp is 64: set 0 to 63"),
        ("{traffic: {dscp: -1}}", "traffic.dscp is -1: set 0 to 63"),
        (
            "{path: {ipFamily: IPv6}, traffic: {flowLabel: 0}}",
            "traffic.flowLabel is 0: set 1 to 1048575",
        ),
        (
            "{traffic: {flowLabel: 1}}",
            "traffic.flowLabel is IPv6's: set path.ipFamily to IPv6, or remove flowLabel",
        ),
        (
            "{traffic: {protocol: SCTP, sctpStreams: 65536}}",
            "traffic.sctpStreams is 65536: set 1 to 65535",
        ),
        (
            "{traffic: {sctpStreams: 2}}",
            "traffic.sctpStreams is SCTP's: remove it, or set traffic.protocol to SCTP",
        ),
        (
            "{traffic: {protocol: UDP, mss: 1000}}",
            "traffic.mss is TCP's and SCTP's: remove it; UDP has traffic.messageSize",
        ),
        (
            "{traffic: {protocol: UDP, noDelay: true}}",
            "traffic.noDelay is TCP's and SCTP's: remove it; UDP never waits",
        ),
        (
            "{sweep: {protocols: [UDP, SCTP]}, traffic: {mptcp: true}}",
            "traffic.mptcp is TCP's: remove it",
        ),
        (
            "{traffic: {mptcp: true, zeroCopy: true}}",
            "traffic.mptcp: Linux takes no dscp, fairQueueRate, flowLabel, sendTimeout or zeroCopy for it",
        ),
        (
            "{traffic: {protocol: UDP, sendTimeout: 1s}}",
            "traffic.sendTimeout is TCP's",
        ),
        (
            "{traffic: {dontFragment: true}}",
            "traffic.dontFragment is UDP's: remove it, or set traffic.protocol to UDP; TCP never fragments",
        ),
        (
            "{traffic: {protocol: UDP, dontFragment: true}, path: {ipFamily: IPv6}}",
            "traffic.dontFragment is IPv4's: remove it, or set path.ipFamily to IPv4",
        ),
        (
            "{traffic: {connectTimeout: 99ms}}",
            "traffic.connectTimeout is 99ms: set 100ms to 5m",
        ),
        (
            "{traffic: {receiveTimeout: 61m}}",
            "traffic.receiveTimeout is 61m: set 100ms to 1h",
        ),
        (
            "{traffic: {sendTimeout: 0s}}",
            "traffic.sendTimeout is 0s: set 100ms to 1h",
        ),
        (
            "{traffic: {protocol: SCTP, messageSize: 2Mi}}",
            "traffic.messageSize is 2Mi: set 1 to 1Mi for SCTP",
        ),
        (
            "{repeats: {maxCount: 5}}",
            "repeats.maxCount is for repeats.maxSpreadPercent: set both, or neither",
        ),
        (
            "{repeats: {maxSpreadPercent: 10, maxCount: 2}}",
            "repeats.maxCount is less than repeats.count",
        ),
        (
            "{repeats: {maxSpreadPercent: 0}}",
            "repeats.maxSpreadPercent is 0: set 1 to 1000",
        ),
        (
            "{repeats: {maxSpreadPercent: 10, maxCount: 51}}",
            "repeats.maxCount is 51: set 1 to 50",
        ),
        (
            "{cleanup: {ttlAfterFinished: 8761h}}",
            "cleanup.ttlAfterFinished is 8761h: set 0s to 8760h",
        ),
        (
            "{cleanup: {failedRunsHistoryLimit: -1}}",
            "cleanup.failedRunsHistoryLimit is -1: set 0 to 100",
        ),
        (
            "{cleanup: {successfulRunsHistoryLimit: 101}}",
            "cleanup.successfulRunsHistoryLimit is 101: set 0 to 100",
        ),
        (
            "{schedule: {cron: \"0 3 * *\"}}",
            "schedule.cron has 4 fields: write five",
        ),
        (
            "{schedule: {cron: \"0 0 31 2 *\"}}",
            "schedule.cron never fires",
        ),
        (
            "{schedule: {cron: \"@hourly\", timeZone: Mars/Olympus}}",
            "schedule.timeZone \"Mars/Olympus\" is not in the time zone database",
        ),
        (
            "{schedule: {cron: \"@hourly\", jitter: 25h}}",
            "schedule.jitter",
        ),
        ("{rerun: \"\"}", "rerun is a text of 1 to 63 characters"),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec, "{spec}: {message}");
        assert!(message.starts_with(says), "{spec}: {message}");
    }
}

#[test]
fn repeats_have_room_for_more_where_a_spread_is_asked() {
    let most = |spec: &str| valid(&manifest(spec)).repeats.most();
    assert_eq!(most("{}"), 3);
    assert_eq!(most("{repeats: {maxSpreadPercent: 10}}"), 9);
    assert_eq!(most("{repeats: {maxSpreadPercent: 10, maxCount: 5}}"), 5);
    assert_eq!(most("{repeats: {maxSpreadPercent: 10, count: 20}}"), 20);
}
