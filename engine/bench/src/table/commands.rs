//! The command lines, to repeat a figure by hand.

use crate::{
    command::{self, Setting},
    record::Record,
    work,
};
use std::fmt::Write as _;

pub fn of(record: &Record, repeat: &str) -> String {
    let mut text = format!(
        "### Commands\n\nAll of it again: `{repeat}`. One by one (`SERVER` is 127.0.0.1 or the other end of the veth pair; \
         the servers were started first, each client alone on the machine):\n\n```\n"
    );
    for work in &work::ALL {
        for peer in &record.peers {
            if !record
                .runs
                .iter()
                .any(|run| run.work == work.name && run.peer == peer.kind)
            {
                continue;
            }
            let setting = Setting {
                seconds: record.seconds,
                congestion: record.congestion.as_deref(),
                address: "SERVER",
            };
            let Ok(plan) = command::plan(peer, work, &setting) else {
                continue;
            };
            let program = command::program(peer.kind);
            let (Some(server), Some(client)) = (plan.servers.first(), plan.clients.first()) else {
                continue;
            };
            let times = |count: usize| match count {
                1 => String::new(),
                _ => format!("   # {count} of them"),
            };
            let _ = writeln!(
                text,
                "{:<13}{program} {}{}\n{:<13}{program} {}{}",
                work.name,
                server.arguments.join(" "),
                times(plan.servers.len()),
                "",
                client.join(" "),
                times(plan.clients.len()),
            );
        }
    }
    text += "```\n";
    text
}
