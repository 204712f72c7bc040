//! A process of a pod, as this machine numbers it. One is only ever ended by its id, and only when it is still the one that was looked at.

use crate::{
    command::Command,
    seconds,
    until::{Seen, until},
};
use anyhow::{Context, Result, ensure};
use std::{collections::BTreeSet, fs};

/// A process id is used again; together with its start time it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    started: u64,
    /// Its first argument: what it was started as.
    pub program: String,
}

impl Process {
    pub fn of(pid: u32) -> Result<Process> {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline"))
            .with_context(|| format!("process {pid}"))?;
        Ok(Process {
            pid,
            started: start_time(pid).with_context(|| format!("process {pid} has ended"))?,
            program: line.split('\0').next().unwrap_or_default().to_owned(),
        })
    }

    pub fn is_alive(&self) -> bool {
        start_time(self.pid) == Some(self.started)
    }

    /// Sends it a signal, by kill's name of it.
    pub async fn signal(&self, signal: &str) -> Result<()> {
        ensure!(self.is_alive(), "{} ({}) has ended", self.program, self.pid);
        Command::line(&format!("kill -{signal} {}", self.pid))
            .run()
            .await?;
        Ok(())
    }

    /// SIGKILL, and it is really gone.
    pub async fn kill(&self) -> Result<()> {
        self.signal("KILL").await?;
        until(
            &format!("{} ({}) is gone after SIGKILL", self.program, self.pid),
            seconds(5),
            async || Ok(Seen::when(!self.is_alive(), || "alive".to_owned())),
        )
        .await
    }

    /// CPUs that each of its threads may use (`Cpus_allowed_list`), without repetition.
    pub fn allowed_cpus(&self) -> Result<BTreeSet<String>> {
        let mut allowed = BTreeSet::new();
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let Ok(status) = fs::read_to_string(thread?.path().join("status")) else {
                continue; // the thread ended while we looked
            };
            let list = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            allowed.insert(list.unwrap_or("unknown").trim().to_owned());
        }
        Ok(allowed)
    }

    /// CPUs on which its threads were last seen running.
    pub fn last_cpus(&self) -> Result<BTreeSet<String>> {
        let mut cpus = BTreeSet::new();
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid))? {
            if let Ok(stat) = fs::read_to_string(thread?.path().join("stat")) {
                cpus.extend(fields(&stat).nth(38 - 2).map(str::to_owned));
            }
        }
        Ok(cpus)
    }

    /// What is mounted in its file system: a service-account token would be one.
    pub fn mounts(&self) -> Result<String> {
        Ok(fs::read_to_string(format!("/proc/{}/mountinfo", self.pid))?)
    }
}

/// proc(5): field 22 of stat; nothing for a process that is gone or a zombie.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = fields(&stat);
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(22 - 4)?.parse().ok()
}

/// The fields of stat from the third on: the second is a name that may hold blanks.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_whitespace()
}
