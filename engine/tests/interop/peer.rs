//! The programs at the two ends.

use std::{path::PathBuf, process::Command};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Client,
    Server,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stock {
    V3_12,
    V3_18,
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
        }
    }

    pub fn command(&self) -> Command {
        Command::new(match self {
            Peer::Ours => PathBuf::from(env!("CARGO_BIN_EXE_nettest-engine")),
            Peer::Stock(stock) => stock.program(),
        })
    }
}

impl Stock {
    /// The program, checked to be the version that it stands for.
    fn program(self) -> PathBuf {
        let (variable, fallback, version) = match self {
            Stock::V3_12 => ("NETTEST_IPERF3_312", Some("iperf3"), "iperf 3.12"),
            Stock::V3_18 => ("NETTEST_IPERF3_318", None, "iperf 3.18"),
        };
        let program = std::env::var_os(variable)
            .map(PathBuf::from)
            .or_else(|| fallback.map(PathBuf::from))
            .unwrap_or_else(cached_318);
        let said = Command::new(&program)
            .arg("--version")
            .output()
            .unwrap_or_else(|error| {
                panic!(
                    "{} ({variable}): {error}; hack/install-prerequisites brings it",
                    program.display()
                )
            });
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(
            said.starts_with(version),
            "{} is not {version} but {:?}; set {variable}",
            program.display(),
            said.lines().next()
        );
        program
    }
}

/// Where `hack/install-prerequisites` puts it.
fn cached_318() -> PathBuf {
    let cache = std::env::var_os("NETTEST_CACHE")
        .map(PathBuf::from)
        .or_else(|| {
            std::env::var_os("XDG_CACHE_HOME")
                .map(PathBuf::from)
                .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
                .map(|cache| cache.join("nettest"))
        });
    cache
        .map(|cache| cache.join("peers/bin/iperf3-3.18"))
        .unwrap_or_else(|| PathBuf::from("iperf3-3.18"))
}
