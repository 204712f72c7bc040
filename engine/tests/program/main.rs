//! The program as a user meets it: flags, exit codes, what stands on stdout and stderr, the digest.

#![allow(
    clippy::panic,
    reason = "clippy takes the helpers of a test for production code"
)]

mod background;
mod counts;
mod data;
mod failures;
mod fast;
mod files;
mod limits;
mod logfile;
mod port;
mod run;
mod schema;
mod shapes;
mod signals;
mod stalled;
mod streams;
mod together;
mod uninterrupted;
mod variants;
