//! Whole sessions with peers that misbehave: silent, lying, dead, lossy. The peers are raw sockets.

#![allow(
    clippy::panic,
    reason = "clippy takes the helpers of a test for production code"
)]

mod answers;
mod bind;
mod ceiling;
mod cut;
mod dead;
mod health;
mod hello;
mod hostile;
#[path = "../differential/iperf3.rs"]
mod iperf3;
#[path = "../truth/lab.rs"]
#[allow(
    dead_code,
    reason = "shared with the tests of the truth, which use all of it"
)]
mod lab;
mod lengths;
mod limits;
mod line;
mod login;
mod login_stock;
mod oneoff;
mod parameters;
mod patience;
#[path = "../program/port.rs"]
mod port;
mod process;
mod raw;
#[path = "../program/run.rs"]
#[allow(
    dead_code,
    reason = "shared with the tests of the program, which use all of it"
)]
mod run;
mod severed;
mod signals;
mod slots;
mod soak;
mod states;
#[path = "../truth/strict.rs"]
#[allow(
    dead_code,
    reason = "shared with the tests of the truth, which use all of it"
)]
mod strict;
#[path = "../program/uninterrupted.rs"]
mod uninterrupted;
