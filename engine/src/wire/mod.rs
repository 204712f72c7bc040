//! iperf3's control protocol without IO: bytes in, events and bytes out, the clock as an argument.
//!
//! - [`cookie`]: the 37 bytes that tie the connections of a test together
//! - [`state`]: the one-byte states
//! - [`code`]: the numbers behind SERVER_ERROR
//! - [`frame`]: state bytes and length-prefixed JSON out of a byte stream, capped before anything is allocated
//! - [`number`]: JSON numbers as old peers write them
//! - [`params`], [`results`]: the two JSON blocks; [`extras`]: what goes with the parameters
//! - [`client`], [`server`]: the two roles as pure machines
//! - [`iperf2`]: what iperf 2 says in place of a cookie
//! - [`life`]: how long a running test goes on
//! - [`hello`]: the four bytes that open a UDP stream
//!
//! Times are a [`std::time::Duration`] since an epoch of the driver's choice (monotonic).

pub mod client;
pub mod code;
pub mod cookie;
pub mod error;
pub mod extras;
pub mod frame;
pub mod hello;
pub mod iperf2;
pub mod life;
pub mod number;
mod offload;
pub mod params;
mod phase;
mod ranges;
pub mod results;
pub mod server;
pub mod state;

use std::time::Duration;

/// A peer that has been taken on has this long to send its cookie, and then its parameters.
pub const HANDSHAKE: Duration = Duration::from_secs(5);
/// Longest wait for any later step of the control connection.
pub const STEP: Duration = Duration::from_secs(10);
/// A running test without any sign of the peer's life ends after this.
pub const LIFE: Duration = Duration::from_secs(15);
/// The server ends a test that its client should have ended so long ago.
pub const OVERTIME: Duration = Duration::from_secs(10);

#[cfg(test)]
mod sessions_tests;
