//! The record as Markdown. Pure.

mod column;
mod commands;
mod endurance;
mod facts;

use crate::{
    goals::{goals, judge},
    peer::Peer,
    record::Record,
    run::{Outcome, Run},
    samples::Samples,
    work::{self, Group, Path},
};
use column::{Column, columns};
use std::fmt::Write as _;

/// Everything between the document's markers.
pub fn markdown(record: &Record, repeat: &str) -> String {
    let mut text = facts::of(record);
    text += &bars(record);
    for group in Group::ALL {
        text += &group_table(record, group);
    }
    text += &endurance::of(record);
    text += &commands::of(record, repeat);
    text
}

/// Rows of the document that have runs, in the order of the tables.
fn samples(record: &Record, group: Group) -> impl Iterator<Item = Samples<'_>> {
    work::ALL
        .iter()
        .filter(move |work| work.group == group)
        .flat_map(|work| [Path::Lo, Path::Veth].map(|path| Samples::of(&record.runs, work, path)))
        .filter(|samples| !samples.is_empty())
}

fn bars(record: &Record) -> String {
    let mut text = String::from(
        "### Goals\n\n| work | path | goal | found (95 % interval) | met |\n|---|---|---|---|---|\n",
    );
    for group in Group::ALL {
        for samples in samples(record, group) {
            for goal in goals(samples.work) {
                let verdict = judge(goal, &samples);
                let met = match verdict.met {
                    Some(true) => "yes",
                    Some(false) => "**no**",
                    None => "?",
                };
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {met} |",
                    samples.work.name, samples.path, verdict.goal, verdict.found
                );
            }
        }
    }
    text.push('\n');
    text
}

const NOTHING: &str = "–";

fn group_table(record: &Record, group: Group) -> String {
    let columns = columns(group);
    let mut lines = String::new();
    for samples in samples(record, group) {
        for peer in &record.peers {
            if samples.runs(peer.kind).next().is_some() {
                lines += &line(record, columns, &samples, peer);
            }
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let heads: String = columns
        .iter()
        .map(|column| format!("{} | ", column.head()))
        .collect();
    let rule = "---|".repeat(columns.len() + 4);
    format!(
        "### {}\n\n| work | path | program | {heads}remarks |\n|{rule}\n{lines}\n",
        group.title()
    )
}

fn line(record: &Record, columns: &[Column], samples: &Samples<'_>, peer: &Peer) -> String {
    let cells: String = columns
        .iter()
        .map(|column| format!("{} | ", column.cell(record, samples, peer.kind)))
        .collect();
    format!(
        "| {} | {} | {} | {cells}{} |\n",
        samples.work.name,
        samples.path,
        peer.name,
        remarks(samples, peer)
    )
}

fn remarks(samples: &Samples<'_>, peer: &Peer) -> String {
    let runs: Vec<&Run> = samples.runs(peer.kind).collect();
    let mut remarks = Vec::new();
    if peer.abilities.sendmmsg && samples.work.protocol == work::Protocol::Udp {
        remarks.push("with --sendmmsg".to_owned());
    }
    if let Some(run) = runs.first()
        && !run.without.is_empty()
    {
        remarks.push(format!("without {}", run.without.join(", ")));
    }
    let longer = samples
        .done(peer.kind)
        .filter(|(_, run)| run.longer())
        .count();
    if longer > 0 {
        remarks.push(format!(
            "data for longer than it says in {longer} of {}",
            runs.len()
        ));
    }
    if let Some((_, run)) = samples.done(peer.kind).next()
        && run.servers > 1
    {
        remarks.push(format!("{} servers", run.servers));
    }
    let faults: Vec<&str> = runs
        .iter()
        .filter_map(|run| match &run.outcome {
            Outcome::Failed(why) | Outcome::Unable(why) => Some(why.as_str()),
            Outcome::Done(_) => None,
        })
        .collect();
    if let Some(fault) = faults.first() {
        let unable = runs
            .iter()
            .all(|run| matches!(run.outcome, Outcome::Unable(_)));
        remarks.push(if unable {
            format!("not done: {fault}")
        } else {
            format!(
                "**failed in {} of {}**: {}",
                faults.len(),
                runs.len(),
                one_line(fault)
            )
        });
    }
    remarks.join("; ")
}

/// Of a program's words: nothing in them may end the cell.
fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|")
}

#[cfg(test)]
mod tests;
