//! The command line: text in, a checked [`Action`] out. Nothing here opens a socket or a file.
//!
//! - [`variants`]: the command line of each variant
//! - [`flags`]: the flags as they are typed
//! - [`value`]: single values
//! - [`conflicts`]: which flags stand together
//! - [`common`], [`client`] with [`params`], [`server`], [`output`]: what they mean together
//! - [`error`]: why a command line was refused

mod client;
mod common;
mod conflicts;
mod error;
mod flags;
mod output;
mod params;
mod server;
#[cfg(test)]
mod tests;
mod value;
mod variants;

pub use error::CliError;
pub use output::{OutputConfig, OutputKind, RunLabel};

use crate::session::{ClientConfig, Repeats, ServerConfig};
use clap::{CommandFactory, FromArgMatches};
use flags::{Flags, Taker};
use std::ffi::OsString;
use std::time::Duration;

/// What the command line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Client(Box<ClientAction>),
    Server(Box<ServerAction>),
    Probe {
        host: String,
        port: u16,
        timeout: Duration,
    },
    /// Help: print and leave with 0.
    Show(String),
    Version,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ClientAction {
    /// At least one; their names differ.
    pub variants: Vec<VariantAction>,
    pub output: OutputConfig,
    pub repeats: Repeats,
}

/// One variant of a client's test.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantAction {
    pub name: String,
    pub config: ClientConfig,
    /// `-B` with a name, to be looked up.
    pub bind_name: Option<String>,
    /// `-X` with names.
    pub xbind_names: Vec<String>,
    /// `-F` without `-t`, `-n` or `-k`: the file is sent once.
    pub limit_is_the_file: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ServerAction {
    pub config: ServerConfig,
    /// `-B` with a name, to be looked up.
    pub bind_name: Option<String>,
    pub output: OutputConfig,
    /// Into the background once it listens.
    pub daemon: bool,
}

/// The line that follows an error.
pub const USAGE_HINT: &str =
    "Usage: nettest-engine [-s|-c HOST|--probe] [options]; see nettest-engine --help";

/// The flags as clap knows them, for the man page and the completions.
pub fn command() -> clap::Command {
    Flags::command().version(env!("CARGO_PKG_VERSION"))
}

/// What the process's environment says.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `NETTEST_RUN_TOKEN`
    pub token: Option<String>,
    /// `IPERF3_PASSWORD`
    pub password: Option<String>,
}

/// Reads a command line (with the program's name).
pub fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: Environment,
) -> Result<Action, CliError> {
    variants::parse(args.into_iter().collect(), environment)
}

/// Reads the command line of one test.
fn parse_one(args: Vec<OsString>, mut environment: Environment) -> Result<Action, CliError> {
    let matches = Flags::command().try_get_matches_from(args);
    let parsed = matches.and_then(|matches| {
        let flags = Flags::from_arg_matches(&matches)?;
        Ok((matches, flags))
    });
    let (matches, mut flags) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
            return Ok(Action::Show(error.to_string()));
        }
        Err(error) => return Err(CliError::Usage(first_sentence(&error.to_string()))),
    };
    if flags.both.version {
        return Ok(Action::Version);
    }
    client::zeros(&mut flags.client);
    if flags.cluster.run_token.is_none() {
        flags.cluster.run_token = environment.token.take().filter(|t| !t.is_empty());
    }
    let only_for =
        |taker, role, except: &[&str]| match flags::given_only_for(&matches, taker, except) {
            Some(flag) => Err(CliError::WrongRole { flag, role }),
            None => Ok(()),
        };
    match (&flags.both.client, flags.both.server, &flags.both.probe) {
        (Some(_), true, _) => Err(CliError::Conflict("-c", "-s", "choose one role")),
        (Some(_), _, Some(_)) => Err(CliError::Conflict("-c", "--probe", "choose one role")),
        (_, true, Some(_)) => Err(CliError::Conflict("-s", "--probe", "choose one role")),
        (Some(host), false, None) => {
            only_for(Taker::Server, "a server", &[])?;
            conflicts::check(&flags)?;
            client::action(&flags, host, environment)
        }
        (None, true, None) => {
            only_for(Taker::Client, "a client", &[])?;
            conflicts::check(&flags)?;
            server::action(&flags)
        }
        (None, false, Some(host)) => {
            only_for(Taker::Server, "a server", &[])?;
            only_for(Taker::Client, "a client", &["connect_timeout"])?;
            probe(&flags, host)
        }
        (None, false, None) => Err(CliError::NoRole),
    }
}

fn probe(flags: &Flags, host: &str) -> Result<Action, CliError> {
    Ok(Action::Probe {
        host: value::host("--probe", host)?.0,
        port: common::port(flags)?,
        timeout: common::connect_timeout(flags)?.unwrap_or(Duration::from_secs(5)),
    })
}

/// clap's message without its colon-led label, tips and usage.
fn first_sentence(text: &str) -> String {
    let message = text.split("\n\n").next().unwrap_or(text);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
