//! For tickets and merge requests.

use super::rows::{conclusion, ended, verdict, worst_first};
use crate::show::figures::{cpu, flow, micros, percent, rate};
use crate::subject::Subject;
use nettest_api::threshold::Severity;
use std::fmt::Write;

/// More pairs than this are in the CSV and JSON reports only.
const MOST_PAIRS: usize = 50;

pub fn markdown(subject: &Subject) -> String {
    let status = subject.status();
    let (reason, message) = conclusion(subject);
    let mut out = format!("# {}: {}\n\n", escaped(&subject.name), verdict(subject));
    let _ = writeln!(out, "{} ({})\n", escaped(&message), escaped(&reason));
    let run = subject.run.metadata.name.clone().unwrap_or_default();
    let place = subject.namespace.as_ref().map_or_else(
        || "on this machine".to_owned(),
        |namespace| format!("namespace {namespace}"),
    );
    let when =
        ended(&status.finish_time).map_or_else(String::new, |time| format!(", ended {time}"));
    let nodes = status.pair.as_ref().map_or_else(String::new, |pair| {
        let [client, server] = [&pair.client, &pair.server].map(|end| escaped(&end.node));
        format!(", client {client}, server {server}")
    });
    let _ = writeln!(
        out,
        "Run {}, {}{when}{nodes}.\n",
        escaped(&run),
        escaped(&place)
    );
    out += "| Variant | Flow | Throughput | Min | Max | Spread | Retransmits | RTT | p99 | Loss | Jitter | CPU client | CPU server |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for result in &status.results {
        let spread = &result.throughput_bits_per_second;
        let cells = [
            escaped(&result.variant),
            flow(result.flow).to_owned(),
            rate(spread.median).unwrap_or_default(),
            rate(spread.min).unwrap_or_default(),
            rate(spread.max).unwrap_or_default(),
            format!("{} %", spread.spread_percent),
            known(result.retransmits, |count| count.to_string()),
            known(result.rtt_microseconds, micros),
            known(result.rtt_percentiles_microseconds, |of| micros(of.p99)),
            known(result.loss_ppm, percent),
            known(result.jitter_microseconds, micros),
            known(result.client_cpu_milli, cpu),
            known(result.server_cpu_milli, cpu),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if !status.thresholds.is_empty() {
        out += "\n## Thresholds\n\n| Threshold | | Observed, and asked |\n|---|---|---|\n";
    }
    for threshold in &status.thresholds {
        let word = match (threshold.met, threshold.severity) {
            (true, _) => "met",
            (false, Severity::Fail) => "**MISSED**",
            (false, Severity::Warn) => "missed (a warning only)",
        };
        let _ = writeln!(
            out,
            "| {} | {word} | {} |",
            escaped(&threshold.name),
            escaped(&threshold.message)
        );
    }
    for (index, suspect) in status.suspects.iter().enumerate() {
        if index == 0 {
            out += "\n## Suspects\n\n";
        }
        let word = if suspect.confirmed {
            "bad node"
        } else {
            "suspect"
        };
        let _ = writeln!(
            out,
            "- {word} **{}**: {}",
            escaped(&suspect.node),
            escaped(&suspect.message)
        );
    }
    for (index, diagnosis) in status.diagnosis.iter().enumerate() {
        if index == 0 {
            out += "\n## What held the throughput\n\n";
        }
        let _ = writeln!(
            out,
            "- **{}**: {}. To do: {}",
            escaped(&diagnosis.reason),
            escaped(&diagnosis.message),
            escaped(&diagnosis.hint)
        );
    }
    pairs(&mut out, subject);
    out
}

fn pairs(out: &mut String, subject: &Subject) {
    if subject.pairs.is_empty() {
        return;
    }
    let all = worst_first(subject);
    out.push_str("\n## Pairs, worst first\n\n| Client | Server | Variant | Flow | Throughput | |\n|---|---|---|---|--:|---|\n");
    for row in all.iter().take(MOST_PAIRS) {
        let result = row.result;
        let second = if row.second_pass { "second pass" } else { "" };
        let note = if row.reason.is_empty() {
            second
        } else {
            &row.reason
        };
        let cells = [
            escaped(&row.client),
            escaped(&row.server),
            result.map_or_else(String::new, |result| escaped(&result.variant)),
            result.map_or("", |result| flow(result.flow)).to_owned(),
            known(result, |result| {
                rate(result.throughput_bits_per_second.median).unwrap_or_default()
            }),
            escaped(note),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if all.len() > MOST_PAIRS {
        let _ = writeln!(
            out,
            "\nand {} more rows: `-o csv` has all.",
            all.len() - MOST_PAIRS
        );
    }
}

fn known<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// Names come from elsewhere: nothing in them is markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '\\' | '&' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
