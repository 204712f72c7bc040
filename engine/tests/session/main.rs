//! Whole sessions with peers that misbehave: silent, lying, dead, lossy. The peers are raw sockets.

#![allow(
    clippy::panic,
    reason = "clippy takes the helpers of a test for production code"
)]

mod answers;
mod dead;
mod hello;
mod hostile;
mod raw;
#[path = "../program/run.rs"]
#[allow(
    dead_code,
    reason = "shared with the tests of the program, which use all of it"
)]
mod run;
mod slots;
