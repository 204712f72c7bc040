//! `docs/iperf3-compatibility.md` has a row for every flag and for every key of the published schema, and no other.

use super::*;
use serde_json::Value;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/iperf3-compatibility.md");
const SCHEMA: &str = include_str!("../../../../docs/engine-report.schema.json");

/// What stands in backticks in the first cells of the tables below `heading`.
fn named(heading: &str) -> BTreeSet<String> {
    let part = PAGE.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let part = part.split("\n## ").next().unwrap();
    let mut names = BTreeSet::new();
    for line in part.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let verdict = cells[1].trim();
        assert!(
            ["same", "better", "different", "ours"].contains(&verdict),
            "{line}"
        );
        let why = cells[2].trim_end_matches(['|', ' ']);
        assert!(!why.is_empty() || verdict != "different", "{line}");
        for name in cells[0].split('`').skip(1).step_by(2) {
            assert!(names.insert(name.to_owned()), "{name} has two rows");
        }
    }
    names
}

#[test]
fn every_flag_has_a_row() {
    let mut known = BTreeSet::from(["-h".to_owned(), "--help".to_owned()]);
    for arg in command().get_arguments() {
        let longs = arg.get_long().into_iter();
        let aliases = arg.get_all_aliases().unwrap_or_default();
        for long in longs.chain(aliases) {
            known.insert(format!("--{long}"));
        }
        known.extend(arg.get_short().map(|short| format!("-{short}")));
    }
    assert_eq!(named("Flags"), known);
}

#[test]
fn every_key_of_the_schema_has_a_row() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut known = BTreeSet::new();
    keys(&schema, &schema, "", &mut known);
    // An array has the row of its elements.
    let known: BTreeSet<String> = known
        .iter()
        .filter(|key| !known.contains(&format!("{key}[]")))
        .cloned()
        .collect();
    assert_eq!(named("JSON"), known);
}

/// The paths of all that `part` describes.
fn keys(schema: &Value, part: &Value, path: &str, into: &mut BTreeSet<String>) {
    if let Some(name) = part.get("$ref").and_then(Value::as_str) {
        let pointer = name.strip_prefix('#').unwrap();
        return keys(schema, schema.pointer(pointer).unwrap(), path, into);
    }
    for one in part
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        keys(schema, one, path, into);
    }
    if let Some(items) = part.get("items") {
        let path = format!("{path}[]");
        into.insert(path.clone());
        keys(schema, items, &path, into);
    }
    let members = part.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        into.insert(path.clone());
        keys(schema, member, &path, into);
    }
}
