//! The machines, as the engines saw them: both ends of one pair side by side, of several pairs a row a node.

use super::table::{Head, Table, none};
use crate::show::figures::{bytes, rate};
use crate::subject::Subject;
use serde_json::Value;
use std::collections::BTreeMap;

/// How a fact is written.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Plain,
    Bytes,
    BitsPerSecond,
}

/// What is told, and where a host's facts have it.
const FACTS: [(&str, &[&str], Kind); 13] = [
    ("Host", &["hostname"], Kind::Plain),
    ("Node", &["node"], Kind::Plain),
    ("Kernel", &["kernel"], Kind::Plain),
    ("CPUs allowed", &["allowedCpus"], Kind::Plain),
    ("CPUs online", &["onlineCpuCount"], Kind::Plain),
    ("CPU throttled, periods", &["throttledPeriods"], Kind::Plain),
    ("MTU", &["mtu"], Kind::Plain),
    ("Queueing discipline", &["qdisc"], Kind::Plain),
    (
        "Link speed",
        &["linkSpeedBitsPerSecond"],
        Kind::BitsPerSecond,
    ),
    ("Segment size granted", &["sockets", "mss"], Kind::Plain),
    (
        "Congestion control",
        &["sockets", "congestion"],
        Kind::Plain,
    ),
    ("Send buffer granted", &["sockets", "sndbuf"], Kind::Bytes),
    (
        "Receive buffer granted",
        &["sockets", "rcvbuf"],
        Kind::Bytes,
    ),
];

/// `None`: no document is at hand that has them.
pub fn table(subject: &Subject) -> Option<Table> {
    if subject.pairs.is_empty() {
        both_ends(subject)
    } else {
        nodes(subject)
    }
}

fn text(host: &Value, path: &[&str], kind: Kind) -> String {
    let value = path.iter().fold(host, |value, key| &value[*key]);
    let number = value.as_u64();
    let said = match kind {
        Kind::Plain => None,
        Kind::Bytes => number.map(bytes),
        Kind::BitsPerSecond => value.as_i64().and_then(rate),
    };
    match value {
        Value::Null => none(),
        Value::String(text) => text.clone(),
        other => said.unwrap_or_else(|| other.to_string()),
    }
}

/// Of the first document that has them.
fn both_ends(subject: &Subject) -> Option<Table> {
    let mut facts = subject
        .measurements
        .iter()
        .map(|of| &of.measurement.report["end"]["nettest"]);
    let facts = facts.find(|facts| facts["host"].is_object())?;
    let row = |(name, path, kind): &(&str, &[&str], Kind)| {
        vec![
            (*name).to_owned(),
            text(&facts["host"], path, *kind),
            text(&facts["peer_host"], path, *kind),
        ]
    };
    let rows = FACTS.iter().map(row);
    let is_known = |row: &Vec<String>| row.iter().skip(1).any(|cell| *cell != none());
    Some(Table {
        caption: "Both ends, as the engines saw them".to_owned(),
        head: vec![
            Head::left("Fact"),
            Head::left("Client"),
            Head::left("Server"),
        ],
        rows: rows.filter(is_known).collect(),
    })
}

/// Of each node the first document that has it.
fn nodes(subject: &Subject) -> Option<Table> {
    let mut hosts: BTreeMap<&str, &Value> = BTreeMap::new();
    for of in &subject.measurements {
        let Some(record) = of.pair.and_then(|pair| subject.pairs.get(&pair)) else {
            continue;
        };
        let facts = &of.measurement.report["end"]["nettest"];
        for (node, host) in [
            (&record.client, &facts["host"]),
            (&record.server, &facts["peer_host"]),
        ] {
            if host.is_object() {
                hosts.entry(node).or_insert(host);
            }
        }
    }
    // A pod's own name says nothing beside its node's.
    let facts: Vec<_> = FACTS
        .iter()
        .filter(|(name, _, _)| !["Host", "Node"].contains(name))
        .filter(|(_, path, kind)| {
            let mut hosts = hosts.values();
            hosts.any(|host| text(host, path, *kind) != none())
        })
        .collect();
    if facts.is_empty() {
        return None;
    }
    let row = |(node, host): (&&str, &&Value)| {
        let facts = facts.iter().map(|(_, path, kind)| text(host, path, *kind));
        std::iter::once((*node).to_owned()).chain(facts).collect()
    };
    Some(Table {
        caption: "The nodes, as the engines saw them".to_owned(),
        head: std::iter::once(Head::left("Node"))
            .chain(facts.iter().map(|(name, _, _)| Head::left(*name)))
            .collect(),
        rows: hosts.iter().map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::report::tests::{mesh, sweep};

    #[test]
    fn both_ends_of_a_pair_stand_side_by_side() {
        let table = table(&sweep("rack")).unwrap();
        let row = |name: &str| table.rows.iter().find(|row| row[0] == name).cloned();
        assert_eq!(row("MTU").unwrap(), ["MTU", "1500", "1500"]);
        assert_eq!(
            row("Link speed").unwrap(),
            ["Link speed", "25.0 Gbit/s", "25.0 Gbit/s"]
        );
        assert_eq!(
            row("Send buffer granted").unwrap(),
            ["Send buffer granted", "4 MiB", "4 MiB"]
        );
        assert_eq!(row("Node"), None, "nobody knows it");
    }

    #[test]
    fn a_mesh_has_a_row_a_node_that_a_document_tells_of() {
        let mut subject = mesh(4, "odd");
        assert!(table(&subject).is_none(), "no documents");
        let mut of_pair = |pair: u32| {
            let mut of = sweep("rack").measurements[0].clone();
            of.pair = Some(pair);
            subject.measurements.push(of);
        };
        of_pair(0);
        of_pair(1);
        let table = table(&subject).unwrap();
        let names: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["odd", "worker-00", "worker-02"]);
        assert_eq!(table.head[1].name, "Kernel");
        assert!(table.rows.iter().all(|row| row[1] == "6.1.0"));
    }
}
