//! Writers over a [`Report`](nettest_report::report::Report): nothing else in the engine prints.
//!
//! - [`text`], [`summary`] and [`row`]: iperf3's rows; [`addenda`]: what stands behind them
//! - [`observer`]: text, JSON and `--json-stream` while a test runs
//! - [`measurements`] writes `--measurement-stream`
//! - [`debug`]: what goes on, on stderr
//! - [`digest`]: what fits a termination message
//! - [`sink`]: stdout or the log file
//! - [`messages`]: stderr, for people
//! - [`backlog`]: neither of them holds a server up

mod addenda;
mod backlog;
pub mod debug;
pub mod digest;
pub mod measurements;
pub mod messages;
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
pub use messages::{complain, hint};
pub use observer::{Json, JsonStream, Text};
pub use sink::Sink;
