//! The command line as it is typed: iperf3's flags in long and short forms, and ours. Values stay text here;
//! [`super::client`] and [`super::server`] turn them into types.
//!
//! - [`both`]: what a client and a server take
//! - [`server`], [`client`]: what only they take; their help heading is what refuses them elsewhere
//! - [`cluster`]: what the operator gives
//! - [`process`]: what is the whole process's, not one variant's

mod both;
mod client;
mod cluster;
mod process;
mod server;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory, Parser};

pub use both::Both;
pub use client::Client;
pub use cluster::Cluster;
pub use process::given_for_the_process;
pub use server::Server;

/// Measures the network between two ends, with iperf3's flags and wire protocol.
// As getopt has it: the last of a repeated flag counts, and an unambiguous beginning of a long flag will do.
#[derive(Debug, Parser)]
#[command(
    name = "nettest-engine",
    disable_version_flag = true,
    args_override_self = true,
    infer_long_args = true,
    override_usage = "nettest-engine [-s|-c HOST|--probe] [options]\n       nettest-engine [-h|--help] [-v|--version]"
)]
pub struct Flags {
    #[command(flatten)]
    pub both: Both,
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub client: Client,
    #[command(flatten)]
    pub cluster: Cluster,
}

/// Who takes a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taker {
    Both,
    Client,
    Server,
}

pub const SERVER: &str = "Server";
pub const CLIENT: &str = "Client";

/// Who takes `arg`, by its help heading.
pub fn taker(arg: &Arg) -> Taker {
    match arg.get_help_heading() {
        Some(SERVER) => Taker::Server,
        Some(CLIENT) => Taker::Client,
        _ if cluster::CLIENT_ONLY.contains(&arg.get_id().as_str()) => Taker::Client,
        _ => Taker::Both,
    }
}

/// The flag as people write it: short where there is a short one.
pub fn name(arg: &Arg) -> String {
    match (arg.get_short(), arg.get_long()) {
        (Some(short), _) => format!("-{short}"),
        (None, long) => format!("--{}", long.unwrap_or(arg.get_id().as_str())),
    }
}

/// The first flag on the command line that only `taker` takes, but for those in `except` (by id).
pub fn given_only_for(matches: &ArgMatches, taker: Taker, except: &[&str]) -> Option<String> {
    Flags::command()
        .get_arguments()
        .filter(|arg| self::taker(arg) == taker && !except.contains(&arg.get_id().as_str()))
        .find(|arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
        .map(name)
}

/// Whether `typed` is `--LONG` of the flag with this long name, cut as [`Flags`] takes it, and what stands behind its `=`.
pub fn is_long<'a>(typed: &'a str, long: &str) -> Option<Option<&'a str>> {
    let typed = typed.strip_prefix("--")?;
    let (start, value) = match typed.split_once('=') {
        Some((start, value)) => (start, Some(value)),
        None => (typed, None),
    };
    if start.is_empty() || !long.starts_with(start) {
        return None;
    }
    let known = Flags::command();
    let mut others = known.get_arguments().filter_map(Arg::get_long);
    let plain = |other: &str| other == long || !other.starts_with(start);
    (start == long || others.all(plain)).then_some(value)
}
