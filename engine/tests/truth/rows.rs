//! The rows of a test: contiguous, of true length, and numbers whatever happened in them.

use crate::lab::Alone;
use crate::run::{Running, signal, text};
use crate::strict::{self, count, list, number};
use serde_json::Value;

#[test]
fn report_034_rows_without_a_datagram_are_numbers_all_the_same() {
    let lab = Alone::new("--max-tests 30 -i 0");
    std::thread::scope(|scope| {
        for turn in 0..25 {
            let lab = &lab;
            scope.spawn(move || {
                let flags = [
                    "-u -b 10k -l 1400 -i 0.1 -t 2",
                    "-u -b 10k -l 1400 -i 0.1 -t 2 -R",
                ];
                let document = lab.measure(flags[turn % 2]);
                let rows = list(&document["intervals"]);
                let empty = |row: &&Value| row["sum"]["packets"] == 0;
                assert!(rows.iter().filter(empty).count() > 5, "{rows:?}");
                let last = &rows[rows.len() - 1]["sum"];
                assert!(
                    number(&last["seconds"]) >= 0.01 || count(&last["bytes"]) > 0,
                    "{last}"
                );
            });
        }
    });
}

/// Rows follow each other without a gap and add up to the total; on a machine that has time, they keep to the grid.
#[test]
fn report_058_rows_are_even_and_add_up() {
    let lab = Alone::new("");
    let _turn = crate::lab::alone();
    let mut seen = Vec::new();
    for _ in 0..6 {
        let document = lab.measure("-i 0.1 -t 2 -P 3 -b 5M");
        let rows: Vec<_> = list(&document["intervals"])
            .iter()
            .map(|row| &row["sum"])
            .collect();
        let total: u64 = rows.iter().map(|row| count(&row["bytes"])).sum();
        assert_eq!(document["end"]["sum_sent"]["bytes"], total);
        let grid = |row: &&&Value| {
            let end = number(&row["end"]) * 10.0;
            (end - end.round()).abs() < 0.05
        };
        let even = rows.iter().filter(grid).count();
        if rows.len() == 20 && even == 20 {
            return;
        }
        seen.push((rows.len(), even));
    }
    panic!("rows, and how many of them end within 5 ms of the grid: {seen:?}");
}

/// A client that stands still for a while has missed rows: they are one with its true bounds, not a burst of stale ones.
#[test]
fn report_036_missed_rows_are_one_row_with_true_bounds() {
    let lab = Alone::new("");
    for flags in ["-u -b 1M -t 3 -i 0.25", "-b 1M -t 3 -i 0.25 -R"] {
        let client = lab.net.engine(&format!(
            "-c 127.0.0.1 --json-stream --json-stream-full-output {flags}"
        ));
        let client = Running::of({ client }.spawn().expect("the client starts"))
            .until("\"event\":\"interval\"");
        signal(&client.child, "STOP");
        std::thread::sleep(std::time::Duration::from_millis(1200));
        signal(&client.child, "CONT");
        let output = client.end();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{flags}: {}",
            text(&output.stderr)
        );
        let printed = text(&output.stdout);
        let document =
            strict::parse(&printed.as_bytes()[printed.find("\n{\n").expect("the document")..]);
        strict::sane(&document);
        let lengths: Vec<f64> = list(&document["intervals"])
            .iter()
            .map(|row| number(&row["sum"]["seconds"]))
            .collect();
        assert!(
            lengths.iter().any(|length| *length > 1.0),
            "{flags}: {lengths:?}"
        );
        let last = lengths.len() - 1;
        assert!(
            lengths[..last].iter().all(|length| *length >= 0.125),
            "{flags}: {lengths:?}"
        );
    }
}
