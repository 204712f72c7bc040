//! What planning large meshes costs: `make scale`.
#![allow(clippy::print_stdout)]

mod pass;

use nettest_core::{
    mesh::{
        Mesh, MeshNode, MeshPair, Selection,
        next::next,
        node_set::NodeSet,
        second_pass::{PairOutcome, SecondPass, Verdict, conclude, second_pass},
    },
    valid::NodeName,
};
use std::{fs, time::Instant};

const SEED: &str = "6b7e1c1a-0000-4000-8000-000000000001";

fn main() {
    println!(
        "{:42} {:>9} {:>7} {:>9} {:>9}",
        "", "pairs", "rounds", "ms", "peak KiB"
    );
    // First the largest by pairs, since the peak is that of the process so far.
    let full = planned("Full, 1000 nodes", 1000, Selection::Full);
    planned(
        "RandomPairs of 3, 1000 nodes",
        1000,
        Selection::RandomPairs { per_node: 3 },
    );
    planned(
        "RandomPairs of 500, 1000 nodes",
        1000,
        Selection::RandomPairs { per_node: 500 },
    );
    planned(
        "PerZonePair of 3, 1000 nodes",
        1000,
        Selection::PerZonePair { per_zone_pair: 3 },
    );
    planned("Ring, 1000 nodes", 1000, Selection::Ring);

    let hundred = Mesh::new(&nodes(100), Selection::Full, SEED);
    simulated("a run of 100 nodes, 50 pairs at a time", &hundred, 50);
    simulated("a run of 100 nodes, 8 pairs at a time", &hundred, 8);

    passed("one pass over 100 nodes, one pair open", &hundred);

    // The most that one call can cost: the last pair of all is the only one that is open.
    let last = full.pairs.len() - 1;
    let begun = Instant::now();
    let starts = next(&full.pairs, &NodeSet::new(full.nodes.len()), 500, |index| {
        index == last
    });
    row(
        "one call of next, 1000 nodes, last pair open",
        starts.len(),
        0,
        begun,
    );

    judged("second pass and conclusion, 400 bad of 1000", &full, 400);
}

fn planned(what: &str, count: usize, selection: Selection) -> Mesh {
    let nodes = nodes(count);
    let begun = Instant::now();
    let mesh = Mesh::new(&nodes, selection, SEED);
    row(what, mesh.pairs.len(), mesh.rounds(), begun);
    mesh
}

/// Pairs end one by one, in a shuffled order, and after each `next` is asked: as often as an operator can ask.
fn simulated(what: &str, mesh: &Mesh, max_concurrent: usize) {
    let mut open = vec![true; mesh.pairs.len()];
    let mut running: Vec<usize> = Vec::new();
    let mut ended = 0;
    let mut calls = 0;
    let begun = Instant::now();
    while ended < mesh.pairs.len() {
        let mut busy = NodeSet::new(mesh.nodes.len());
        for pair in running.iter().filter_map(|index| mesh.pairs.get(*index)) {
            busy.insert(pair.client);
            busy.insert(pair.server);
        }
        let is_open = |index: usize| open.get(index).copied().unwrap_or_default();
        for index in next(&mesh.pairs, &busy, max_concurrent - running.len(), is_open) {
            open[index] = false;
            running.push(index);
        }
        calls += 1;
        running.swap_remove(calls * 7919 % running.len());
        ended += 1;
    }
    row(what, ended, calls, begun);
}

/// Every pair with one of the first `bad` nodes failed, and fails again.
fn judged(what: &str, mesh: &Mesh, bad: u32) {
    let outcome = |pair: &MeshPair| PairOutcome {
        client: pair.client,
        server: pair.server,
        verdict: match pair.client.min(pair.server) < bad {
            true => Verdict::Bad,
            false => Verdict::Good,
        },
    };
    let first: Vec<PairOutcome> = mesh.pairs.iter().map(outcome).collect();
    let begun = Instant::now();
    let SecondPass::Retest(retests) = second_pass(&mesh.nodes, &first) else {
        println!("{what}: no second pass");
        return;
    };
    let second: Vec<PairOutcome> = retests.iter().map(outcome).collect();
    let conclusion = conclude(&mesh.nodes, &first, &second);
    row(what, retests.len(), conclusion.suspects.len(), begun);
}

/// As the operator does after each change: in the place of rounds stand the bytes of the status.
fn passed(what: &str, mesh: &Mesh) {
    match pass::Run::of(mesh) {
        Ok(run) => {
            let begun = Instant::now();
            let bytes = run.pass();
            row(what, mesh.pairs.len(), bytes, begun);
        }
        Err(error) => println!("{what}: {error}"),
    }
}

fn nodes(count: usize) -> Vec<MeshNode> {
    (0..count)
        .map(|index| MeshNode {
            name: NodeName(format!(
                "ip-10-0-{}-{}.example.internal",
                index / 250,
                index % 250
            )),
            zone: Some(format!("zone-{}", index % 3)),
        })
        .collect()
}

fn row(what: &str, pairs: usize, rounds: usize, begun: Instant) {
    let took = begun.elapsed().as_micros();
    println!(
        "{what:42} {pairs:9} {rounds:7} {:>9} {:>9}",
        format!("{}.{:03}", took / 1000, took % 1000),
        peak_kib().map_or("?".to_owned(), |kib| kib.to_string())
    );
}

/// The process's most resident memory so far (VmHWM of proc_pid_status(5)), in KiB.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
