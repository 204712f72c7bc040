//! The controller: observe, validate, plan, apply, conclude. Deciding is nettest-core's; here are the effects.
//!
//! - [`cli`], [`serve`], [`crd`]: the program; [`telemetry`], [`signals`], [`admin`], [`leader`]: its process
//! - [`client`], [`scope`]: the API server; [`observe`]: reads; [`apply`]: writes; [`barrier`] between them
//! - [`collect`]: documents from pods/log
//! - [`controller`]: the passes
//! - [`metrics`], [`events`]: what it tells
#![forbid(unsafe_code)]

pub mod admin;
pub mod apply;
pub mod barrier;
pub mod cli;
pub mod client;
pub mod collect;
pub mod controller;
pub mod crd;
pub mod events;
#[cfg(test)]
mod fake_cluster;
pub mod leader;
pub mod ledgers;
pub mod metrics;
pub mod observe;
pub mod random;
#[cfg(test)]
mod scenario;
pub mod scope;
pub mod serve;
pub mod signals;
pub mod telemetry;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

/// The program.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run(*args),
        Command::Crd => crd::print().map_err(anyhow::Error::from),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nettest-operator: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: cli::RunArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(serve::serve(args));
    // A pass that hangs in a call must not keep the process from ending.
    runtime.shutdown_background();
    Ok(outcome?)
}
