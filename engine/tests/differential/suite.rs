//! All combinations of one pairing, as many side by side as the machine bears.

use crate::combination::{Combination, FILE_SIZE, Place};
use crate::generator::{self, Available};
use crate::peer::{Peer, Stock};
use crate::session::Ends;
use crate::verdict::{self, Pairing};
use crate::{axes, ports, slots};
use std::collections::HashMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};

const SEED: u64 = 20_261_130;
const COUNT: usize = 110;
/// For a test of one or two seconds: worth a line.
const SLOW: Duration = Duration::from_secs(8);

/// A number from the environment, for the nightly run and for repeating one.
fn setting<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    match std::env::var(name) {
        Err(_) => otherwise,
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is {text:?}, not a number")),
    }
}

#[derive(Debug, Default)]
struct Tally {
    again: AtomicUsize,
    alone: AtomicUsize,
}

/// Every combination of the pairing; fails with all that went wrong.
pub fn run(client: Peer, server: Peer) {
    let pairing = Pairing { client, server };
    let seed = setting("NETTEST_DIFFERENTIAL_SEED", SEED);
    let count = setting("NETTEST_DIFFERENTIAL", COUNT);
    let only = setting("NETTEST_DIFFERENTIAL_ONLY", usize::MAX);
    let combinations = combinations(seed, count, pairing.stock(), Machine::this());
    let chosen: Vec<(usize, &Combination)> = combinations
        .iter()
        .enumerate()
        .filter(|(index, _)| only == usize::MAX || only == *index)
        .collect();
    assert!(!chosen.is_empty(), "{pairing}: no combination #{only}");
    let started = Instant::now();

    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let tally = Tally::default();
    std::thread::scope(|scope| {
        for _ in 0..slots::ALL {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((index, combination)) = chosen.get(index) else {
                        return;
                    };
                    if let Some(failure) = one(pairing, combination, &tally) {
                        let text = format!("#{index} of seed {seed}: {failure}");
                        failures.lock().unwrap().push((*index, text));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let alone = tally.alone.into_inner();
    println!(
        "{pairing}: {} combinations of seed {seed}, {} right, {} wrong; {} rates measured twice; {} that two stock ones fail at; {:.0} s",
        chosen.len(),
        chosen.len() - failures.len(),
        failures.len(),
        tally.again.into_inner(),
        alone,
        started.elapsed().as_secs_f64(),
    );
    let texts: Vec<String> = failures.into_iter().map(|(_, text)| text).collect();
    assert!(
        alone * 20 <= chosen.len(),
        "{pairing}: two stock ones fail at {alone} of {} combinations: there is too little to compare with",
        chosen.len()
    );
    assert!(
        texts.is_empty(),
        "{pairing}: {} of {} combinations\n{}",
        texts.len(),
        chosen.len(),
        texts.join("\n")
    );
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    ipv6: bool,
    cpus: usize,
}

impl Machine {
    fn this() -> Self {
        Machine {
            ipv6: TcpListener::bind("[::1]:0").is_ok(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What the pairing's programs and the machine know. Pure. Both roles of a stock version have the same list, because
/// the version with itself is measured once for both; the versions have lists of their own.
fn combinations(
    seed: u64,
    count: usize,
    stock: Option<Stock>,
    machine: Machine,
) -> Vec<Combination> {
    let unknown: Vec<&str> = generator::all_flags()
        .filter(|flag| stock.is_some_and(|stock| axes::since(flag) > stock))
        .collect();
    let available = Available {
        unknown: &unknown,
        keeps_measure: stock != Some(Stock::V3_18),
        ipv6: machine.ipv6,
        cpus: machine.cpus,
    };
    let own = stock.map_or(0, |stock| 1 + stock as u64);
    generator::combinations(seed.wrapping_add(own), count, available)
}

/// What is wrong, with the command lines to repeat it.
fn one(pairing: Pairing, combination: &Combination, tally: &Tally) -> Option<String> {
    let mut share = share(pairing, combination);
    // Two stock ones can fail at what ours can do.
    let usable = pairing
        .stock()
        .map(|stock| reference(stock, combination))
        .filter(|reference| reference.went_well());
    if pairing.stock().is_some() && usable.is_none() {
        tally.alone.fetch_add(1, Ordering::Relaxed);
    }
    for attempt in 0.. {
        let place = place(combination);
        let began;
        let ends = {
            let _slots = slots::take(share);
            began = Instant::now();
            combination.run(&pairing.client, &pairing.server, &place)
        };
        if began.elapsed() > SLOW {
            let seconds = began.elapsed().as_secs_f64();
            println!("{pairing}: {combination} took {seconds:.0} s");
        }
        let faults = verdict::faults(pairing, combination, &ends, usable.as_deref());
        if faults.is_empty() {
            return None;
        }
        // Two CPUs and a dozen tests: a rate gets a second look, with the machine for itself. Only rates, only once.
        if attempt == 0 && faults.iter().all(|fault| fault.rate) {
            tally.again.fetch_add(1, Ordering::Relaxed);
            share = slots::ALL;
            continue;
        }
        let faults: Vec<String> = faults.into_iter().map(|fault| fault.text).collect();
        return Some(format!(
            "{}\n    server: {} {}\n    client: {} {}\n      {}",
            pairing,
            pairing.server.program().display(),
            combination.server(&place).join(" "),
            pairing.client.program().display(),
            combination.client(&place).join(" "),
            faults.join("\n      "),
        ));
    }
    None
}

/// Many threads, or no rate: less beside it.
fn share(pairing: Pairing, combination: &Combination) -> u32 {
    let overshoots = |peer| matches!(peer, Peer::Stock(stock) if stock >= Stock::V3_18);
    if combination.rate().is_none() && (overshoots(pairing.client) || overshoots(pairing.server)) {
        return slots::ALL;
    }
    match combination.streams() {
        0..32 => 1,
        32..128 => 3,
        _ => 6,
    }
}

fn place(combination: &Combination) -> Place {
    let port = ports::block(1 + combination.client_ports());
    Place {
        port,
        cport: port + 1,
        file: file().display().to_string(),
    }
}

/// What `-F` sends; one for all.
fn file() -> PathBuf {
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = std::env::temp_dir().join("nettest-differential-file");
        let bytes: Vec<u8> = (0..FILE_SIZE).map(|index| (index % 251) as u8).collect();
        std::fs::write(&path, bytes).unwrap();
        path
    });
    FILE.clone()
}

type Measured = HashMap<(Stock, Combination), Arc<OnceLock<Arc<Ends>>>>;

/// The combination between two stock ones, measured once a run of the suite.
fn reference(stock: Stock, combination: &Combination) -> Arc<Ends> {
    static MEASURED: LazyLock<Mutex<Measured>> = LazyLock::new(Mutex::default);
    let cell = {
        let mut measured = MEASURED.lock().unwrap();
        let key = (stock, combination.clone());
        measured.entry(key).or_default().clone()
    };
    let ends = cell.get_or_init(|| {
        let peer = Peer::Stock(stock);
        let pairing = Pairing {
            client: peer,
            server: peer,
        };
        let _slots = slots::take(share(pairing, combination));
        let began = Instant::now();
        let ends = combination.run(&peer, &peer, &place(combination));
        if began.elapsed() > SLOW || !ends.went_well() {
            let seconds = began.elapsed().as_secs_f64();
            println!(
                "{pairing}: {combination}: {seconds:.0} s, {:?}",
                ends.failure
            );
        }
        Arc::new(ends)
    });
    ends.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// What the suite promises, of the pairings that every run has; without the newest iperf3, on a poor machine too.
    #[test]
    fn a_run_has_at_least_300_different_combinations_of_flags() {
        let poor = Machine {
            ipv6: false,
            cpus: 1,
        };
        let rich = Machine {
            ipv6: true,
            cpus: 2,
        };
        for machine in [poor, rich] {
            let of = |stock| combinations(SEED, COUNT, stock, machine);
            let lists = [None, Some(Stock::V3_12), Some(Stock::V3_18)].map(of);
            // The client's command line is what counts: how the server prints is no test of its own.
            let lines: HashSet<String> = lists
                .iter()
                .flatten()
                .map(|combination| combination.client_words().collect::<Vec<_>>().join(" "))
                .collect();
            assert!(lines.len() >= 300, "{} of {machine:?}", lines.len());
        }
    }
}
