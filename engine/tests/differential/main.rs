//! The differential suite: our engine and stock iperf3 run the same combinations of flags, in every pairing, and
//! are held against each other: both complete, both ends agree about what was counted, exact figures are exact,
//! rates are near the target, and our output has the keys, the types and the lines that the stock tool's has for
//! that very combination, measured in the same run.
//!
//! - [`axes`]: the flags and what they need of each other; [`combination`]: one pick of each; [`generator`]: which
//!   ones, from a fixed seed
//! - [`peer`], [`session`], [`ports`], [`slots`]: running two programs, many tests side by side
//! - [`output`], [`strict`]: reading what they wrote
//! - [`schema`], [`shape`], [`figures`], [`rows`], [`verdict`]: what is wrong with it
//! - [`suite`]: all of one pairing
//! - [`reports`]: single field reports that concern stock peers
//!
//! Environment: `NETTEST_DIFFERENTIAL` (combinations a pairing), `NETTEST_DIFFERENTIAL_SEED`,
//! `NETTEST_DIFFERENTIAL_ONLY` (the number of the only one to run), `NETTEST_IPERF3_NEWEST` (a third stock iperf3,
//! 3.21 or later). Stock tools: `iperf3` (3.12 on Debian bookworm) from PATH or `NETTEST_IPERF3_312`, and 3.18 from
//! `NETTEST_IPERF3_318`. A missing tool fails the test: `hack/install-prerequisites` brings both.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "clippy takes the helpers of a test for production code"
)]

mod axes;
mod combination;
mod figures;
mod generator;
mod iperf3;
mod output;
mod peer;
#[path = "../program/port.rs"]
mod port;
mod ports;
mod random;
mod reports;
mod rows;
mod schema;
mod session;
mod shape;
mod slots;
mod strict;
mod suite;
mod verdict;

use peer::{Peer, Stock};

#[test]
fn our_client_with_our_server() {
    suite::run(Peer::Ours, Peer::Ours);
}

#[test]
fn our_client_with_an_iperf3_3_12_server() {
    suite::run(Peer::Ours, Peer::Stock(Stock::V3_12));
}

#[test]
fn iperf3_3_12_client_with_our_server() {
    suite::run(Peer::Stock(Stock::V3_12), Peer::Ours);
}

#[test]
fn our_client_with_an_iperf3_3_18_server() {
    suite::run(Peer::Ours, Peer::Stock(Stock::V3_18));
}

#[test]
fn iperf3_3_18_client_with_our_server() {
    suite::run(Peer::Stock(Stock::V3_18), Peer::Ours);
}

/// Only where there is a newest: it is not among what is installed.
#[test]
fn our_client_with_the_newest_iperf3_server() {
    if Stock::all().any(|stock| stock == Stock::Newest) {
        suite::run(Peer::Ours, Peer::Stock(Stock::Newest));
    }
}

#[test]
fn the_newest_iperf3_client_with_our_server() {
    if Stock::all().any(|stock| stock == Stock::Newest) {
        suite::run(Peer::Stock(Stock::Newest), Peer::Ours);
    }
}
