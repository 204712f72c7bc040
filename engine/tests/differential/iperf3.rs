//! Where the stock programs are, each checked to be the version that it stands for.

use std::{collections::BTreeMap, path::PathBuf, process::Command, sync::Mutex};

/// Oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stock {
    V3_12,
    V3_18,
    /// Whatever `NETTEST_IPERF3_NEWEST` names: 3.21 or later. Tests without it do without.
    Newest,
}

const NEWEST: &str = "NETTEST_IPERF3_NEWEST";

impl Stock {
    /// Those that there are: the newest only where the variable names one.
    pub fn all() -> impl Iterator<Item = Stock> {
        [Stock::V3_12, Stock::V3_18, Stock::Newest]
            .into_iter()
            .filter(|stock| *stock != Stock::Newest || std::env::var_os(NEWEST).is_some())
    }

    /// The program, checked once to be the version that it stands for.
    pub fn program(self) -> PathBuf {
        static FOUND: Mutex<BTreeMap<Stock, PathBuf>> = Mutex::new(BTreeMap::new());
        let mut found = FOUND
            .lock()
            .expect("the search before this one was no panic");
        found.entry(self).or_insert_with(|| self.find()).clone()
    }

    fn find(self) -> PathBuf {
        let (variable, fallback, version) = match self {
            Stock::V3_12 => ("NETTEST_IPERF3_312", Some("iperf3"), "iperf 3.12"),
            Stock::V3_18 => ("NETTEST_IPERF3_318", None, "iperf 3.18"),
            Stock::Newest => (NEWEST, None, "iperf 3.2"),
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
