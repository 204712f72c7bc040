//! The controller: observe, validate, plan, apply, conclude. Deciding is nettest-core's; here are the effects.
//!
//! - [`cli`], [`telemetry`], [`client`], [`admin`], [`leader`]: the process
//! - [`metrics`], [`events`]: what it tells
//! - [`collect`]: documents from pods/log
#![forbid(unsafe_code)]

pub mod admin;
pub mod cli;
pub mod client;
pub mod collect;
pub mod events;
pub mod leader;
pub mod metrics;
pub mod telemetry;

pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
