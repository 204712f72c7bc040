//! The command line: text in, a checked [`Action`] out. Nothing here opens a socket or a file.
//!
//! - [`flags`]: the flags as they are typed
//! - [`value`]: single values
//! - [`client`], [`server`]: what the flags of a role mean together
//! - [`error`]: why a command line was refused

mod client;
mod error;
mod flags;
mod server;
#[cfg(test)]
mod tests;
mod value;

pub use error::CliError;

use crate::session::config::DEFAULT_PORT;
use crate::session::{ClientConfig, Repeats, ServerConfig};
use clap::{CommandFactory, FromArgMatches};
use flags::Flags;
use nettest_report::units::Format;
use std::ffi::OsString;
use std::path::PathBuf;
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
    /// Help or version: print and leave with 0.
    Show(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ClientAction {
    pub config: ClientConfig,
    pub output: OutputConfig,
    pub repeats: Repeats,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ServerAction {
    pub config: ServerConfig,
    pub output: OutputConfig,
}

/// What is written, and where to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputConfig {
    pub kind: OutputKind,
    pub format: Format,
    pub verbose: bool,
    /// In place of stdout.
    pub logfile: Option<PathBuf>,
    pub digest_file: Option<PathBuf>,
    pub run: RunLabel,
    /// Every failure exits 1.
    pub iperf3_exit_codes: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputKind {
    #[default]
    Text,
    Json,
    /// `--json-stream`; `full`: the whole document too.
    JsonStream {
        full: bool,
    },
    /// `--measurement-stream`.
    Measurements,
}

/// What the operator calls this measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLabel {
    pub uid: String,
    pub attempt: u32,
    pub variant: String,
}

impl Default for RunLabel {
    fn default() -> Self {
        RunLabel {
            uid: String::new(),
            attempt: 1,
            variant: "default".to_owned(),
        }
    }
}

/// The line that follows an error.
pub const USAGE_HINT: &str =
    "Usage: nettest-engine [-s|-c HOST|--probe] [options]; see nettest-engine --help";

/// Reads a command line (with the program's name). `token` is the value of `NETTEST_RUN_TOKEN`, if set.
pub fn parse(
    args: impl IntoIterator<Item = OsString>,
    token: Option<String>,
) -> Result<Action, CliError> {
    let parsed = Flags::command()
        .try_get_matches_from(args)
        .and_then(|matches| Flags::from_arg_matches(&matches));
    let mut flags = match parsed {
        Ok(flags) => flags,
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {
            return Ok(Action::Show(error.to_string()));
        }
        Err(error) => return Err(CliError::Usage(first_sentence(&error.to_string()))),
    };
    if flags.version {
        return Ok(Action::Show(
            concat!("nettest-engine ", env!("CARGO_PKG_VERSION"), "\n").to_owned(),
        ));
    }
    if flags.run_token.is_none() {
        flags.run_token = token.filter(|t| !t.is_empty());
    }
    match (&flags.client, flags.server, &flags.probe) {
        (Some(_), true, _) => Err(CliError::Conflict("-c", "-s", "choose one role")),
        (Some(_), _, Some(_)) => Err(CliError::Conflict("-c", "--probe", "choose one role")),
        (_, true, Some(_)) => Err(CliError::Conflict("-s", "--probe", "choose one role")),
        (Some(host), false, None) => client::action(&flags, host),
        (None, true, None) => server::action(&flags),
        (None, false, Some(host)) => probe(&flags, host),
        (None, false, None) => Err(CliError::NoRole),
    }
}

fn probe(flags: &Flags, host: &str) -> Result<Action, CliError> {
    Ok(Action::Probe {
        host: value::host("--probe", host)?.0,
        port: port(flags)?,
        timeout: connect_timeout(flags)?.unwrap_or(Duration::from_secs(5)),
    })
}

fn port(flags: &Flags) -> Result<u16, CliError> {
    match &flags.port {
        Some(text) => {
            value::count("-p", text, 1..=65535, "a port from 1 to 65535").map(|port| port as u16)
        }
        None => Ok(DEFAULT_PORT),
    }
}

fn connect_timeout(flags: &Flags) -> Result<Option<Duration>, CliError> {
    flags
        .connect_timeout
        .as_deref()
        .map(|text| {
            value::count(
                "--connect-timeout",
                text,
                1..=3_600_000,
                "1 to 3600000 milliseconds",
            )
            .map(Duration::from_millis)
        })
        .transpose()
}

/// What both roles say about their output.
fn output(flags: &Flags) -> Result<OutputConfig, CliError> {
    let kind = match (
        flags.measurement_stream,
        flags.json_stream || flags.json_stream_full_output,
        flags.json,
    ) {
        (true, true, _) => {
            return Err(CliError::Conflict(
                "--measurement-stream",
                "--json-stream",
                "choose one kind of output",
            ));
        }
        (true, _, true) => {
            return Err(CliError::Conflict(
                "--measurement-stream",
                "-J",
                "choose one kind of output",
            ));
        }
        (true, false, false) => OutputKind::Measurements,
        (false, true, _) => OutputKind::JsonStream {
            full: flags.json_stream_full_output,
        },
        (false, false, true) => OutputKind::Json,
        (false, false, false) => OutputKind::Text,
    };
    let format = match flags.format.as_deref() {
        Some(letter) => Format::from_letter(letter).ok_or_else(|| CliError::NotA {
            flag: "-f",
            value: letter.to_owned(),
            wanted: "one of k m g t (bits) K M G T (bytes)",
        })?,
        None => Format::Auto,
    };
    let defaults = RunLabel::default();
    let run = RunLabel {
        uid: match flags.run_uid.as_deref() {
            Some(uid) => value::name(
                "--run-uid",
                uid,
                64,
                |b| b.is_ascii_alphanumeric() || b == b'-',
                "a UID (1 to 64 letters, digits and dashes)",
            )?,
            None => defaults.uid,
        },
        attempt: match flags.attempt.as_deref() {
            Some(text) => value::count("--attempt", text, 0..=1_000_000, "0 to 1000000")? as u32,
            None => defaults.attempt,
        },
        variant: match flags.variant.as_deref() {
            Some(text) => value::name(
                "--variant",
                text,
                63,
                |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'),
                "a name (1 to 63 letters, digits, dashes, dots)",
            )?,
            None => defaults.variant,
        },
    };
    if (flags.measurement_stream || flags.digest_file.is_some()) && run.uid.is_empty() {
        return Err(CliError::Needs {
            flag: if flags.measurement_stream {
                "--measurement-stream"
            } else {
                "--digest-file"
            },
            needs: "--run-uid",
        });
    }
    Ok(OutputConfig {
        kind,
        format,
        verbose: flags.verbose,
        logfile: flags.logfile.clone(),
        digest_file: flags.digest_file.clone(),
        run,
        iperf3_exit_codes: flags.iperf3_exit_codes,
    })
}

fn run_token(flags: &Flags) -> Result<Option<String>, CliError> {
    flags
        .run_token
        .as_deref()
        .map(|text| {
            value::name(
                "--run-token",
                text,
                20,
                |b| matches!(b, b'a'..=b'z' | b'2'..=b'7'),
                "1 to 20 characters of a-z and 2-7",
            )
        })
        .transpose()
}

fn exclusive_cpus(flags: &Flags) -> Result<Option<u32>, CliError> {
    flags
        .require_exclusive_cpus
        .as_deref()
        .map(|text| {
            value::count("--require-exclusive-cpus", text, 1..=1024, "1 to 1024 CPUs")
                .map(|n| n as u32)
        })
        .transpose()
}

/// clap's message without its colon-led label, tips and usage.
fn first_sentence(text: &str) -> String {
    let message = text.split("\n\n").next().unwrap_or(text);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
