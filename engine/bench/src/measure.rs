//! A whole bench: what is there, the rounds, the runs that count, and the record of it all.

use crate::{
    Arguments,
    bench::{Bench, Hangs},
    calls::Counter,
    endurance,
    goals::percent,
    keeper,
    machine::{self, CpuTime, Machine},
    peer::{self, Kind, Peer},
    place::Place,
    progress,
    record::Record,
    run::{Outcome, Run},
    work::{self, Work},
};
use anyhow::{Result, bail};
use nix::unistd::geteuid;
use std::path::PathBuf;

pub fn measure(arguments: &Arguments) -> Result<Record> {
    keeper::watch()?;
    let works: Vec<&Work> = work::ALL
        .iter()
        .filter(|work| work.chosen(&arguments.only))
        .collect();
    let tests = if arguments.short_tests_chosen() {
        arguments.tests
    } else {
        0
    };
    if works.is_empty() && tests == 0 {
        bail!("no row is called {}: see --list", arguments.only.join(", "));
    }
    let (mut peers, absent) = peer::find()?;
    let mut notes = Vec::new();
    choose(&mut peers, &arguments.against, &mut notes)?;
    for absent in &absent {
        eprintln!("absent: {} ({})", absent.name, absent.how_to_get);
    }
    let machine = Machine::read()?;
    let root = geteuid().is_root();
    let places = places(&arguments.path, root, &mut notes);
    for note in &notes {
        eprintln!("not measured: {note}");
    }
    let qdiscs = places
        .iter()
        .map(|place| Ok((place.path, place.qdisc()?)))
        .collect::<Result<_>>()?;
    let (counter, calls_by) = counter(arguments.no_calls);
    let bench = Bench {
        places: &places,
        works: &works,
        peers: &peers,
        rounds: arguments.rounds,
        seconds: arguments.seconds,
        congestion: machine::congestion(root),
    };
    let mut record = Record {
        rounds: arguments.rounds,
        seconds: arguments.seconds,
        congestion: bench.congestion.map(str::to_owned),
        qdiscs,
        calls_by,
        peers: peers.clone(),
        absent,
        runs: Vec::new(),
        counted: Vec::new(),
        endurance: Vec::new(),
        notes,
        machine,
    };
    let file = PathBuf::from(format!(
        "out/bench/{}.json",
        jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S")
    ));
    eprintln!(
        "{} rows, {} paths, {} programs, {} rounds, {tests} short tests: {} in all",
        works.len(),
        places.len(),
        peers.len(),
        arguments.rounds,
        progress::time(bench.guess(counter.is_some()) + endurance::guess(&peers, tests))
    );

    let cpu_before = CpuTime::read();
    // Whoever stops the bench still has the rounds that are complete.
    let mut not_kept = None;
    let mut hangs = Hangs::default();
    let runs = bench.rounds(
        &mut hangs,
        |run, progress| eprintln!("{progress}: {}", said(run)),
        |runs| {
            record.runs = runs.to_vec();
            not_kept = record.write(&file).err();
        },
    );
    if let Some(error) = not_kept {
        eprintln!("{error:#}");
    }
    record.runs = runs;
    record.machine.load_after = machine::load();
    record.machine.stolen_percent = CpuTime::read()
        .zip(cpu_before)
        .and_then(|(after, before)| after.stolen_percent_since(before));
    if let Some(counter) = counter {
        record.counted =
            bench.counted(counter, &mut hangs, |run| eprintln!("calls: {}", said(run)));
    }
    // It has no way to differ with the path.
    if let Some(place) = places.first().filter(|_| tests > 0) {
        for peer in &peers {
            eprintln!("short tests of {} ...", peer.name);
            let found = endurance::run(place, peer, tests);
            eprintln!(
                "short tests of {}: {} in {:.0} s{}",
                peer.name,
                found.done,
                found.seconds,
                found
                    .fault
                    .as_ref()
                    .map_or_else(String::new, |why| format!(", {why}"))
            );
            record.endurance.push(found);
        }
    }
    record.write(&file)?;
    eprintln!("raw runs: {}", file.display());
    Ok(record)
}

/// Keeps ours and those whose name holds one of the words.
fn choose(peers: &mut Vec<Peer>, against: &[String], notes: &mut Vec<String>) -> Result<()> {
    if against.is_empty() {
        return Ok(());
    }
    let chosen = |peer: &Peer| {
        peer.kind == Kind::Ours || against.iter().any(|word| peer.name.contains(word.as_str()))
    };
    let left_out: Vec<&str> = peers
        .iter()
        .filter(|peer| !chosen(peer))
        .map(|peer| peer.name.as_str())
        .collect();
    if !left_out.is_empty() {
        notes.push(format!("left out by --against: {}", left_out.join(", ")));
    }
    peers.retain(chosen);
    if peers.len() == 1 {
        bail!("no program that is here is called {}", against.join(", "));
    }
    Ok(())
}

fn places(chosen: &[work::Path], root: bool, notes: &mut Vec<String>) -> Vec<Place> {
    let mut places = Vec::new();
    for path in [work::Path::Lo, work::Path::Veth] {
        if !chosen.is_empty() && !chosen.contains(&path) {
            continue;
        }
        match Place::make(path, root) {
            Ok(place) => places.push(place),
            Err(error) => notes.push(format!("{path}: {error:#}")),
        }
    }
    places
}

/// What counts system calls, and the words for it.
fn counter(left_out: bool) -> (Option<Counter>, String) {
    if left_out {
        return (None, "not measured: --no-calls".to_owned());
    }
    match Counter::find() {
        Some(counter) => (
            Some(counter),
            format!("one extra run each under `{}`", counter.name()),
        ),
        None => (
            None,
            "not measured: neither perf nor strace works here".to_owned(),
        ),
    }
}

fn said(run: &Run) -> String {
    let said = match &run.outcome {
        Outcome::Done(measured) => match work::named(&run.work) {
            Some(work) if work.bytes.is_some() => format!(
                "{:.1} ms, {} bytes",
                measured.wall_seconds * 1e3,
                measured.delivered_bytes
            ),
            _ => format!(
                "{:.3} Gbit/s, loss {}",
                measured.bits_per_second() / 1e9,
                percent(measured.loss())
            ),
        },
        Outcome::Failed(why) => format!("FAILED: {why}"),
        Outcome::Unable(why) => format!("not done: {why}"),
    };
    format!(
        "round {} {}/{} {}: {said}",
        run.round + 1,
        run.work,
        run.path,
        run.peer
    )
}
