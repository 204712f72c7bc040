//! The programs at the two ends.

pub use crate::iperf3::Stock;
use std::{path::PathBuf, process::Command};

/// Does the help text name the flag, long or short?
pub fn names(help: &str, flag: &str) -> bool {
    let name = flag.split('=').next().unwrap_or(flag);
    help.split([' ', ',', '\n', '=', '[', '<'])
        .any(|word| word == name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    Ours,
    Stock(Stock),
}

impl Peer {
    pub fn name(&self) -> &'static str {
        match self {
            Peer::Ours => "nettest-engine",
            Peer::Stock(Stock::V3_12) => "iperf3 3.12",
            Peer::Stock(Stock::V3_18) => "iperf3 3.18",
            Peer::Stock(Stock::Newest) => "newest iperf3",
        }
    }

    pub fn program(&self) -> PathBuf {
        match self {
            Peer::Ours => PathBuf::from(env!("CARGO_BIN_EXE_nettest-engine")),
            Peer::Stock(stock) => stock.program(),
        }
    }

    pub fn command(&self) -> Command {
        Command::new(self.program())
    }

    /// What it says of its flags.
    pub fn help(&self) -> String {
        let said = self.command().arg("--help").output().unwrap();
        String::from_utf8_lossy(&said.stdout).into_owned()
    }
}
