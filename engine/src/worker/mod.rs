//! One OS thread a stream: it owns its socket, buffers, counters, pacing deadline and CPU.
//!
//! - [`control`]: what the streams of one test share: gate, stop, budget, clock
//! - [`budget`]: exact `-n` and `-k` over all sending streams
//! - [`stream`]: a data thread and its handle
mod budget;
mod control;
mod stream;
#[cfg(test)]
mod tests;

pub use budget::Budget;
pub use control::RunControl;
pub use stream::{Duty, StreamHandle, StreamOutcome, StreamTask, spawn};
