//! Writers over a [`Report`](nettest_report::report::Report): nothing else in the engine prints.
//!
//! - [`text`], [`summary`] and [`row`]: iperf3's rows
//! - [`observer`]: text, JSON and `--json-stream` while a test runs
//! - [`measurements`] writes `--measurement-stream`
//! - [`digest`]: what fits a termination message
//! - [`sink`]: stdout or the log file; stderr for people

pub mod digest;
pub mod measurements;
pub mod observer;
pub mod row;
#[cfg(test)]
#[path = "../../report/src/sample.rs"]
mod sample;
pub mod sink;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod text;

pub use measurements::Measurements;
pub use observer::{Json, JsonStream, Text};
pub use sink::{Sink, complain, hint};
