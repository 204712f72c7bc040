//! The rows of one of our documents: without gaps or overlaps, and together what the totals say.

use serde_json::Value;
use std::collections::BTreeMap;

/// One row, and the place in the document that its total has.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    start: f64,
    end: f64,
    bytes: u64,
    omitted: bool,
    sender: bool,
}

impl Row {
    fn of(row: &Value) -> Option<Self> {
        Some(Row {
            start: row.get("start")?.as_f64()?,
            end: row.get("end")?.as_f64()?,
            bytes: row.get("bytes")?.as_u64()?,
            omitted: row.get("omitted")?.as_bool()?,
            sender: row.get("sender")?.as_bool()?,
        })
    }
}

/// What is wrong with the rows of a document of ours.
pub fn faults(document: &Value) -> Vec<String> {
    let intervals = document.get("intervals").and_then(Value::as_array);
    let Some(intervals) = intervals.filter(|intervals| !intervals.is_empty()) else {
        // A test that is shorter than its interval has a row; one without rows is the schema's affair.
        return Vec::new();
    };
    let mut faults = Vec::new();
    let mut streams: BTreeMap<i64, Vec<Row>> = BTreeMap::new();
    let mut sums: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for interval in intervals {
        let mut of_streams = [0, 0];
        for row in interval["streams"].as_array().into_iter().flatten() {
            match (row["socket"].as_i64(), Row::of(row)) {
                (Some(socket), Some(row)) => {
                    of_streams[usize::from(row.sender)] += row.bytes;
                    streams.entry(socket).or_default().push(row);
                }
                _ => faults.push(format!("not a row: {row}")),
            }
        }
        for name in ["sum", "sum_bidir_reverse"] {
            let Some(sum) = interval.get(name) else {
                continue;
            };
            let Some(sum) = Row::of(sum) else {
                faults.push(format!("not a row: {sum}"));
                continue;
            };
            let streams = of_streams[usize::from(sum.sender)];
            if streams != sum.bytes {
                let Row {
                    start, end, bytes, ..
                } = sum;
                faults.push(format!(
                    "{name} from {start} to {end} is {bytes} bytes, its streams' rows {streams}"
                ));
            }
            sums.entry(name).or_default().push(sum);
        }
    }
    for (socket, rows) in &streams {
        gaps(&format!("socket {socket}"), rows, &mut faults);
    }
    for (name, rows) in &sums {
        gaps(name, rows, &mut faults);
        totals(name, rows, document, &mut faults);
    }
    faults
}

fn gaps(name: &str, rows: &[Row], faults: &mut Vec<String>) {
    for (index, row) in rows.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| rows[before]);
        // The counted part begins at 0 again.
        let begins = match before {
            Some(before) if before.omitted == row.omitted => before.end,
            _ => 0.0,
        };
        if row.start != begins || row.end < row.start {
            let Row { start, end, .. } = row;
            faults.push(format!(
                "{name}: a row from {start} to {end} where one from {begins} is due"
            ));
        }
    }
}

/// What this end has counted itself: the rows and the total are the same bytes.
fn totals(name: &str, rows: &[Row], document: &Value, faults: &mut Vec<String>) {
    let Some(last) = rows.last() else {
        return;
    };
    let suffix = name.trim_start_matches("sum");
    let kind = if last.sender { "sent" } else { "received" };
    let key = format!("sum_{kind}{suffix}");
    let counted = rows.iter().filter(|row| !row.omitted);
    let bytes: u64 = counted.map(|row| row.bytes).sum();
    let total = document["end"][&key]["bytes"].as_u64();
    if total != Some(bytes) {
        faults.push(format!(
            "{key} is {total:?} bytes, the rows of {name} together {bytes}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(socket: Option<i64>, times: [f64; 2], bytes: u64, omitted: bool) -> Value {
        let mut row = json!({
            "start": times[0], "end": times[1], "bytes": bytes, "omitted": omitted, "sender": true,
        });
        if let Some(socket) = socket {
            row["socket"] = socket.into();
        }
        row
    }

    /// Two streams, one omitted second and two counted ones.
    fn document() -> Value {
        let interval = |times: [f64; 2], omitted| {
            json!({
                "streams": [row(Some(5), times, 10, omitted), row(Some(7), times, 20, omitted)],
                "sum": row(None, times, 30, omitted),
            })
        };
        json!({
            "intervals": [
                interval([0.0, 1.01], true), interval([0.0, 1.0], false), interval([1.0, 1.9], false),
            ],
            "end": {"sum_sent": {"bytes": 60}, "sum_received": {"bytes": 55}},
        })
    }

    #[test]
    fn rows_that_fit_are_right() {
        assert_eq!(faults(&document()), Vec::<String>::new());
    }

    #[test]
    fn each_thing_that_does_not_fit_is_said() {
        for (path, value, said) in [
            (
                "/intervals/2/sum/start",
                json!(1.1),
                "sum: a row from 1.1 to 1.9 where one from 1 is due",
            ),
            (
                "/intervals/1/streams/0/start",
                json!(0.1),
                "socket 5: a row from 0.1",
            ),
            (
                "/intervals/1/streams/1/end",
                json!(0.9),
                "socket 7: a row from 1 to 1.9 where one from 0.9",
            ),
            (
                "/intervals/2/streams/1/bytes",
                json!(21),
                "is 30 bytes, its streams' rows 31",
            ),
            (
                "/end/sum_sent/bytes",
                json!(90),
                "sum_sent is Some(90) bytes, the rows of sum together 60",
            ),
            ("/intervals/0/sum/bytes", json!(null), "not a row"),
        ] {
            let mut document = document();
            *document.pointer_mut(path).unwrap() = value;
            let found = faults(&document);
            assert!(
                found.iter().any(|fault| fault.contains(said)),
                "{path}: {found:?}"
            );
        }
    }
}
