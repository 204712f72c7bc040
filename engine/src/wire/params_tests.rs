use super::*;

/// What iperf3 3.12 sends for `-u -b 5M -P 2 -R -t 3 -O 1 -l 1000 --get-server-output`.
const STOCK_UDP: &str = r#"{"udp":true,"omit":1,"time":3,"num":0,"blockcount":0,"parallel":2,"reverse":true,"len":1000,"bandwidth":5000000,"pacing_timer":1000,"get_server_output":1,"client_version":"3.12"}"#;

fn with(key: &str, value: Value) -> Vec<u8> {
    let mut keys: Map<String, Value> = serde_json::from_str(STOCK_UDP).unwrap();
    keys.insert(key.to_owned(), value);
    Value::Object(keys).to_string().into_bytes()
}

#[test]
fn what_stock_iperf3_sends_is_understood() {
    let params = decode(STOCK_UDP.as_bytes()).unwrap();
    assert_eq!(
        params,
        TestParams {
            protocol: Protocol::Udp,
            direction: Direction::Reverse,
            limit: Limit::Time(Duration::from_secs(3)),
            omit: Duration::from_secs(1),
            streams: 2,
            bitrate: Some(5_000_000),
            block_size: Some(1000),
            get_server_output: true,
            ..TestParams::default()
        }
    );
}

#[test]
fn what_we_send_comes_back_as_it_was() {
    let base = TestParams {
        block_size: Some(4096),
        window: Some(1 << 20),
        mss: Some(1400),
        no_delay: true,
        congestion: Some("cubic".to_owned()),
        tos: 184,
        burst: 10,
        bitrate: Some(1_000_000),
        udp_counters_64bit: true,
        zerocopy: true,
        skip_rx_copy: true,
        fq_rate: Some(2_000_000_000),
        flow_label: Some(0xabcde),
        mptcp: true,
        dont_fragment: true,
        repeating_payload: true,
        get_server_output: true,
        server_affinity: Some(1),
        title: Some("a \"title\"".to_owned()),
        extra_data: Some("x".to_owned()),
        ..TestParams::default()
    };
    for protocol in [Protocol::Tcp, Protocol::Udp, Protocol::Sctp] {
        for direction in [
            Direction::Forward,
            Direction::Reverse,
            Direction::Bidirectional,
        ] {
            for limit in [
                Limit::Time(Duration::from_millis(1500)),
                Limit::Time(Duration::ZERO),
                Limit::Bytes(5_242_880),
                Limit::Blocks(7),
            ] {
                let sent = TestParams {
                    protocol,
                    direction,
                    limit,
                    gsro: protocol == Protocol::Udp,
                    fast: direction != Direction::Forward,
                    streams: 128,
                    ..base.clone()
                };
                assert_eq!(decode(&encode(&sent, 4096)), Ok(sent));
            }
        }
    }
}

#[test]
fn optional_keys_are_left_out_as_iperf3_leaves_them_out() {
    let sent = encode(&TestParams::default(), 131_072);
    let keys: Map<String, Value> = serde_json::from_slice(&sent).unwrap();
    let mut names: Vec<&str> = keys.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "client_version",
            "len",
            "omit",
            "pacing_timer",
            "parallel",
            "tcp",
            "time"
        ]
    );
}

/// iperf3 reads a key only in the JSON type that it writes itself (`iperf_cJSON_GetObjectItemType`), so that another
/// one would be left out of the test without a word.
#[test]
fn switches_have_the_types_that_iperf3_reads() {
    let every = |direction| TestParams {
        direction,
        no_delay: true,
        mptcp: true,
        zerocopy: true,
        skip_rx_copy: true,
        repeating_payload: true,
        dont_fragment: true,
        udp_counters_64bit: true,
        get_server_output: true,
        fast: true,
        ..TestParams::default()
    };
    let keys = |direction| -> Map<String, Value> {
        serde_json::from_slice(&encode(&every(direction), 131_072)).unwrap()
    };
    let reverse = keys(Direction::Reverse);
    for name in ["tcp", "nodelay", "reverse", "mptcp"] {
        assert_eq!(reverse[name], true, "{name}");
    }
    for name in [
        "zerocopy",
        "skip_rx_copy",
        "repeating_payload",
        "dont_fragment",
        "udp_counters_64bit",
        "get_server_output",
        "nettest_fast",
    ] {
        assert_eq!(reverse[name], 1, "{name}");
    }
    assert_eq!(keys(Direction::Bidirectional)["bidirectional"], true);
}

/// E5 and field report 080: every key with every wrong JSON type gives a typed error, no default.
#[test]
fn every_key_refuses_every_wrong_type() {
    let numbers = [
        "time",
        "omit",
        "num",
        "blockcount",
        "MSS",
        "parallel",
        "window",
        "len",
        "bandwidth",
        "burst",
        "TOS",
        "server_affinity",
    ];
    let flags = [
        "tcp",
        "udp",
        "sctp",
        "reverse",
        "bidirectional",
        "nodelay",
        "udp_counters_64bit",
        "get_server_output",
    ];
    let texts = ["title", "extra_data", "congestion", "congestion_used"];
    let never = [json!("x"), json!([]), json!({}), Value::Null];
    for key in numbers {
        for value in never.iter().cloned().chain([json!(true)]) {
            assert_eq!(
                decode(&with(key, value.clone())),
                Err(ParamsError::WrongType { key }),
                "{key}: {value}"
            );
        }
    }
    for key in flags {
        for value in &never {
            assert_eq!(
                decode(&with(key, value.clone())),
                Err(ParamsError::WrongType { key }),
                "{key}: {value}"
            );
        }
    }
    for key in texts {
        for value in [json!(1), json!(true), json!([]), json!({}), Value::Null] {
            assert_eq!(
                decode(&with(key, value.clone())),
                Err(ParamsError::WrongType { key }),
                "{key}: {value}"
            );
        }
    }
}

/// E5: below, min, max, above, and the numbers that break arithmetic.
#[test]
fn every_number_is_held_to_its_range() {
    let table: &[(&str, i64, i64, i32)] = &[
        ("time", 0, 86_400, 5),
        ("omit", 0, 600, 12),
        ("parallel", 1, 128, 6),
        ("MSS", 0, 32_767, 10),
        ("window", 0, 512 * 1024 * 1024, 8),
        ("len", 16, 65_507, 20),
        ("burst", 0, 1000, 15),
        ("TOS", 0, 255, 21),
        ("bandwidth", 0, 10_000_000_000_000, 27),
        ("server_affinity", 0, 1024, 114),
    ];
    for (key, min, max, code) in table.iter().copied() {
        for inside in [min, max] {
            assert!(decode(&with(key, json!(inside))).is_ok(), "{key}: {inside}");
        }
        for outside in [
            json!(min - 1),
            json!(max + 1),
            json!(i64::MIN),
            json!(u64::MAX),
            json!(1e308),
        ] {
            let refused = decode(&with(key, outside.clone())).unwrap_err();
            assert!(
                matches!(refused, ParamsError::Range { .. }),
                "{key}: {outside}: {refused:?}"
            );
            assert_eq!(refused.code(), code);
        }
    }
    assert_eq!(
        decode(&with("num", json!(-1))).unwrap_err().code(),
        code::RECV_PARAMS
    );
}

/// Field reports 078 and 079.
#[test]
fn the_numbers_of_the_known_attacks_are_refused() {
    for (key, value) in [
        ("parallel", 100_000),
        ("parallel", 0),
        ("len", 0),
        ("len", 15),
        ("len", 1 << 31),
    ] {
        assert!(decode(&with(key, json!(value))).is_err(), "{key} = {value}");
    }
}

#[test]
fn contradictions_and_what_is_missing_here_are_named() {
    assert_eq!(
        decode(&with("bidirectional", json!(true)))
            .unwrap_err()
            .to_string(),
        "parameters 'reverse' and 'bidirectional' exclude each other"
    );
    let sctp = |other: &str| decode(format!(r#"{{"sctp":true,"{other}":true}}"#).as_bytes());
    assert_eq!(
        sctp("nodelay").map(|params| params.protocol),
        Ok(Protocol::Sctp)
    );
    assert!(matches!(sctp("tcp"), Err(ParamsError::Conflict { .. })));
    assert!(matches!(
        decode(&with("tcp", json!(true))),
        Err(ParamsError::Conflict { .. })
    ));
    let mut both: Map<String, Value> = serde_json::from_str(STOCK_UDP).unwrap();
    both.insert("num".to_owned(), json!(1));
    both.insert("blockcount".to_owned(), json!(1));
    assert!(matches!(
        decode(Value::Object(both).to_string().as_bytes()),
        Err(ParamsError::Conflict { .. })
    ));
    assert!(decode(&with("congestion", json!("../x"))).is_err());
}

#[test]
fn what_is_no_object_is_refused() {
    let deep = "[".repeat(4000);
    for text in ["", "{", "[]", "1", "null", "\"x\"", "{}x", &deep] {
        assert!(
            matches!(decode(text.as_bytes()), Err(ParamsError::NotAnObject(_))),
            "{text}"
        );
    }
    assert!(decode(b"\xff\xfe{}").is_err());
}
