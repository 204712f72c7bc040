//! `make bench`: our engine and other measuring programs on the same work, in turn, on this machine.
//!
//! - [`work`]: the rows; [`peer`]: the programs; [`command`]: what each is told for each row
//! - [`place`], [`keeper`], [`process`], [`watcher`], [`calls`]: what acts on the machine
//! - [`measure`]: a whole bench; [`bench`]: its rounds; [`trial`]: one run; [`endurance`]: many short tests
//! - [`report`]: what the programs say of themselves; [`progress`]: how long it still takes
//! - [`run`], [`record`]: the raw figures; [`samples`], [`statistics`], [`goals`]: what they mean
//! - [`table`], [`document`]: how they are shown
#![forbid(unsafe_code)]

mod bench;
mod calls;
mod command;
mod document;
mod endurance;
mod goals;
mod keeper;
mod machine;
mod measure;
mod peer;
mod place;
mod process;
mod progress;
mod record;
mod report;
mod run;
mod samples;
mod statistics;
mod table;
mod trial;
mod watcher;
mod work;

use anyhow::Result;
use clap::Parser;
use record::Record;
use std::{io::Write as _, path::PathBuf};

const DOCUMENT: &str = "docs/benchmarks.md";

/// Our engine and other measuring programs on the same work, in turn: medians, ratios, CPU.
///
/// Programs that are not there are named as absent; docs/benchmarks.md says how to get each.
#[derive(Debug, Parser)]
#[command(name = "nettest-bench")]
struct Arguments {
    /// Rows: their names, beginnings of them, or groups (tcp, tcp-fast, udp, udp-gso, paced, clients, small); and
    /// short-tests
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    only: Vec<String>,
    /// Paths; both unless told
    #[arg(long, value_enum, value_delimiter = ',')]
    path: Vec<work::Path>,
    /// Programs, by a part of their name; all unless told. Ours always takes part
    #[arg(long, value_delimiter = ',', value_name = "PROGRAM")]
    against: Vec<String>,
    /// Rounds; each program runs once a row and round
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Seconds a run
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Short tests of one server of ours after which its memory is looked at; 0: none
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    tests: u32,
    /// Leave out the extra runs that count system calls
    #[arg(long)]
    no_calls: bool,
    /// Measure nothing: the tables of these files of raw runs, a later one before an earlier one
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Put the tables into docs/benchmarks.md as well
    #[arg(long)]
    write: bool,
    /// The rows, and nothing else
    #[arg(long)]
    list: bool,
}

impl Arguments {
    fn short_tests_chosen(&self) -> bool {
        let chosen = |word: &String| endurance::ROW.starts_with(word.as_str());
        self.only.is_empty() || self.only.iter().any(chosen)
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout().lock();
    if arguments.list {
        for work in &work::ALL {
            writeln!(out, "{:<13}{}", work.name, work.group.title())?;
        }
        writeln!(
            out,
            "{:<13}A server's memory after many short tests",
            endurance::ROW
        )?;
        return Ok(());
    }
    let record = if arguments.from.is_empty() {
        measure::measure(&arguments)?
    } else {
        let records = arguments.from.iter().map(|file| Record::read(file));
        Record::join(records.collect::<Result<_>>()?)?
    };
    let tables = table::markdown(&record, &repeat(&arguments));
    if arguments.write {
        document::write(DOCUMENT.as_ref(), &tables)?;
    }
    out.write_all(tables.as_bytes())?;
    Ok(())
}

/// The command that measures the same again.
fn repeat(arguments: &Arguments) -> String {
    let mut words = Vec::new();
    if !arguments.only.is_empty() {
        words.push(format!("--only {}", arguments.only.join(",")));
    }
    if !arguments.path.is_empty() {
        let paths: Vec<String> = arguments.path.iter().map(ToString::to_string).collect();
        words.push(format!("--path {}", paths.join(",")));
    }
    if !arguments.against.is_empty() {
        words.push(format!("--against {}", arguments.against.join(",")));
    }
    words.push(format!(
        "--rounds {} --seconds {} --tests {}",
        arguments.rounds, arguments.seconds, arguments.tests
    ));
    format!("make bench ARGS='{}'", words.join(" "))
}
