//! One OS thread a stream: it owns its socket, buffers, counters, pacing deadline and CPU.
//!
//! - [`control`]: what the streams of one test share: gate, stop, budget, clock
//! - [`budget`]: exact `-n` and `-k` over all sending streams
//! - [`fast_paths`]: which of the fast paths a stream really takes
//! - [`stream`]: a data thread and its handle
mod budget;
mod control;
mod fast_paths;
mod stream;
#[cfg(test)]
pub(crate) mod tests;
pub use budget::Budget;
pub use control::{RunControl, Timed};
pub use fast_paths::FastPaths;
pub use stream::{Duty, Load, StreamHandle, StreamOutcome, StreamTask, spawn};
