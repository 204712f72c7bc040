//! Writes what is made from the API types: the CRDs (once for `kubectl apply`, once for the chart) and the
//! reference. `hack/generate` calls it.
//!
//! usage: generate FOLDER        (the repository's root)

// Its own arguments are not the program's.
#[path = "../../src/cli/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "shared with the program, which uses all of it"
)]
mod cli;
mod reference;

use clap::CommandFactory;
use clap_complete::Shell;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let Some(root) = std::env::args_os().nth(1) else {
        anyhow::bail!("usage: generate FOLDER");
    };
    let root = Path::new(&root);
    let crds = nettest_api::crdgen::nettest_crds();
    for folder in ["crds", "charts/nettest/files/crds"] {
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder)?;
        for crd in &crds {
            std::fs::write(folder.join(file_name(crd)), serde_yaml::to_string(crd)?)?;
        }
    }
    std::fs::create_dir_all(root.join("docs"))?;
    std::fs::write(root.join("docs/reference.md"), reference::markdown(&crds))?;
    command_line(root)
}

/// Man pages, one a command, and completions.
fn command_line(root: &Path) -> anyhow::Result<()> {
    let (man, completions) = (root.join("docs/man"), root.join("docs/completions"));
    std::fs::create_dir_all(&man)?;
    std::fs::create_dir_all(&completions)?;
    let mut command = cli::Cli::command();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "kubectl-nettest", &completions)?;
    }
    let pages = cli::Cli::command().name("kubectl-nettest");
    // The one that clap adds would have a page for each command's help.
    clap_mangen::generate_to(pages.disable_help_subcommand(true), &man)?;
    Ok(())
}

fn file_name(crd: &CustomResourceDefinition) -> String {
    format!("{}.{}.yaml", crd.spec.group, crd.spec.names.plural)
}
