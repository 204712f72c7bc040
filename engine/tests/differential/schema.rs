//! A document's keys and their types against those of the stock tool's document for the same combination, and
//! the values that only depend on what was asked.

use crate::peer::Stock;
use serde_json::Value;
use std::collections::BTreeSet;

/// Keys that newer iperf3 versions print, from that version on: ours follow the newest.
const SINCE: &[(&str, Stock)] = &[
    ("start.fq_rate", Stock::V3_18),
    ("start.test_start.bidir", Stock::V3_18),
    ("start.test_start.fqrate", Stock::V3_18),
    ("start.test_start.interval", Stock::V3_18),
    ("start.test_start.gso", Stock::Newest),
    ("start.test_start.gro", Stock::Newest),
    ("start.timestamp.timemillisecs", Stock::Newest),
    ("intervals[].streams[].reorder", Stock::Newest),
    ("end.streams[].sender.reorder", Stock::Newest),
];

/// What must be the same in both documents where both have it: it follows from the flags alone.
const BLOCK: &str = "/start/test_start/blksize";
const SAME: &[&str] = &[
    "/start/target_bitrate",
    "/start/fq_rate",
    "/start/sock_bufsize",
    "/start/tcp_mss",
    "/start/test_start/protocol",
    "/start/test_start/num_streams",
    BLOCK,
    "/start/test_start/omit",
    "/start/test_start/duration",
    "/start/test_start/blocks",
    "/start/test_start/reverse",
    "/start/test_start/bidir",
    "/start/test_start/tos",
    "/start/test_start/target_bitrate",
    "/start/test_start/fqrate",
    "/start/test_start/interval",
    "/start/test_start/gso",
    "/start/test_start/gro",
    "/start/connecting_to/host",
    "/end/sender_tcp_congestion",
    "/end/receiver_tcp_congestion",
    "/title",
    "/extra_data",
];

/// Where the stock tool prints 0 for what an end cannot know, ours prints null: what the kernel said at the other
/// end of a stream, and what only a receiver sees.
const UNKNOWN_AT_THE_OTHER_END: &[&str] = &[
    "end.streams[].sender.reorder",
    "end.streams[].sender.max_rtt",
    "end.streams[].sender.min_rtt",
    "end.streams[].sender.mean_rtt",
    "end.streams[].sender.max_snd_cwnd",
    "end.streams[].sender.max_snd_wnd",
    "end.streams[].udp.out_of_order",
];

pub fn compare(ours: &Value, reference: &Value, stock: Stock) -> Vec<String> {
    let (our_keys, stock_keys) = (keys(ours), keys(reference));
    let unknown = |key: &str| UNKNOWN_AT_THE_OTHER_END.contains(&path(key));
    let is_null = |key: &str| our_keys.contains(&format!("{}: null", path(key)));
    // A test can be too short for a row.
    let without_rows = !stock_keys.iter().any(|key| key.starts_with("intervals[]"));
    let missing = stock_keys
        .difference(&our_keys)
        .filter(|key| !(unknown(key) && is_null(key)))
        .map(|key| format!("lacks {key}"));
    let extra = our_keys
        .difference(&stock_keys)
        .filter(|key| !is_addition(key, stock))
        .filter(|key| !(unknown(key) && key.ends_with(": null")))
        .filter(|key| !(without_rows && key.starts_with("intervals[]")))
        .map(|key| format!("has {key}, the stock one has not"));
    let values = SAME.iter().filter_map(|path| same(path, ours, reference));
    missing.chain(extra).chain(values).collect()
}

/// What is wrong with a value that must be the same in both, where both have it.
pub fn same(path: &str, ours: &Value, reference: &Value) -> Option<String> {
    let (our, stock) = (ours.pointer(path)?, reference.pointer(path)?);
    // 1 and 1.0 are one number. On loopback the kernel says another MSS before the first byte (ours) than after it
    // (theirs): 32741, 32768.
    let near = |(our, stock): (f64, f64)| {
        our == stock || (path == BLOCK && stock == 32_768.0 && our > 32_700.0)
    };
    let same = our == stock || our.as_f64().zip(stock.as_f64()).is_some_and(near);
    (!same).then(|| format!("{path} is {our}, the stock one's {stock}"))
}

fn is_addition(key: &str, stock: Stock) -> bool {
    let path = path(key);
    // What iperf3 has no key for is in objects of our own name.
    if path.split('.').any(|part| part == "nettest") {
        return true;
    }
    SINCE
        .iter()
        .any(|(addition, version)| *addition == path && stock < *version)
}

/// A key without its type.
fn path(key: &str) -> &str {
    key.rsplit_once(": ").map_or(key, |(path, _)| path)
}

/// Every path of keys with the type of what is there; the elements of an array share one path.
fn keys(value: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
        // The other end's document: that one is looked at by itself.
        if path == "server_output_json" {
            keys.insert(path.to_owned());
            return;
        }
        let kind = match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let separator = if path.is_empty() { "" } else { "." };
                    walk(member, &format!("{path}{separator}{key}"), keys);
                }
                "object"
            }
            Value::Array(elements) => {
                for element in elements {
                    walk(element, &format!("{path}[]"), keys);
                }
                "array"
            }
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "number",
            Value::String(_) => "text",
        };
        keys.insert(format!("{path}: {kind}"));
    }
    let mut keys = BTreeSet::new();
    walk(value, "", &mut keys);
    keys
}
