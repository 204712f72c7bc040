//! What a measurement is and what it found. Pure data: no sockets, no clock, no printing.
//!
//! - [`params`]: what a test is asked to do (the flags, parsed once)
//! - [`report`]: what one test found, as the engine holds it
//! - [`iperf`]: the iperf3 JSON document made from a [`report::Report`]
//! - [`digest`]: the few figures of a measurement that fit a pod's termination message
//! - [`facts`]: what one end's machine gave a test
//! - [`fairness`]: how evenly the streams of a flow share it
//! - [`event`]: the lines that an engine writes for the operator and for `kubectl nettest`
//! - [`names`]: which names of another machine are taken
//! - [`round_trip`]: quantiles of the round-trip time over the intervals
//! - [`spread`]: the median repeat, and how far the others are from it
//! - [`sums`]: sums over the streams of a flow
//! - [`units`]: iperf3's number and suffix rules
#![forbid(unsafe_code)]

pub mod digest;
pub mod event;
pub mod facts;
pub mod fairness;
pub mod iperf;
pub mod names;
pub mod params;
pub mod report;
pub mod round_trip;
pub mod spread;
pub mod sums;
pub mod units;

#[cfg(test)]
extern crate self as nettest_report;
#[cfg(test)]
mod sample;
