//! A NetTest in a cluster: applied, then waited for. The operator does the rest.

mod apply;
mod client;
mod state;
mod wait;

pub use apply::apply;
pub use client::{Connection, connect};
pub use wait::wait;
