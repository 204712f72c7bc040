//! Which cluster and which namespace: flags of every command, before or after its name.

use super::{Cli, Command};
use clap::{Args, CommandFactory, error::ErrorKind};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub struct AccessArgs {
    /// Namespace; else the context's. For run: of tests that name none.
    #[arg(short, long, global = true, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Look for the name in all namespaces; with cleanup --all: those of all namespaces.
    #[arg(short = 'A', long, global = true)]
    pub all_namespaces: bool,

    /// Context of the kubeconfig.
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,

    /// The kubeconfig; else $KUBECONFIG, else ~/.kube/config.
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
}

impl AccessArgs {
    /// What cannot be said of one flag alone, since each may stand before the command or after it.
    pub fn check(&self, command: &Command) -> Result<(), clap::Error> {
        let local = matches!(command, Command::Run(run) if run.local);
        let run = matches!(command, Command::Run(_));
        let wrong = if self.all_namespaces && self.namespace.is_some() {
            "--namespace and --all-namespaces contradict each other: give one of them"
        } else if self.all_namespaces && run {
            "--all-namespaces means nothing to run: a test is in the namespace that its file or --namespace names"
        } else if local && self.context.is_some() {
            "--context cannot be used with --local: there is no cluster"
        } else if local && self.kubeconfig.is_some() {
            "--kubeconfig cannot be used with --local: there is no cluster"
        } else {
            return Ok(());
        };
        Err(Cli::command().error(ErrorKind::ArgumentConflict, wrong))
    }
}
