//! E5, field reports 078 and 080: every key with every kind of wrong value, against a server that lives. It answers
//! with the typed error, or it runs a test that is within bounds.

use crate::process::{threads, until};
use crate::raw::{Raw, cookie};
use crate::run::{Server, finish, text};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// One key of the parameters: its range as the facts have it (1.3), and the number of the error outside of it.
struct Key {
    name: &'static str,
    kind: Kind,
    udp: bool,
}

enum Kind {
    Number {
        min: i64,
        max: i64,
        code: u8,
    },
    Flag,
    Text,
    /// Read by nobody here.
    Ignored,
}

const fn number(name: &'static str, min: i64, max: i64, code: u8) -> Key {
    let kind = Kind::Number { min, max, code };
    let udp = false;
    Key { name, kind, udp }
}

const fn key(name: &'static str, kind: Kind) -> Key {
    let udp = false;
    Key { name, kind, udp }
}

const fn udp(key: Key) -> Key {
    Key { udp: true, ..key }
}

const WRONG: u8 = 114;
const TBIT: i64 = 10_000_000_000_000;

const KEYS: [Key; 37] = [
    key("tcp", Kind::Flag),
    udp(key("udp", Kind::Flag)),
    number("omit", 0, 600, 12),
    number("server_affinity", 0, 1024, WRONG),
    number("time", 0, 86_400, 5),
    number("num", 0, i64::MAX, WRONG),
    number("blockcount", 0, i64::MAX, WRONG),
    number("MSS", 0, 32_767, 10),
    key("nodelay", Kind::Flag),
    number("parallel", 1, 128, 6),
    key("reverse", Kind::Flag),
    key("bidirectional", Kind::Flag),
    key("mptcp", Kind::Flag),
    number("window", 0, 512 << 20, 8),
    number("len", 1, 1 << 20, 7),
    udp(number("len", 16, 65_507, 20)),
    number("bandwidth", 0, TBIT, 27),
    number("fqrate", 0, TBIT, WRONG),
    key("pacing_timer", Kind::Ignored),
    number("burst", 0, 1000, 15),
    udp(key("gso", Kind::Flag)),
    udp(key("gso_dg_size", Kind::Ignored)),
    udp(key("gso_bf_size", Kind::Ignored)),
    udp(key("gro", Kind::Flag)),
    udp(key("gro_bf_size", Kind::Ignored)),
    number("TOS", 0, 255, 21),
    number("flowlabel", 0, 0xf_ffff, WRONG),
    key("title", Kind::Text),
    key("extra_data", Kind::Text),
    key("get_server_output", Kind::Flag),
    udp(key("udp_counters_64bit", Kind::Flag)),
    key("repeating_payload", Kind::Flag),
    key("zerocopy", Kind::Flag),
    udp(key("dont_fragment", Kind::Flag)),
    key("skip_rx_copy", Kind::Flag),
    key("authtoken", Kind::Text),
    key("client_version", Kind::Ignored),
];

/// The JSON text of the value, and the error that it must meet: `None` when either is right, as a kernel may lack
/// what is asked.
type Case = (String, Option<u8>);

fn cases(key: &Key) -> Vec<Case> {
    let strange = ["\"x\"", "[]", "{}", "null", "true"];
    let numbers = ["-1", "2147483648", "9223372036854775808", "1e308", "0.5"];
    let any = |texts: &[&str], code| texts.iter().map(move |t| ((*t).to_owned(), code)).collect();
    match key.kind {
        Kind::Number { min, max, code } => {
            let mut cases: Vec<Case> = any(&strange, Some(WRONG));
            cases.push((min.to_string(), None));
            cases.push((max.to_string(), None));
            cases.push(((min - 1).to_string(), Some(code)));
            cases.push((format!("{}", i128::from(max) + 1), Some(code)));
            for text in numbers {
                let value: f64 = text.parse().expect("a number");
                let seconds = matches!(key.name, "time" | "omit");
                let inside = (min as f64..=max as f64).contains(&value);
                let whole = value.fract() == 0.0 || seconds;
                // 2^63 as a double is the largest i64, too.
                let inside = inside && whole && text != "9223372036854775808";
                cases.push((text.to_owned(), (!inside).then_some(code)));
            }
            cases
        }
        Kind::Flag => {
            let mut cases: Vec<Case> = any(&["\"x\"", "[]", "{}", "null", "1e308"], Some(WRONG));
            cases.extend::<Vec<Case>>(any(&["0", "1", "true", "false", "-1"], None));
            cases
        }
        Kind::Text => {
            let mut cases: Vec<Case> = any(&["1", "[]", "{}", "null", "true"], Some(WRONG));
            cases.push((format!("\"{}\"", "a".repeat(7000)), None));
            cases.push(("\"\"".to_owned(), None));
            cases
        }
        Kind::Ignored => {
            let mut cases: Vec<Case> = any(&strange, None);
            cases.extend::<Vec<Case>>(any(&numbers, None));
            cases
        }
    }
}

/// The parameters of a modest test, as JSON texts.
fn base(udp: bool) -> Map<String, Value> {
    let (protocol, len) = if udp { ("udp", 1000) } else { ("tcp", 16_384) };
    let keys =
        json!({protocol: true, "time": 2, "parallel": 1, "len": len, "bandwidth": 1_000_000});
    keys.as_object().expect("an object").clone()
}

fn block(key: &Key, texts: &[&str]) -> String {
    let mut keys = base(key.udp);
    // The limits exclude each other.
    if matches!(key.name, "num" | "blockcount") {
        keys.remove("time");
    }
    keys.remove(key.name);
    let mut json = Value::Object(keys).to_string();
    json.pop();
    for text in texts {
        json.push_str(&format!(",\"{}\":{text}", key.name));
    }
    json.push('}');
    json
}

/// What became of a test with these parameters: its error, or `None` when it ran.
fn answer(port: u16, params: &str, number: usize) -> Option<u8> {
    let cookie = cookie(number);
    let mut raw = knock(port, &cookie, params);
    raw.send_json(params);
    let first = raw.state();
    if first != 10 {
        assert_eq!(first, -2, "{params}");
        let rest = raw.rest();
        assert_eq!(rest.len(), 8, "{params}: {rest:?}");
        assert_eq!(rest[..3], [0, 0, 0], "{params}");
        return Some(rest[3]);
    }
    let asked: Value = serde_json::from_str(params).expect("JSON");
    let flag = |key: &str| match &asked[key] {
        Value::Bool(flag) => *flag,
        other => other.as_f64().is_some_and(|n| n != 0.0),
    };
    if flag("udp") {
        return None;
    }
    let count = asked["parallel"].as_u64().unwrap_or(1) * (1 + u64::from(flag("bidirectional")));
    let streams: Vec<Raw> = (0..count).map(|_| Raw::stream(port, &cookie)).collect();
    let next = raw.state();
    if next == 1 {
        assert_eq!(raw.state(), 2, "{params}");
        return None;
    }
    assert_eq!(next, -2, "{params}");
    let rest = raw.rest();
    assert_eq!(rest.len(), 8, "{params}: {rest:?}");
    drop(streams);
    Some(rest[3])
}

/// A slot is free at once: a client is asked for its parameters.
fn knock(port: u16, cookie: &[u8; 37], params: &str) -> Raw {
    let begun = Instant::now();
    loop {
        let mut raw = Raw::stream(port, cookie);
        match raw.state() {
            9 => return raw,
            busy => assert_eq!(busy, -1),
        }
        let waited = begun.elapsed();
        assert!(waited < Duration::from_secs(5), "busy before {params}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn report_078_080_every_key_with_every_kind_of_value() {
    let server = Server::start("");
    let before = threads(&server.child);
    let mut told = 0;
    for key in &KEYS {
        for (value, code) in cases(key) {
            // Once, and twice: the last one counts, as in iperf3.
            for texts in [vec![value.as_str()], vec!["1", &value]] {
                told += 1;
                let params = block(key, &texts);
                let answer = answer(server.port, &params, told);
                if let Some(code) = code {
                    assert_eq!(answer, Some(code), "{params}");
                }
            }
        }
        let missing = block(key, &[]);
        told += 1;
        assert_eq!(answer(server.port, &missing, told), None, "{missing}");
    }
    assert!(told > 600, "{told} cases");
    let output = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // The blocking threads of tokio may stay; those of data may not.
    until(
        Duration::from_secs(5),
        "the threads of data are gone",
        || threads(&server.child) <= before,
    );
}

/// Report 078: what is refused has not started anything, not even for a moment.
#[test]
fn report_078_refused_parameters_start_no_thread() {
    let server = Server::start("");
    let before = threads(&server.child);
    for key in &KEYS {
        for (value, code) in cases(key) {
            let (Some(_), Kind::Number { .. }) = (code, &key.kind) else {
                continue;
            };
            let mut raw = Raw::knock(server.port, &cookie(1));
            raw.send_json(&block(key, &[&value]));
            assert_eq!(raw.state(), -2, "{}: {value}", key.name);
            assert_eq!(threads(&server.child), before, "{}: {value}", key.name);
        }
    }
}
