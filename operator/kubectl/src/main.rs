//! `kubectl nettest`: NetTests from a shell, on this machine or in a cluster.
//!
//! - [`cli`]: the command line, [`complete`]: what it may go on with; [`manifest`]: the files
//! - [`run`]: the command that measures; [`local`] and [`cluster`] are its two ways
//! - [`command`]: the commands about what is there
//! - [`subject`]: a run and all that is known of it; [`report`]: what is written of it
//! - [`show`]: what people see; [`interrupt`]: Ctrl-C
#![forbid(unsafe_code)]

mod cli;
mod cluster;
mod command;
mod complete;
mod interrupt;
mod local;
mod manifest;
mod report;
mod run;
mod show;
mod subject;

use clap::Parser;
use cli::{AccessArgs, Cli, Command};
use run::Ending;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    if complete::is_asked(words.next().as_ref()) {
        let _ = show::out::print(&complete::candidates(words));
        return ExitCode::SUCCESS;
    }
    let Cli {
        no_color,
        access,
        command,
    } = Cli::parse();
    if let Err(error) = access.check(&command) {
        error.exit();
    }
    if no_color {
        show::colour::refuse();
    }
    let ended = tokio::runtime::Builder::new_multi_thread()
        // Reading lines and waiting: the CPUs belong to the measurement.
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| anyhow::anyhow!("cannot start the threads of this program: {error}"))
        .and_then(|runtime| runtime.block_on(execute(&access, &command)));
    let ending = ended.unwrap_or_else(|error| {
        show::out::warn(&format!("error: {error}"));
        Ending::NotMeasured
    });
    ExitCode::from(ending as u8)
}

async fn execute(access: &AccessArgs, command: &Command) -> anyhow::Result<Ending> {
    match command {
        Command::Run(args) => return run::run(access, args).await,
        Command::Watch(args) => return command::watch(access, args).await,
        Command::Compare(args) => command::compare(access, args).await?,
        Command::Matrix(args) => command::matrix(access, args).await?,
        Command::History(args) => command::history(access, args).await?,
        Command::Why(args) => command::why(access, args).await?,
        Command::Cleanup(args) => command::cleanup(access, args).await?,
        Command::Report(args) => command::report(access, args).await?,
        Command::Completion { shell } => command::completion(*shell)?,
    }
    Ok(Ending::Passed)
}
