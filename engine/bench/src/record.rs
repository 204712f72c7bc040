//! The file of raw runs: what the tables are made of, and can be made of again.

use crate::{
    endurance::Endurance,
    machine::Machine,
    peer::{Absent, Peer},
    run::Run,
};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub machine: Machine,
    pub rounds: u32,
    pub seconds: u32,
    /// None: the system's default.
    pub congestion: Option<String>,
    pub qdiscs: Vec<(crate::work::Path, String)>,
    /// How system calls were counted, or why they were not.
    pub calls_by: String,
    pub peers: Vec<Peer>,
    pub absent: Vec<Absent>,
    pub runs: Vec<Run>,
    /// Runs under a counter of system calls; their other figures are not used.
    pub counted: Vec<Run>,
    /// A server's memory after many short tests.
    #[serde(default)]
    pub endurance: Vec<Endurance>,
    /// Why a path or row is not there at all.
    pub notes: Vec<String>,
}

impl Record {
    pub fn write(&self, file: &Path) -> Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, serde_json::to_string(self)?)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    pub fn read(file: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no record", file.display()))
    }

    /// Several records of one machine and setting as one; a row that is in both is taken from the later.
    pub fn join(records: Vec<Record>) -> Result<Record> {
        let mut records = records.into_iter();
        let mut joined = records.next().context("no record")?;
        for next in records {
            if (joined.rounds, joined.seconds, &joined.congestion)
                != (next.rounds, next.seconds, &next.congestion)
                || joined.machine.kernel != next.machine.kernel
            {
                bail!("the records differ in machine, rounds, seconds or congestion control");
            }
            let replaced = |run: &Run| {
                next.runs
                    .iter()
                    .any(|new| (new.path, &new.work) == (run.path, &run.work))
            };
            joined.runs.retain(|run| !replaced(run));
            joined.counted.retain(|run| !replaced(run));
            if joined.counted.is_empty() {
                joined.calls_by = next.calls_by;
            }
            joined.runs.extend(next.runs);
            joined.counted.extend(next.counted);
            if !next.endurance.is_empty() {
                joined.endurance = next.endurance;
            }
            for peer in next.peers {
                if !joined.peers.iter().any(|old| old.kind == peer.kind) {
                    joined
                        .absent
                        .retain(|absent| absent.name != peer.kind.to_string());
                    joined.peers.push(peer);
                }
            }
            for (path, qdisc) in next.qdiscs {
                if !joined.qdiscs.iter().any(|(old, _)| *old == path) {
                    joined.qdiscs.push((path, qdisc));
                }
            }
            for note in next.notes {
                if !joined.notes.contains(&note) {
                    joined.notes.push(note);
                }
            }
            joined.machine = next.machine;
        }
        joined.peers.sort_by_key(|peer| peer.kind);
        Ok(joined)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::{
        peer::{Abilities, Kind},
        samples::tests::a_run,
        work,
    };

    pub fn record(runs: Vec<Run>) -> Record {
        let mut kinds: Vec<Kind> = runs.iter().map(|run| run.peer).collect();
        kinds.sort();
        kinds.dedup();
        Record {
            machine: Machine {
                taken: "2026-11-30 21:00 UTC".to_owned(),
                commit: "abc1234".to_owned(),
                cpu: "a CPU".to_owned(),
                cpus: 2,
                cpu_details: vec!["L3 32768K".to_owned(), "a virtual machine".to_owned()],
                memory: "4.0 GiB".to_owned(),
                kernel: "6.18.0".to_owned(),
                load_before: "0.05".to_owned(),
                load_after: Some("1.90".to_owned()),
                stolen_percent: Some(0.25),
                default_congestion: "bbr".to_owned(),
                default_qdisc: "pfifo_fast".to_owned(),
                rmem_max: "212992".to_owned(),
                wmem_max: "212992".to_owned(),
                tcp_rmem: "4096 131072 33554432".to_owned(),
                tcp_wmem: "4096 16384 4194304".to_owned(),
            },
            rounds: 2,
            seconds: 2,
            congestion: Some("cubic".to_owned()),
            qdiscs: vec![(work::Path::Lo, "noqueue".to_owned())],
            calls_by: "not measured: --no-calls".to_owned(),
            peers: kinds
                .into_iter()
                .map(|kind| Peer {
                    kind,
                    name: kind.to_string(),
                    program: std::path::PathBuf::new(),
                    abilities: Abilities::default(),
                })
                .collect(),
            absent: vec![Absent {
                name: Kind::Neper.to_string(),
                how_to_get: Kind::Neper.how_to_get().to_owned(),
            }],
            runs,
            counted: Vec::new(),
            endurance: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn what_was_written_is_what_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("new/record.json");
        let written = record(vec![a_run("tcp1", Kind::Ours, 0, 5.0)]);
        written.write(&file).expect("writable");
        assert_eq!(Record::read(&file).expect("readable"), written);
    }

    #[test]
    fn a_row_measured_again_replaces_the_old_one() {
        let old = record(vec![
            a_run("tcp1", Kind::Ours, 0, 5.0),
            a_run("tcp2", Kind::Ours, 0, 5.0),
        ]);
        let new = record(vec![
            a_run("tcp1", Kind::Ours, 0, 6.0),
            a_run("tcp1", Kind::Neper, 0, 4.0),
        ]);
        let joined = Record::join(vec![old.clone(), new.clone()]).expect("joinable");
        assert_eq!(
            joined.runs,
            [
                old.runs[1].clone(),
                new.runs[0].clone(),
                new.runs[1].clone()
            ]
        );
        assert!(joined.absent.is_empty());
        let other = Record { seconds: 10, ..new };
        assert!(Record::join(vec![old, other]).is_err());
    }
}
