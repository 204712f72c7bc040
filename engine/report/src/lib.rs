//! What a measurement is and what it found. Pure data: no sockets, no clock, no printing.
//!
//! - [`params`]: what a test is asked to do (the flags, parsed once)
//! - [`report`]: what one test found, as the engine holds it
//! - [`iperf`]: the iperf3 JSON document made from a [`report::Report`]
//! - [`digest`]: the few figures of a measurement that fit a pod's termination message
//! - [`event`]: the lines that an engine writes for the operator and for `kubectl nettest`
//! - [`units`]: iperf3's number and suffix rules
#![forbid(unsafe_code)]

pub mod digest;
pub mod event;
pub mod params;
pub mod report;
