//! Nothing of a test is left in the server for the next one.

use crate::lab::Net;
use crate::strict;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Each changes something that a careless server would keep.
const OPTIONS: [&str; 18] = [
    "-n 200K",
    "-k 3",
    "-t 0.2 -b 8M",
    "-n 200K --dscp 46",
    "-n 200K -S 72 -R",
    "-n 200K -R",
    "-n 200K --bidir",
    "-n 200K -P 3",
    "-n 200K -l 4K",
    "-n 200K -w 64K",
    "-n 200K -M 1000",
    "-n 200K -N",
    "-n 200K -C reno",
    "-n 200K -b 40M/4",
    "-u -k 20 -b 10M",
    "-u -k 20 -b 10M -l 500 --udp-counters-64bit",
    "-u -k 20 -b 10M -R -w 32K",
    "-t 0.2 -O 0.2 -b 8M",
];

/// What two runs with the same flags have in common: the start without names and numbers of the moment, and of the end
/// the names of its figures and the algorithms.
fn essence(document: &Value) -> Value {
    let mut start = document["start"].clone();
    if let Some(start) = start.as_object_mut() {
        for moment in [
            "connected",
            "cookie",
            "timestamp",
            "system_info",
            "accepted_connection",
            "connecting_to",
        ] {
            start.remove(moment);
        }
    }
    // The kernel keeps segments below half of the largest window seen, which a small buffer moves by some bytes.
    if document["start"]["sock_bufsize"] != 0
        && let Some(granted) = start
            .get_mut("nettest")
            .and_then(|own| own.get_mut("granted"))
        && let Some(granted) = granted.as_object_mut()
    {
        granted.remove("mss");
    }
    let mut end = Map::new();
    for (key, value) in document["end"].as_object().into_iter().flatten() {
        let names = value
            .as_object()
            .map(|sum| sum.keys().cloned().map(Value::from).collect());
        let exact = value.is_string().then(|| value.clone());
        end.insert(
            key.clone(),
            exact.or(names.map(Value::Array)).unwrap_or(Value::Null),
        );
    }
    let streams = strict::list(&document["end"]["streams"]).len();
    serde_json::json!({ "start": start, "end": end, "streams": streams })
}

/// A text with one JSON value behind the other.
fn documents(bytes: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(bytes)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("JSON documents")
}

#[test]
fn report_067_a_test_leaves_nothing_for_the_next() {
    let mut fresh = BTreeMap::new();
    for flags in OPTIONS {
        let net = Net::new();
        let server = net.server("-1 -J");
        let client = net.measure("127.0.0.1", flags);
        let server = strict::parse(&server.end().stdout);
        fresh.insert(flags, (essence(&client), essence(&server)));
    }
    // An order in which nearly every option follows another one; the same each time.
    let mut order = Vec::new();
    let mut place = 0;
    for turn in 0..60 {
        order.push(OPTIONS[place]);
        place = (place * 7 + turn * 5 + 3) % OPTIONS.len();
    }
    let net = Net::new();
    let server = net.server("-J");
    let mut clients = Vec::new();
    for flags in &order {
        clients.push(essence(&net.measure("127.0.0.1", flags)));
    }
    let printed = documents(&server.stop().stdout);
    let tests: Vec<&Value> = printed
        .iter()
        .filter(|document| document["start"]["cookie"].is_string())
        .collect();
    assert_eq!(tests.len(), order.len());
    let mut before = "nothing";
    for ((flags, client), server) in order.iter().zip(clients).zip(tests) {
        let (fresh_client, fresh_server) = &fresh[flags];
        assert_eq!(&client, fresh_client, "{flags} after {before}");
        assert_eq!(&essence(server), fresh_server, "{flags} after {before}");
        before = flags;
    }
}
