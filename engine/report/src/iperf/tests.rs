//! The document against the keys of a real iperf3 3.21 (`golden/`, from runs of the stock tool), in its order.

mod keys;

use super::*;
use crate::params::{Direction, Limit, Protocol};
use crate::sample;
use std::collections::BTreeSet;

macro_rules! golden {
    ($name:literal) => {
        include_str!(concat!("golden/", $name, ".txt"))
    };
}

fn modes() -> Vec<(Protocol, Direction, Role, &'static str)> {
    use Direction::*;
    use Protocol::*;
    use Role::*;
    vec![
        (Tcp, Forward, Client, golden!("tcp-forward-client")),
        (Tcp, Forward, Server, golden!("tcp-forward-server")),
        (Tcp, Reverse, Client, golden!("tcp-reverse-client")),
        (Tcp, Reverse, Server, golden!("tcp-reverse-server")),
        (
            Tcp,
            Bidirectional,
            Client,
            golden!("tcp-bidirectional-client"),
        ),
        (
            Tcp,
            Bidirectional,
            Server,
            golden!("tcp-bidirectional-server"),
        ),
        (Udp, Forward, Client, golden!("udp-forward-client")),
        (Udp, Forward, Server, golden!("udp-forward-server")),
        (Udp, Reverse, Client, golden!("udp-reverse-client")),
        (Udp, Reverse, Server, golden!("udp-reverse-server")),
        (
            Udp,
            Bidirectional,
            Client,
            golden!("udp-bidirectional-client"),
        ),
        (
            Udp,
            Bidirectional,
            Server,
            golden!("udp-bidirectional-server"),
        ),
    ]
}

/// The stock tool's keys, each in its place; ours beside them are under `nettest`.
#[test]
fn the_keys_of_every_mode_are_those_of_iperf3_in_its_order() {
    for (protocol, direction, role, golden) in modes() {
        for streams in [1, 4] {
            let report = sample::report(protocol, direction, role, streams);
            let text = Document::of(&report).to_pretty().unwrap();
            let ours: Vec<String> = keys::paths(&text)
                .into_iter()
                .filter(|key| !key.contains("nettest"))
                .collect();
            let stock: Vec<&str> = golden.lines().collect();
            // A stock server writes some keys of `start` earlier than a client; ours have one order.
            let (ours, stock) = match role {
                Role::Client => (ours, stock),
                Role::Server => (
                    ours.into_iter()
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect(),
                    stock
                        .into_iter()
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect(),
                ),
            };
            assert_eq!(
                ours, stock,
                "{protocol:?} {direction:?} {role:?} -P {streams}"
            );
        }
    }
}

/// Field reports 039, 040: one object, one key once.
#[test]
fn reports_039_040_no_key_occurs_twice() {
    for (protocol, direction, role, _) in modes() {
        for streams in [1, 2, 8, 128] {
            let report = sample::report(protocol, direction, role, streams);
            let text = Document::of(&report).to_pretty().unwrap();
            assert_eq!(
                keys::twice(&text),
                None,
                "{protocol:?} {direction:?} {role:?} -P {streams}"
            );
        }
    }
    // The check itself sees a duplicate.
    assert_eq!(
        keys::twice(r#"{"a": [{"b": 1, "b": 2}]}"#).as_deref(),
        Some("a[0].b")
    );
}

/// Field report 034.
#[test]
fn report_034_an_empty_row_has_finite_figures() {
    let mut report = sample::report(Protocol::Udp, Direction::Reverse, Role::Client, 1);
    let row = &mut report.intervals[2].streams[0];
    row.end = row.start;
    row.bytes = 0;
    row.udp = Some(crate::report::UdpInterval {
        packets: 0,
        lost: Some(0),
        jitter_seconds: Some(f64::NAN),
        out_of_order: Some(0),
    });
    let value = Document::of(&report).to_value().unwrap();
    let row = &value["intervals"][2]["streams"][0];
    assert_eq!(row["bits_per_second"], 0);
    assert_eq!(row["lost_percent"], 0);
    assert_eq!(row["jitter_ms"], Value::Null);
}

/// Field reports 047 and 049: what the peer never told is null, not 0 and not 2^64-1.
#[test]
fn reports_047_049_unknown_is_null() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    if let Some(end) = &mut report.end {
        end.remote_cpu = None;
        end.streams[0].received.bytes = None;
    }
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(value["end"]["sum_received"]["bytes"], Value::Null);
    assert_eq!(value["end"]["sum_received"]["bits_per_second"], Value::Null);
    assert_eq!(
        value["end"]["cpu_utilization_percent"]["remote_total"],
        Value::Null
    );
    assert_eq!(value["end"]["sum_sent"]["bytes"], sample::SENT_BYTES);
}

/// Field report 029: each sum is the count of the end that it names.
#[test]
fn report_029_udp_sums_come_from_the_end_that_counted() {
    for role in [Role::Client, Role::Server] {
        let report = sample::report(Protocol::Udp, Direction::Forward, role, 4);
        let value = Document::of(&report).to_value().unwrap();
        let end = &value["end"];
        assert_eq!(end["sum_sent"]["bytes"], 4 * sample::SENT_BYTES);
        assert_eq!(end["sum_received"]["bytes"], 4 * sample::RECEIVED_BYTES);
        assert_eq!(end["sum"]["lost_packets"], 4 * sample::LOST);
        assert_eq!(end["sum_sent"]["lost_packets"], 0);
        assert_eq!(end["sum_sent"]["sender"], true);
        assert_eq!(end["sum_received"]["sender"], false);
    }
}

#[test]
fn a_test_that_never_connected_has_the_sections_and_one_error() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.start.connected.clear();
    report.intervals.clear();
    report.end = None;
    report.error = Some("unable to connect to server: Connection refused".to_owned());
    let text = Document::of(&report).to_pretty().unwrap();
    insta::assert_snapshot!(text, @r#"
    {
    	"start": {
    		"connected": [],
    		"version": "nettest 0.1.0",
    		"system_info": "Linux node-a 6.12.0 #1 SMP x86_64"
    	},
    	"intervals": [],
    	"end": {},
    	"error": "unable to connect to server: Connection refused"
    }
    "#);
    let lines: Vec<String> = last_lines(&report)
        .iter()
        .map(|l| l.to_line().unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"error","data":"unable to connect to server: Connection refused"}"#,
            r#"{"event":"end","data":{}}"#
        ]
    );
}

#[test]
fn the_start_section_says_what_was_asked() {
    let mut report = sample::report(Protocol::Tcp, Direction::Bidirectional, Role::Client, 1);
    report.params.limit = Limit::Bytes(5_242_880);
    report.params.mss = Some(1200);
    report.params.window = Some(65_536);
    report.params.tos = 40;
    report.params.bitrate = None;
    report.params.interval = std::time::Duration::from_millis(500);
    let value = Document::of(&report).to_value().unwrap();
    let start = &value["start"];
    assert_eq!(start["timestamp"]["time"], "Mon, 30 Nov 2026 16:21:48 GMT");
    assert_eq!(start["timestamp"]["timesecs"], 1_796_055_708);
    assert_eq!(start["tcp_mss"], 1200);
    assert_eq!(start.get("tcp_mss_default"), None);
    assert_eq!(start["sock_bufsize"], 65_536);
    let test = &start["test_start"];
    assert_eq!(test["tos"], 40);
    assert_eq!(test["bytes"], 5_242_880);
    assert_eq!(test["duration"], 0);
    assert_eq!(test["interval"], 0.5);
    assert_eq!(test["bidir"], 1);
    assert_eq!(test["reverse"], 0);
    assert_eq!(test["target_bitrate"], 0);
    assert_eq!(test["omit"], 1);
}

/// Field report 050: the server's document is an object, not a text.
#[test]
fn report_050_the_servers_own_report_goes_under_its_key() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.server_output = Some(ServerOutput::Json(serde_json::json!({"end": {"x": 1}})));
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(value["server_output_json"]["end"]["x"], 1);
    assert_eq!(value.get("server_output_text"), None);
    report.server_output = Some(ServerOutput::Text("rows\n".to_owned()));
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(value["server_output_text"], "rows\n");
    assert_eq!(
        last_lines(&report)[0].to_line().unwrap(),
        r#"{"event":"server_output_text","data":"rows\n"}"#
    );
}

/// iperf3 3.12 on: `-F` at this end, between the two rows of each stream.
#[test]
fn a_file_is_described_beside_its_stream() {
    let mut report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    report.file = Some(crate::report::DiskFile {
        name: "data".to_owned(),
        size: Some(2 * sample::SENT_BYTES),
    });
    let text = Document::of(&report).to_pretty().unwrap();
    let order: Vec<String> = keys::paths(&text)
        .into_iter()
        .filter_map(|key| key.strip_prefix("end.streams[].").map(str::to_owned))
        .filter(|key| !key.contains('.'))
        .collect();
    assert_eq!(order, ["sender", "diskfile", "receiver"]);
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(
        value["end"]["streams"][0]["diskfile"],
        serde_json::json!({
            "sent": sample::SENT_BYTES,
            "received": sample::RECEIVED_BYTES,
            "size": 2 * sample::SENT_BYTES,
            "percent_sent": 50,
            "percent_received": 49,
            "filename": "data",
        })
    );
    // An empty file is whole at once; a pipe has no size, so no part of it.
    report.file.as_mut().unwrap().size = Some(0);
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(value["end"]["streams"][0]["diskfile"]["percent_sent"], 100);
    report.file.as_mut().unwrap().size = None;
    let value = Document::of(&report).to_value().unwrap();
    let file = &value["end"]["streams"][0]["diskfile"];
    assert_eq!(file["percent_sent"], Value::Null);
    assert_eq!(file["sent"], sample::SENT_BYTES);
}

/// What was asked stands beside what was granted, and apart from iperf3's keys.
#[test]
fn our_own_keys_are_in_one_object_a_section() {
    let mut report = sample::report(Protocol::Udp, Direction::Reverse, Role::Client, 2);
    report.params.fq_rate = Some(5_000_000);
    report.params.gsro = true;
    if let Some(udp) = report.end.as_mut().and_then(|e| e.streams[1].udp.as_mut()) {
        udp.duplicates = Some(7);
        udp.socket_drops = Some(3);
    }
    let value = Document::of(&report).to_value().unwrap();
    let requested = &value["start"]["nettest"]["requested"];
    assert_eq!(requested["fq_rate"], 5_000_000);
    assert_eq!(requested["window"], Value::Null);
    report.host.sockets.fq_rate = Some(4_999_000);
    report.host.sockets.sndbuf = Some(425_984);
    let again = Document::of(&report).to_value().unwrap();
    let granted = &again["start"]["nettest"]["granted"];
    assert_eq!(granted["fq_rate"], 4_999_000);
    assert_eq!(granted["sndbuf"], 425_984);
    assert_eq!(granted["mss"], Value::Null);
    assert_eq!(value["start"]["fq_rate"], 5_000_000);
    assert_eq!(value["start"]["test_start"]["gso"], 1);
    let stream = &value["end"]["nettest"]["streams"][1];
    assert_eq!(stream["duplicates"], 7);
    assert_eq!(stream["socket_drops"], 3);
}

/// A peer that cannot count retransmits: the keys are left out, as iperf3 does.
#[test]
fn no_retransmit_keys_without_retransmits() {
    let mut report = sample::report(Protocol::Tcp, Direction::Reverse, Role::Client, 1);
    if let Some(tcp) = report.end.as_mut().and_then(|e| e.streams[0].tcp.as_mut()) {
        tcp.retransmits = None;
    }
    let value = Document::of(&report).to_value().unwrap();
    assert_eq!(value["end"]["sum_sent"].get("retransmits"), None);
    assert_eq!(value["end"]["streams"][0]["sender"].get("max_rtt"), None);
}
