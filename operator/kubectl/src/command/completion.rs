//! `completion SHELL`.

use crate::cli::Cli;
use crate::show::out;
use clap::CommandFactory;

/// For the plugin's own name, `kubectl-nettest`; of `kubectl nettest` it is [`crate::complete`].
pub fn completion(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kubectl-nettest", &mut text);
    Ok(out::print(&String::from_utf8_lossy(&text))?)
}
