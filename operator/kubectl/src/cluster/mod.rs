//! A NetTest in a cluster: applied, then waited for. The operator does the rest.

mod again;
mod apply;
mod client;
mod state;
mod wait;

pub use again::{again, run_with_pairs};
pub use apply::apply;
pub use client::{Connection, connect};
pub use state::{State, state};
pub use wait::wait;
