//! The measuring program: iperf3's flags and wire protocol on the outside, one OS thread a stream inside.
#![deny(unsafe_code)]

pub mod cli;
pub mod host;
pub mod login;
pub mod output;
mod run;
pub mod session;
#[allow(unsafe_code, reason = "system calls that no safe crate offers")]
pub mod sock;
pub mod stats;
pub mod wire;
pub mod worker;
pub mod workload;

pub use run::run;
