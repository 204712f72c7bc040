//! A server's memory after many short tests, as a table.

use super::{NOTHING, one_line};
use crate::{
    endurance::{BYTES, Endurance},
    record::Record,
};
use std::fmt::Write as _;

pub fn of(record: &Record) -> String {
    if record.endurance.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "### A server's memory after many short tests\n\n\
         One server, tests of {} KiB one after the other, the client a new process each time: resident MiB of the server. \
         Programs other than ours do as many tests as they can in a quarter of a minute.\n\n\
         | path | program | tests | ms a test | at the start | after 1 | after 100 | after 1,000 | at the end | remarks |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        BYTES >> 10
    );
    for found in &record.endurance {
        let name = record
            .peers
            .iter()
            .find(|peer| peer.kind == found.peer)
            .map_or_else(|| found.peer.to_string(), |peer| peer.name.clone());
        let mib = |bytes: Option<u64>| {
            bytes.map_or_else(
                || NOTHING.to_owned(),
                |bytes| format!("{:.1}", bytes as f64 / f64::from(1 << 20)),
            )
        };
        let each = found.seconds_a_test().map_or_else(
            || NOTHING.to_owned(),
            |seconds| format!("{:.1}", seconds * 1e3),
        );
        let _ = writeln!(
            text,
            "| {} | {name} | {} | {each} | {} | {} | {} | {} | {} | {} |",
            found.path,
            found.done,
            mib(found.after(0)),
            mib(found.after(1)),
            mib(found.after(100)),
            mib(found.after(1000)),
            mib(found.at_the_end()),
            remarks(found)
        );
    }
    text.push('\n');
    text
}

fn remarks(found: &Endurance) -> String {
    let mut remarks = Vec::new();
    if found.failed > 0 {
        remarks.push(format!("{} more failed", found.failed));
    }
    if let Some(fault) = &found.fault {
        remarks.push(one_line(fault));
    }
    remarks.join("; ")
}
