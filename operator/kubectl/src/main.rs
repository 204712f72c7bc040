//! `kubectl nettest`: NetTests from a shell, on this machine or in a cluster.
//!
//! - [`cli`]: the command line; [`manifest`]: the files
//! - [`run`]: the command; [`local`] and [`cluster`] are its two ways
//! - [`show`]: what people see; [`interrupt`]: Ctrl-C
#![forbid(unsafe_code)]

mod cli;
mod cluster;
mod interrupt;
mod local;
mod manifest;
mod run;
mod show;

use clap::Parser;
use cli::{Cli, Command};
use run::Ending;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Command::Run(args) = Cli::parse().command;
    let ended = tokio::runtime::Builder::new_multi_thread()
        // Reading lines and waiting: the CPUs belong to the measurement.
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| anyhow::anyhow!("cannot start the threads of this program: {error}"))
        .and_then(|runtime| runtime.block_on(run::run(&args)));
    let ending = ended.unwrap_or_else(|error| {
        show::out::warn(&format!("error: {error}"));
        Ending::NotMeasured
    });
    ExitCode::from(ending as u8)
}
