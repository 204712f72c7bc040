//! The figures are true: what users of such tools reported (the numbers of the field reports stand in the tests'
//! names), run with the real program on loopback or in network namespaces that the tests make. Needs root, nft and tc.
//!
//! What is exact is checked exactly, against another count wherever there is one: nft's, or a raw peer's.

#![allow(
    clippy::panic,
    reason = "clippy takes the helpers of a test for production code"
)]

mod addresses;
mod breaking_off;
mod clock;
mod cport;
mod datagrams;
mod documents;
mod fast;
#[path = "../differential/iperf3.rs"]
#[allow(dead_code, reason = "shared with the differential suite")]
mod iperf3;
mod lab;
mod limits;
mod marking;
mod mixed;
mod omit;
mod pacing;
mod patterns;
mod peers;
#[path = "../program/port.rs"]
mod port;
mod qdisc;
#[path = "../session/raw.rs"]
#[allow(dead_code, reason = "shared with the tests of the sessions")]
mod raw;
mod relay;
mod rows;
#[path = "../program/run.rs"]
#[allow(dead_code, reason = "shared with the tests of the program")]
mod run;
mod segments;
mod sticky;
mod stock;
mod strict;
mod time;
#[path = "../program/uninterrupted.rs"]
mod uninterrupted;
