//! The measuring program: iperf3's flags and wire protocol on the outside, one OS thread a stream inside.
pub mod cli;
pub mod host;
pub mod output;
mod run;
pub mod session;
pub mod sock;
pub mod stats;
pub mod wire;
pub mod worker;
pub mod workload;

pub use run::run;
