//! What a data thread counts, and how the control thread reads it while the thread runs.
//!
//! - [`counters`]: the published figures of one stream
//! - [`sequence`]: loss, reordering and duplicates of numbered datagrams
//! - [`jitter`]: interarrival jitter (RFC 3550)
mod counters;
mod jitter;
mod sequence;

pub use counters::{Snapshot, StreamCounters};
pub use jitter::Jitter;
pub use sequence::{Arrival, Counted, SequenceTracker, Width};
