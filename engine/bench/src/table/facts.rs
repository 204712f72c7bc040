//! The machine and what ran on it: without them a figure means nothing.

use crate::{machine::Machine, record::Record};
use std::fmt::Write as _;

pub fn of(record: &Record) -> String {
    let machine = &record.machine;
    let congestion = record.congestion.as_ref().map_or_else(
        || {
            format!(
                "{} (the default: cubic may not be chosen here)",
                machine.default_congestion
            )
        },
        |name| format!("{name} for all (default: {})", machine.default_congestion),
    );
    let qdiscs: Vec<String> = record
        .qdiscs
        .iter()
        .map(|(path, qdisc)| format!("{path} {qdisc}"))
        .collect();
    let peers: Vec<&str> = record.peers.iter().map(|peer| peer.name.as_str()).collect();
    let cpu = std::iter::once(machine.cpu.as_str())
        .chain(machine.cpu_details.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(", ");
    let mut text = String::from("| machine | |\n|---|---|\n");
    for (name, value) in [
        (
            "taken",
            format!("{}, commit {}", machine.taken, machine.commit),
        ),
        (
            "runs",
            format!(
                "{} interleaved rounds of {} s",
                record.rounds, record.seconds
            ),
        ),
        (
            "CPU, memory",
            format!("{cpu}, {} CPUs, {}", machine.cpus, machine.memory),
        ),
        ("kernel", machine.kernel.clone()),
        ("load", load(machine)),
        ("TCP congestion control", congestion),
        (
            "queueing discipline",
            format!("{} (default: {})", qdiscs.join(", "), machine.default_qdisc),
        ),
        (
            "socket buffers",
            format!(
                "rmem_max {}, wmem_max {}, tcp_rmem {}, tcp_wmem {}",
                machine.rmem_max, machine.wmem_max, machine.tcp_rmem, machine.tcp_wmem
            ),
        ),
        ("system calls", record.calls_by.clone()),
        ("programs", peers.join(", ")),
    ] {
        let _ = writeln!(text, "| {name} | {value} |");
    }
    for absent in &record.absent {
        let _ = writeln!(text, "| absent | {}: {} |", absent.name, absent.how_to_get);
    }
    for note in &record.notes {
        let _ = writeln!(text, "| not measured | {note} |");
    }
    text.push('\n');
    text
}

fn load(machine: &Machine) -> String {
    let mut load = format!("{} before", machine.load_before);
    if let Some(after) = &machine.load_after {
        let _ = write!(load, ", {after} after");
    }
    if let Some(stolen) = machine.stolen_percent {
        let _ = write!(
            load,
            "; {stolen:.1} % of the CPU time went to other guests of the host"
        );
    }
    load
}
