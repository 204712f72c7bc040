//! A NetTest in a cluster: applied, then waited for. The operator does the rest.

mod again;
mod apply;
mod client;
mod find;
mod follow;
mod kept;
mod problem;
mod state;
mod target;
mod wait;

pub use again::{again, run_with_pairs};
pub use apply::apply;
pub use client::{Connection, connect};
pub use find::{Found, deletion_of, far, find, has_ended, list_of_runs, namespace_of};
pub use follow::follow;
pub use kept::{documents, has_several, pairs};
pub use problem::Problem;
pub use state::{State, state};
pub use target::Target;
pub use wait::wait;
