//! The document against the key sets of a real iperf3 3.18 (`golden/`, from runs of the stock tool).

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

#[test]
fn the_keys_of_every_mode_are_those_of_iperf3() {
    for (protocol, direction, role, golden) in modes() {
        for streams in [1, 4] {
            let report = sample::report(protocol, direction, role, streams);
            let text = Document::of(&report).to_pretty().unwrap();
            let ours = keys(&text);
            let stock: BTreeSet<&str> = golden.lines().collect();
            let ours: BTreeSet<&str> = ours.iter().map(String::as_str).collect();
            let missing: Vec<_> = stock.difference(&ours).collect();
            let extra: Vec<_> = ours.difference(&stock).collect();
            assert!(
                missing.is_empty() && extra.is_empty(),
                "{protocol:?} {direction:?} {role:?} -P {streams}: missing {missing:?}, extra {extra:?}"
            );
        }
    }
}

/// Field reports 039, 040: one object, one key once.
#[test]
fn no_key_occurs_twice() {
    for (protocol, direction, role, _) in modes() {
        for streams in [1, 2, 8, 128] {
            let report = sample::report(protocol, direction, role, streams);
            let text = Document::of(&report).to_pretty().unwrap();
            assert_eq!(
                duplicate_key(&text),
                None,
                "{protocol:?} {direction:?} {role:?} -P {streams}"
            );
        }
    }
    // The check itself sees a duplicate.
    assert_eq!(
        duplicate_key(r#"{"a": [{"b": 1, "b": 2}]}"#).as_deref(),
        Some("b")
    );
}

/// Field report 034.
#[test]
fn an_empty_row_has_finite_figures() {
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
fn unknown_is_null() {
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
fn udp_sums_come_from_the_end_that_counted() {
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
fn the_servers_own_report_goes_under_its_key() {
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

/// The paths of all keys, with `[]` for the elements of an array.
fn keys(text: &str) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    walk(value, &path, into);
                    into.insert(path);
                }
            }
            Value::Array(values) => {
                for value in values {
                    walk(value, &format!("{path}[]"), into);
                }
            }
            _ => {}
        }
    }
    let mut into = BTreeSet::new();
    walk(&serde_json::from_str(text).unwrap(), "", &mut into);
    into
}

/// The first key that one object holds twice. serde_json's own map would silently keep the last.
fn duplicate_key(text: &str) -> Option<String> {
    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    struct Strict;
    struct StrictVisitor;
    impl<'de> Deserialize<'de> for Strict {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(StrictVisitor)
        }
    }
    impl<'de> Visitor<'de> for StrictVisitor {
        type Value = Strict;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("JSON")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_unit<E>(self) -> Result<Strict, E> {
            Ok(Strict)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strict, A::Error> {
            while seq.next_element::<Strict>()?.is_some() {}
            Ok(Strict)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
            let mut seen = BTreeSet::new();
            while let Some(key) = map.next_key::<String>()? {
                map.next_value::<Strict>()?;
                if !seen.insert(key.clone()) {
                    return Err(A::Error::custom(format!("duplicate:{key}:")));
                }
            }
            Ok(Strict)
        }
    }
    let error = serde_json::from_str::<Strict>(text).err()?.to_string();
    Some(match error.split(':').nth(1) {
        Some(key) => key.to_owned(),
        None => error,
    })
}
