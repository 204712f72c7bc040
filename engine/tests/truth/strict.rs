//! A JSON document as a strict reader takes it, and what is true of each of ours.

use serde_json::Value;

#[path = "../differential/strict.rs"]
mod reader;

/// Exactly one value, no key twice, no NaN (field reports 034, 039, 040, 042, 044).
pub fn parse(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    reader::value(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

pub fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

pub fn count(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no count: {value}"))
}

pub fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"))
}

/// What holds for every whole document, whatever was measured: rows are contiguous and of some length, nothing is
/// negative, no more is lost than was sent (027), rates are bytes over the row's own time (005, 058), CPU time is at
/// most that of the machine (071).
pub fn sane(document: &Value) {
    for sum in ["sum", "sum_bidir_reverse"] {
        let rows = list(&document["intervals"]).iter().map(|row| &row[sum]);
        let mut before: Option<&Value> = None;
        for row in rows.filter(|row| !row.is_null()) {
            let from = before.map_or(0.0, |before| {
                if before["omitted"] == row["omitted"] {
                    number(&before["end"])
                } else {
                    0.0
                }
            });
            assert!(
                (number(&row["start"]) - from).abs() < 1e-6,
                "{before:?} {row}"
            );
            sane_row(row);
            before = Some(row);
        }
    }
    for row in list(&document["intervals"])
        .iter()
        .flat_map(|i| list(&i["streams"]))
    {
        sane_row(row);
    }
    let end = &document["end"];
    for (name, sum) in end.as_object().into_iter().flatten() {
        if name.starts_with("sum") && !sum["bytes"].is_null() {
            sane_row(sum);
        }
    }
    let cpus = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    for (name, percent) in end["cpu_utilization_percent"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let all = 0.0..=100.0 * cpus + 1e-6;
        assert!(
            percent.is_null() || all.contains(&number(percent)),
            "{name}: {percent}"
        );
    }
    let cpu = |key: &str| end["cpu_utilization_percent"][key].as_f64();
    for side in ["host", "remote"] {
        let part = |what: &str| cpu(&format!("{side}_{what}"));
        if let (Some(total), Some(user), Some(system)) =
            (part("total"), part("user"), part("system"))
        {
            assert!(
                (total - user - system).abs() < 0.5,
                "{side}: {total} {user} {system}"
            );
        }
    }
}

fn sane_row(row: &Value) {
    let seconds = number(&row["seconds"]);
    assert!(seconds > 0.0, "{row}");
    let length = number(&row["end"]) - number(&row["start"]);
    assert!((seconds - length).abs() < 1e-5, "{row}");
    // Seconds are told to the microsecond.
    let bits = count(&row["bytes"]) as f64 * 8.0;
    let told = number(&row["bits_per_second"]);
    let possible = bits / (seconds + 1e-6) - 1.0..=bits / (seconds - 1e-6).max(1e-9) + 1.0;
    assert!(possible.contains(&told), "that is not the rate of {row}");
    if let (Some(lost), Some(packets)) = (row["lost_packets"].as_u64(), row["packets"].as_u64()) {
        assert!(lost <= packets, "{row}");
        let percent = number(&row["lost_percent"]);
        assert!((0.0..=100.0).contains(&percent), "{row}");
    }
}

/// The report in the lines of `--measurement-stream`.
pub fn measured(stdout: &[u8]) -> Value {
    let printed = String::from_utf8_lossy(stdout);
    let line = printed
        .lines()
        .find(|line| line.contains(r#""event":"measurement""#))
        .expect("a measurement");
    parse(line.as_bytes())["data"]["report"].clone()
}
