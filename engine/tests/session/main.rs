//! Whole sessions with peers that misbehave: silent, lying, dead, lossy. The peers are raw sockets.

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
