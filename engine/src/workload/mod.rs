//! What a data thread does. Nothing here allocates, locks or formats once the loop runs.
//!
//! - [`lane`]: what a workload has at hand: socket, clock, counters, budget
//! - [`pacing`]: when the next blocks may leave (pure)
//! - [`header`]: the head of a datagram (pure)
//! - [`tcp`], [`udp`]: the loops
//! - [`drain`]: when a stopped receiver has everything
mod drain;
mod header;
mod lane;
mod pacing;
mod payload;
mod tcp;
mod udp;

pub use header::Header;
pub use lane::Lane;
pub use pacing::{Pace, Pacer, Turn};

use crate::stats::Width;
use crate::worker::Duty;
use nettest_report::params::Protocol;
use std::io;

/// Runs one stream to its end on the calling thread.
pub fn run(
    lane: Lane<'_>,
    protocol: Protocol,
    duty: Duty,
    pace: Pace,
    udp_64bit: bool,
) -> io::Result<()> {
    let width = if udp_64bit {
        Width::Bits64
    } else {
        Width::Bits32
    };
    match (protocol, duty) {
        (Protocol::Tcp, Duty::Send) => tcp::send(lane, pace),
        (Protocol::Tcp, Duty::Receive) => tcp::receive(lane),
        (Protocol::Udp, Duty::Send) => udp::send(lane, pace, width),
        (Protocol::Udp, Duty::Receive) => udp::receive(lane, width),
    }
}

/// Largest write: iperf3's own limit of `-l` for TCP is 1 MiB.
const MAX_TCP_BLOCK: usize = 1 << 20;
/// Largest UDP payload over IPv4.
const MAX_UDP_BLOCK: usize = 65507;

/// Refuses a block that no loop could work with (a UDP block of 0 once made iperf3 spin, CVE-2026-102253).
pub fn check_block(protocol: Protocol, block_size: usize, udp_64bit: bool) -> io::Result<()> {
    let (least, most) = match protocol {
        Protocol::Tcp => (1, MAX_TCP_BLOCK),
        Protocol::Udp => (
            Header::size(if udp_64bit {
                Width::Bits64
            } else {
                Width::Bits32
            }),
            MAX_UDP_BLOCK,
        ),
    };
    if (least..=most).contains(&block_size) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("a block of {block_size} bytes does not fit: {least} to {most} bytes"),
    ))
}
