//! What a data thread does. Nothing here allocates, locks or formats once the loop runs.
//!
//! - [`lane`]: what a workload has at hand: socket, clock, counters, budget
//! - [`omit`]: which datagrams belong to the omitted part (pure)
//! - [`pacing`]: when the next blocks may leave (pure)
//! - [`header`]: the head of a datagram (pure)
//! - [`source`], [`sink`]: where a byte stream comes from and goes to
//! - [`tcp`], [`udp`]: the loops
//! - [`drain`]: when a stopped receiver has everything
mod drain;
mod header;
mod lane;
mod omit;
mod pacing;
mod payload;
mod sink;
mod source;
mod tcp;
mod udp;

pub use header::Header;
pub use lane::Lane;
pub use pacing::{Pace, Pacer, Turn};
pub use payload::Payload;

use crate::stats::Width;
use crate::worker::{Duty, Load};
use nettest_report::params::Protocol;
use std::fs::File;
use std::io;

/// Runs one stream to its end on the calling thread. `file`: what a byte stream sends, or where it goes.
pub fn run(lane: Lane<'_>, load: &Load, duty: Duty, file: Option<File>) -> io::Result<()> {
    let pace = Pace {
        bitrate: load.bitrate,
        burst: load.burst,
    };
    match (load.protocol, duty) {
        (Protocol::Tcp | Protocol::Sctp, Duty::Send) => {
            let source = source::Source::of(load, file)?;
            tcp::send(lane, source, pace)
        }
        (Protocol::Tcp | Protocol::Sctp, Duty::Receive) => {
            let sink = sink::Sink::of(load, file)?;
            tcp::receive(lane, sink)
        }
        (Protocol::Udp, Duty::Send) => udp::send(lane, load, pace),
        (Protocol::Udp, Duty::Receive) => udp::receive(lane, load),
    }
}

/// A buffer for a byte stream. Errors: no memory for it, which would else end the whole process.
fn buffer(length: usize) -> io::Result<Box<[u8]>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(length).map_err(|_| {
        let why = format!("no memory for a buffer of {length} bytes; ask for fewer streams (-P) or smaller blocks (-l)");
        io::Error::new(io::ErrorKind::OutOfMemory, why)
    })?;
    buffer.resize(length, 0);
    Ok(buffer.into_boxed_slice())
}

/// Of the sequence numbers.
pub fn width(load: &Load) -> Width {
    if load.udp_64bit {
        Width::Bits64
    } else {
        Width::Bits32
    }
}

/// Largest write: iperf3's own limit of `-l` for TCP is 1 MiB.
const MAX_TCP_BLOCK: usize = 1 << 20;
/// Largest UDP payload over IPv4.
const MAX_UDP_BLOCK: usize = 65507;

/// Refuses a block that no loop could work with (a UDP block of 0 once made iperf3 spin, CVE-2026-102253).
pub fn check_block(load: &Load) -> io::Result<()> {
    let block_size = load.block_size;
    let (least, most) = match load.protocol {
        Protocol::Tcp | Protocol::Sctp => (1, MAX_TCP_BLOCK),
        Protocol::Udp => (Header::size(width(load)), MAX_UDP_BLOCK),
    };
    if (least..=most).contains(&block_size) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("a block of {block_size} bytes does not fit: {least} to {most} bytes"),
    ))
}
