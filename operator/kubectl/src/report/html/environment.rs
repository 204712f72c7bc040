//! The machines of both ends, as the engines saw them.

use super::page::{Head, Table, none};
use crate::subject::Subject;
use serde_json::Value;

/// What is told, and where a host's facts have it.
const FACTS: [(&str, &[&str]); 12] = [
    ("Host", &["hostname"]),
    ("Node", &["node"]),
    ("Kernel", &["kernel"]),
    ("CPUs allowed", &["allowedCpus"]),
    ("CPUs online", &["onlineCpuCount"]),
    ("CPU throttled, periods", &["throttledPeriods"]),
    ("MTU", &["mtu"]),
    ("Queueing discipline", &["qdisc"]),
    ("Link speed, bit/s", &["linkSpeedBitsPerSecond"]),
    ("Congestion control", &["sockets", "congestion"]),
    ("Send buffer granted, bytes", &["sockets", "sndbuf"]),
    ("Receive buffer granted, bytes", &["sockets", "rcvbuf"]),
];

/// Of the first document that has them.
pub fn table(subject: &Subject) -> Option<Table> {
    let mut facts = subject
        .measurements
        .iter()
        .map(|of| &of.measurement.report["end"]["nettest"]);
    let facts = facts.find(|facts| facts["host"].is_object())?;
    let text = |host: &Value, path: &[&str]| {
        let value = path.iter().fold(host, |value, key| &value[*key]);
        match value {
            Value::String(text) => text.clone(),
            Value::Null => none(),
            other => other.to_string(),
        }
    };
    let row = |(name, path): &(&str, &[&str])| {
        vec![
            (*name).to_owned(),
            text(&facts["host"], path),
            text(&facts["peer_host"], path),
        ]
    };
    let rows = FACTS.iter().map(row);
    let rows: Vec<Vec<String>> = rows
        .filter(|row| row.iter().skip(1).any(|cell| *cell != none()))
        .collect();
    let head = [("", false), ("Client", false), ("Server", false)];
    Some(Table {
        caption: "Both ends, as the engines saw them".to_owned(),
        head: head.map(|(name, right)| Head { name, right }).into(),
        rows,
    })
}
