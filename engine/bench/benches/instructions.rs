//! Instructions of the engine's inner loops, counted by valgrind's callgrind: the same for the same binary, however
//! busy the machine is, so that commits can be compared where times cannot. `make bench-instructions`.
//!
//! Only user-space instructions: what the kernel does for a system call is not in them. No counting library: those
//! for callgrind need a second program of exactly their version to be installed.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench is a test program: it stops at the first thing that is wrong"
)]

use nettest_engine::{
    sock::{ReceiveBatch, SendBatch, offer_merged, offer_segments},
    stats::{Jitter, SequenceTracker, Snapshot, StreamCounters, Width},
    workload::{Header, Pace, Turn},
};
use socket2::{Domain, Socket, Type};
use std::{
    collections::BTreeMap,
    env, fs,
    hint::black_box,
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::Command,
    time::Duration,
};

/// A loop, what one turn of it handles, and how many turns are counted.
struct Kernel {
    name: &'static str,
    unit: &'static str,
    turns: u64,
    /// Gets ready, and gives what is counted.
    prepare: fn(u64) -> Box<dyn FnMut()>,
}

const DATAGRAM: usize = 1400;
/// Datagrams a call, as with UDP_SEGMENT.
const BATCH: u64 = 32;

const KERNELS: [Kernel; 6] = [
    Kernel {
        name: "udp-headers",
        unit: "datagram",
        turns: 32_000,
        prepare: udp_headers,
    },
    Kernel {
        name: "udp-sequence",
        unit: "datagram",
        turns: 32_000,
        prepare: udp_sequence,
    },
    Kernel {
        name: "udp-sequence-gaps",
        unit: "datagram",
        turns: 32_000,
        prepare: udp_sequence_with_gaps,
    },
    Kernel {
        name: "pacing",
        unit: "batch",
        turns: 32_000,
        prepare: pacing,
    },
    Kernel {
        name: "gro-split",
        unit: "datagram",
        turns: 32_000,
        prepare: gro_split,
    },
    Kernel {
        name: "tcp-receive",
        unit: "read",
        turns: 32_000,
        prepare: tcp_receive,
    },
];

/// As the UDP sender does: a header into each datagram of a batch.
fn udp_headers(datagrams: u64) -> Box<dyn FnMut()> {
    let mut buffer = vec![0u8; DATAGRAM * BATCH as usize];
    Box::new(move || {
        let mut sequence = 0;
        while sequence < datagrams {
            let sent_ns = black_box(12_345_678_901);
            for datagram in buffer.chunks_exact_mut(DATAGRAM) {
                sequence += 1;
                Header { sent_ns, sequence }.write(datagram, Width::Bits64);
            }
            black_box(&buffer);
        }
    })
}

/// As the UDP receiver does for each datagram, and once a batch.
fn account(numbers: Vec<u64>) -> Box<dyn FnMut()> {
    let mut tracker = SequenceTracker::default();
    let mut jitter = Jitter::default();
    let counters = StreamCounters::default();
    let mut totals = Snapshot::default();
    let mut now = 1_000_000_000;
    Box::new(move || {
        for batch in numbers.chunks(BATCH as usize) {
            now += 50_000;
            for &number in batch {
                black_box(tracker.arrive(black_box(number), Width::Bits64));
                jitter.arrive(black_box(now) as i64 - 7_000, now as i64);
                totals.bytes += DATAGRAM as u64;
                totals.packets += 1;
            }
            totals.highest_seq = tracker.highest();
            totals.lost = tracker.lost();
            totals.out_of_order = tracker.out_of_order();
            totals.duplicates = tracker.duplicates();
            totals.jitter_ns = jitter.estimate_ns();
            counters.publish(&totals, now);
        }
        black_box(counters.snapshot());
    })
}

fn udp_sequence(datagrams: u64) -> Box<dyn FnMut()> {
    account((1..=datagrams).collect())
}

/// One in ten is missing, one in ten is late by three.
fn udp_sequence_with_gaps(datagrams: u64) -> Box<dyn FnMut()> {
    let mut numbers: Vec<u64> = (1..)
        .filter(|n| n % 10 != 0)
        .take(datagrams as usize)
        .collect();
    for place in (3..numbers.len()).step_by(10) {
        numbers[place - 3..=place].rotate_left(1);
    }
    account(numbers)
}

/// As the paced UDP sender does, at 1 Gbit/s with a timer that is 50 us late: each turn is a wait or a batch.
fn pacing(batches: u64) -> Box<dyn FnMut()> {
    let pace = Pace {
        bitrate: Some(1_000_000_000),
        burst: 1,
    };
    Box::new(move || {
        let mut now = 0;
        let mut pacer = pace.of_datagrams(DATAGRAM, now);
        let mut sent = 0;
        while let Some(pacer) = pacer.as_mut().filter(|_| sent < batches) {
            match black_box(pacer.turn(black_box(now), DATAGRAM * BATCH as usize)) {
                Turn::Send(bytes) => {
                    pacer.sent(bytes as u64);
                    sent += 1;
                }
                Turn::Wait(until) => now = until + 50_000,
            }
        }
    })
}

/// Real sockets: what the kernel merged is taken apart and read.
fn gro_split(datagrams: u64) -> Box<dyn FnMut()> {
    let (sender, receiver) = connected().unwrap_or_else(|error| panic!("no sockets: {error}"));
    offer_segments(&sender, DATAGRAM);
    offer_merged(&receiver, DATAGRAM);
    let mut sending = SendBatch::new(&sender, DATAGRAM, |bytes| bytes.fill(7))
        .unwrap_or_else(|error| panic!("no batch to send: {error}"));
    let mut receiving = ReceiveBatch::new(&receiver);
    let batch = BATCH as usize;
    assert!(
        sending.segmented(),
        "this kernel does not cut datagrams (UDP_SEGMENT)"
    );
    Box::new(move || {
        let mut done = 0;
        while done < datagrams {
            for index in 0..batch {
                let header = Header {
                    sent_ns: 1_000_000_000,
                    sequence: done + index as u64 + 1,
                };
                header.write(sending.datagram(index), Width::Bits64);
            }
            let sent = sending.send(&sender, batch);
            assert_eq!(sent.ok(), Some(batch), "a whole batch leaves at once");
            let mut arrived = 0;
            while arrived < batch {
                receiving
                    .receive(&receiver)
                    .unwrap_or_else(|error| panic!("nothing arrived: {error}"));
                for datagram in receiving.datagrams() {
                    black_box(Header::read(datagram.bytes, Width::Bits64));
                    arrived += 1;
                }
            }
            done += BATCH;
        }
    })
}

fn connected() -> io::Result<(Socket, Socket)> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into();
    let sender = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    let receiver = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    receiver.bind(&any)?;
    receiver.set_read_timeout(Some(Duration::from_secs(5)))?;
    sender.bind(&any)?;
    sender.connect(&receiver.local_addr()?)?;
    Ok((sender, receiver))
}

/// As the TCP receiver does after each read.
fn tcp_receive(reads: u64) -> Box<dyn FnMut()> {
    let counters = StreamCounters::default();
    let mut totals = Snapshot::default();
    Box::new(move || {
        for read in 0..reads {
            let now = black_box(1_000_000_000 + read * 40_000);
            counters.started(now);
            totals.bytes += black_box(131_072);
            totals.packets += 1;
            counters.publish(&totals, now);
        }
        black_box(counters.snapshot());
    })
}

/// What valgrind counts in: this function and all that it calls. No other has such a name.
#[inline(never)]
fn instructions_counted_in_here(act: &mut dyn FnMut()) {
    act();
}

fn main() {
    if let Ok(name) = env::var("NETTEST_BENCH_KERNEL") {
        let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
        let kernel = kernel.unwrap_or_else(|| panic!("no loop is called {name}"));
        let mut act = (kernel.prepare)(kernel.turns);
        instructions_counted_in_here(&mut *act);
        return;
    }
    if let Err(error) = Command::new("valgrind").arg("--version").output() {
        panic!("valgrind does not start ({error}): apt-get install valgrind");
    }
    // cargo starts benches in the folder of their package.
    let file = Path::new("../../out/bench/instructions.json");
    let before: BTreeMap<String, u64> = fs::read_to_string(file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let mut counts = BTreeMap::new();
    println!("| loop | instructions | a | last time |\n|---|---|---|---|");
    for kernel in &KERNELS {
        let count = count(kernel);
        let each = |count: u64| format!("{:.2}", count as f64 / kernel.turns as f64);
        let last = before
            .get(kernel.name)
            .map_or("–".to_owned(), |&count| each(count));
        println!(
            "| {} | {} | {} | {last} |",
            kernel.name,
            each(count),
            kernel.unit
        );
        counts.insert(kernel.name.to_owned(), count);
    }
    let written = fs::create_dir_all("../../out/bench")
        .and_then(|()| fs::write(file, serde_json::to_vec(&counts)?));
    if let Err(error) = written {
        panic!("cannot keep the counts in {}: {error}", file.display());
    }
}

fn count(kernel: &Kernel) -> u64 {
    let this = env::current_exe().unwrap_or_else(|error| panic!("this program: {error}"));
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--toggle-collect=*instructions_counted_in_here*",
        ])
        .arg(this)
        .env("NETTEST_BENCH_KERNEL", kernel.name)
        .output()
        .unwrap_or_else(|error| panic!("valgrind does not start: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} failed:\n{said}", kernel.name);
    // "==123== Collected : 1234567"
    let count = said
        .lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
        .filter(|count| *count > 0);
    count.unwrap_or_else(|| panic!("valgrind counted nothing for {}:\n{said}", kernel.name))
}
