use super::*;

/// As iperf3 3.12 writes them as the receiving end (field report 049).
const STOCK_3_12: &str = r#"{"cpu_util_total":1.5,"cpu_util_user":0.5,"cpu_util_system":1.0,"sender_has_retransmits":18446744073709551615,"streams":[{"id":1,"bytes":131072000,"retransmits":18446744073709551615,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":10.000123}]}"#;

#[test]
fn results_of_3_12_are_read_with_unknowns_as_unknown() {
    let results = decode(STOCK_3_12.as_bytes()).unwrap();
    assert_eq!(results.sender_has_retransmits, None);
    assert_eq!(results.host, None);
    let stream = &results.streams[0];
    assert_eq!(
        (stream.id, stream.bytes, stream.retransmits, stream.omitted),
        (1, 131_072_000, None, None)
    );
    assert_eq!(stream.end_seconds, Some(10.000123));
}

#[test]
fn ours_come_back_as_they_were() {
    let results = Results {
        cpu: Cpu {
            total: 12.5,
            user: 2.5,
            system: 10.0,
        },
        sender_has_retransmits: Some(true),
        congestion_used: Some("bbr".to_owned()),
        server_output: Some(ServerOutput::Text("rows\nand \"more\"".to_owned())),
        streams: [1, 3, 4]
            .map(|id| StreamResult {
                id,
                bytes: u64::MAX / 4,
                retransmits: (id > 1).then_some(7),
                jitter_seconds: 0.000_012,
                errors: 3,
                omitted: Some(Omitted {
                    errors: 1,
                    packets: 10,
                }),
                packets: 100,
                start_seconds: Some(0.0),
                end_seconds: Some(10.5),
                extra: Some(StreamExtra {
                    out_of_order: 1,
                    duplicates: 2,
                    socket_drops: None,
                }),
            })
            .to_vec(),
        host: Some(HostFacts {
            hostname: "n1".to_owned(),
            mtu: Some(1450),
            ..HostFacts::default()
        }),
    };
    assert_eq!(decode(&encode(&results)), Ok(results));
}

/// A peer's names go on to a terminal, and by the digest to the API.
#[test]
fn names_of_the_peer_that_are_none_are_unknown() {
    for name in ["\u{1b}]0;title\u{7}".to_owned(), "x".repeat(4_000)] {
        let told = json!({
            "congestion_used": name,
            "streams": [],
            "nettest": {
                "hostname": name, "kernel": name, "node": name, "allowedCpus": name, "mtu": 1450,
                "qdisc": name, "sockets": {"congestion": name},
            },
        });
        let results = decode(told.to_string().as_bytes()).unwrap();
        assert_eq!(results.congestion_used, None);
        let known = HostFacts {
            mtu: Some(1450),
            ..HostFacts::default()
        };
        assert_eq!(results.host, Some(known));
    }
}

#[test]
fn unknown_retransmits_go_out_as_minus_one_and_nothing_above_2_63() {
    let sent = encode(&Results {
        streams: vec![StreamResult {
            id: 1,
            ..StreamResult::default()
        }],
        ..Results::default()
    });
    let text = String::from_utf8(sent).unwrap();
    assert!(text.contains("\"retransmits\":-1"), "{text}");
    assert!(text.contains("\"sender_has_retransmits\":-1"), "{text}");
    assert!(!text.contains("18446744073709551615"));
}

/// E5 for results: every key with wrong types, in the document and in a stream.
#[test]
fn wrong_types_are_errors() {
    let values = [json!("x"), json!([1]), json!({}), Value::Null, json!(true)];
    for key in [
        "cpu_util_total",
        "cpu_util_user",
        "cpu_util_system",
        "sender_has_retransmits",
        "streams",
    ] {
        for value in values.iter().filter(|v| key != "streams" || !v.is_array()) {
            let mut document: Value = serde_json::from_str(STOCK_3_12).unwrap();
            document[key] = value.clone();
            assert!(
                decode(document.to_string().as_bytes()).is_err(),
                "{key}: {value}"
            );
        }
    }
    for key in [
        "id",
        "bytes",
        "retransmits",
        "jitter",
        "errors",
        "packets",
        "start_time",
        "end_time",
        "omitted_errors",
    ] {
        for value in &values {
            let mut document: Value = serde_json::from_str(STOCK_3_12).unwrap();
            document["streams"][0][key] = value.clone();
            assert!(
                decode(document.to_string().as_bytes()).is_err(),
                "{key}: {value}"
            );
        }
    }
    for text in [
        "",
        "[]",
        "null",
        "{}",
        r#"{"streams":[1]}"#,
        r#"{"streams":[{}]}"#,
        r#"{"streams":[{"id":1,"bytes":-5}]}"#,
    ] {
        assert!(decode(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn a_host_key_of_another_shape_is_only_left_out() {
    let mut document: Value = serde_json::from_str(STOCK_3_12).unwrap();
    document["nettest"] = json!([1, 2]);
    assert_eq!(decode(document.to_string().as_bytes()).unwrap().host, None);
}
