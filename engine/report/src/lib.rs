//! What a measurement is and what it found. Pure data: no sockets, no clock, no printing.
//!
//! - [`params`]: what a test is asked to do (the flags, parsed once)
//! - [`report`]: what one test found, as the engine holds it
//! - [`iperf`]: the iperf3 JSON document made from a [`report::Report`]
//! - [`digest`]: the few figures of a measurement that fit a pod's termination message
//! - [`event`]: the lines that an engine writes for the operator and for `kubectl nettest`
//! - [`sums`]: sums over the streams of a flow
//! - [`units`]: iperf3's number and suffix rules
#![forbid(unsafe_code)]

pub mod digest;
pub mod event;
pub mod iperf;
pub mod params;
pub mod report;
pub mod sums;
pub mod units;

#[cfg(test)]
extern crate self as nettest_report;
#[cfg(test)]
mod sample;
