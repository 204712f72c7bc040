//! The programs that are compared: where each is looked for, and what it can do.

use crate::process::Process;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// For a program to say its version.
const TO_ANSWER: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Ours,
    /// The iperf3 on PATH: Debian 12 has 3.12, the last with one thread for all streams.
    Iperf3,
    Iperf3_18,
    Iperf3Newest,
    Iperf2,
    Riperf3,
    Neper,
}

/// What command line a program understands, and in what form it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Iperf3,
    Iperf2,
    Neper,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Ours,
        Kind::Iperf3,
        Kind::Iperf3_18,
        Kind::Iperf3Newest,
        Kind::Iperf2,
        Kind::Riperf3,
        Kind::Neper,
    ];

    pub fn dialect(self) -> Dialect {
        match self {
            Kind::Ours | Kind::Iperf3 | Kind::Iperf3_18 | Kind::Iperf3Newest | Kind::Riperf3 => {
                Dialect::Iperf3
            }
            Kind::Iperf2 => Dialect::Iperf2,
            Kind::Neper => Dialect::Neper,
        }
    }

    /// Does one server process serve several clients at once?
    pub fn serves_many(self) -> bool {
        matches!(self, Kind::Ours | Kind::Iperf2)
    }

    fn variable(self) -> Option<&'static str> {
        match self {
            Kind::Ours => Some("NETTEST_ENGINE"),
            Kind::Iperf3 | Kind::Iperf2 => None,
            Kind::Iperf3_18 => Some("NETTEST_IPERF3_318"),
            Kind::Iperf3Newest => Some("NETTEST_IPERF3_NEWEST"),
            Kind::Riperf3 => Some("NETTEST_RIPERF3"),
            Kind::Neper => Some("NETTEST_NEPER"),
        }
    }

    /// Files that `hack/build` and `hack/fetch-peers` make, and names on PATH, best first.
    fn places(self) -> Vec<PathBuf> {
        let fetched = |name: &str| cache().map(|cache| cache.join("peers/bin").join(name));
        match self {
            Kind::Ours => vec![PathBuf::from("out/bin/nettest-engine")],
            Kind::Iperf3 => on_path("iperf3").into_iter().collect(),
            Kind::Iperf3_18 => fetched("iperf3-3.18").into_iter().collect(),
            Kind::Iperf3Newest => Vec::new(),
            Kind::Iperf2 => fetched("iperf-2.2")
                .into_iter()
                .chain(on_path("iperf"))
                .collect(),
            Kind::Riperf3 => on_path("riperf3").into_iter().collect(),
            Kind::Neper => on_path("tcp_stream").into_iter().collect(),
        }
    }

    /// What to do for a program that is not there.
    pub fn how_to_get(self) -> &'static str {
        match self {
            Kind::Ours => "hack/build nettest-engine",
            Kind::Iperf3 => "apt-get install iperf3",
            Kind::Iperf3_18 | Kind::Iperf2 => "hack/fetch-peers",
            Kind::Iperf3Newest => {
                "build esnet/iperf from source and set NETTEST_IPERF3_NEWEST to its iperf3"
            }
            Kind::Riperf3 => {
                "cargo install riperf3-cli, and have riperf3 on PATH or in NETTEST_RIPERF3"
            }
            Kind::Neper => {
                "`make tcp_stream` in a clone of google/neper, and set NETTEST_NEPER to that program"
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Ours => "nettest-engine",
            Kind::Iperf3 => "iperf3 of PATH",
            Kind::Iperf3_18 => "iperf3 3.18",
            Kind::Iperf3Newest => "newest iperf3",
            Kind::Iperf2 => "iperf2",
            Kind::Riperf3 => "riperf3",
            Kind::Neper => "neper",
        })
    }
}

/// Flags that not every version has, by its own `--help`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    pub skip_rx_copy: bool,
    pub gsro: bool,
    /// Ours: every copy that the path lets it leave out.
    #[serde(default)]
    pub fast: bool,
    /// riperf3's batched sending, off unless asked for.
    pub sendmmsg: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    pub kind: Kind,
    /// Program and version, as the tables show it.
    pub name: String,
    #[serde(skip)]
    pub program: PathBuf,
    pub abilities: Abilities,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    pub name: String,
    pub how_to_get: String,
}

/// Every program that is there, ours first, and those that are not. A variable that names no program is an
/// error: whoever set it wants that program measured.
pub fn find() -> Result<(Vec<Peer>, Vec<Absent>)> {
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let variable = kind
            .variable()
            .and_then(|name| Some((name, env::var_os(name)?)));
        let program = match variable {
            Some((name, program)) => {
                let program = PathBuf::from(program);
                if !program.is_file() {
                    bail!("{name} names no program: {}", program.display());
                }
                Some(program)
            }
            None => kind.places().into_iter().find(|place| place.is_file()),
        };
        match program {
            Some(program) => match examine(kind, program) {
                Ok(peer) => found.push(peer),
                Err(error) if kind == Kind::Ours => return Err(error),
                Err(error) => absent.push(Absent {
                    name: kind.to_string(),
                    how_to_get: format!("it does not work: {error:#}"),
                }),
            },
            None if kind == Kind::Ours => bail!("our engine is not built: {}", kind.how_to_get()),
            None => absent.push(Absent {
                name: kind.to_string(),
                how_to_get: kind.how_to_get().to_owned(),
            }),
        }
    }
    Ok((found, absent))
}

fn examine(kind: Kind, program: PathBuf) -> Result<Peer> {
    // A relative name would be looked for on PATH by a process of another folder.
    let program = program
        .canonicalize()
        .with_context(|| format!("{} cannot be found", program.display()))?;
    // neper writes a file of log wherever it is started, even to say its version.
    let folder = tempfile::tempdir()?;
    let said = |argument: &str| -> Result<String> {
        let mut command = Command::new(&program);
        command.arg(argument).current_dir(&folder);
        let ended = Process::start_command(command, TO_ANSWER)?.wait()?;
        if ended.killed() {
            bail!("{} {argument} did not end", program.display());
        }
        Ok(ended.out + &ended.err)
    };
    let help = said("--help")?;
    Ok(Peer {
        kind,
        name: name(kind, &said("--version")?),
        abilities: abilities(&help),
        program,
    })
}

fn abilities(help: &str) -> Abilities {
    Abilities {
        skip_rx_copy: help.contains("--skip-rx-copy"),
        gsro: help.contains("--gsro"),
        fast: help
            .split_whitespace()
            .any(|word| word.trim_end_matches(',') == "--fast"),
        sendmmsg: help.contains("--sendmmsg"),
    }
}

/// "iperf 3.12 (cJSON 1.7.15)", "iperf version 2.2.0 (10 April 2024) pthreads", "riperf3 0.8.0 (…)", "VERSION=1.1.0".
fn name(kind: Kind, said: &str) -> String {
    let program = match kind {
        Kind::Iperf3 | Kind::Iperf3_18 | Kind::Iperf3Newest => "iperf3",
        Kind::Ours => "nettest-engine",
        Kind::Iperf2 => "iperf2",
        Kind::Riperf3 => "riperf3",
        Kind::Neper => "neper",
    };
    let version = said
        .split(|c: char| c.is_whitespace() || c == '=')
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    match version {
        Some(version) => format!("{program} {version}"),
        None => program.to_owned(),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// As e2e/cluster/lib/paths.bash says.
fn cache() -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    given("NETTEST_CACHE").map(PathBuf::from).or_else(|| {
        let base = given("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| given("HOME").map(|home| Path::new(&home).join(".cache")))?;
        Some(base.join("nettest"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

    #[test]
    fn versions_as_the_programs_say_them() {
        for (kind, said, expected) in [
            (
                Kind::Iperf3,
                "iperf 3.12 (cJSON 1.7.15)\nLinux vm 6.18",
                "iperf3 3.12",
            ),
            (
                Kind::Iperf3Newest,
                "iperf 3.21+ (cJSON 1.7.15)",
                "iperf3 3.21+",
            ),
            (
                Kind::Iperf2,
                "iperf version 2.2.0 (10 April 2024) pthreads",
                "iperf2 2.2.0",
            ),
            (Kind::Neper, "VERSION=1.1.0", "neper 1.1.0"),
            (Kind::Neper, "", "neper"),
        ] {
            assert_eq!(name(kind, said), expected);
        }
    }

    #[test]
    fn a_program_that_says_nothing_is_no_fault_of_the_bench() {
        let folder = tempfile::tempdir().expect("a folder");
        let silent = folder.path().join("silent");
        std::fs::write(&silent, "#!/bin/sh\nexit 3\n").expect("writable");
        std::fs::set_permissions(&silent, Permissions::from_mode(0o755)).expect("ours");
        let peer = examine(Kind::Iperf2, silent).expect("it ran");
        assert_eq!(
            (peer.name.as_str(), peer.abilities),
            ("iperf2", Abilities::default())
        );
        assert!(examine(Kind::Iperf2, "/nonexistent/iperf".into()).is_err());
    }

    #[test]
    fn abilities_are_what_the_help_lists() {
        let help = "  -Z, --zerocopy  use it\n  --skip-rx-copy  ignore\n";
        assert_eq!(
            abilities(help),
            Abilities {
                skip_rx_copy: true,
                ..Abilities::default()
            }
        );
        let fast = |help| abilities(help).fast;
        assert!(fast("      --fast, the same as -Z --skip-rx-copy\n"));
        assert!(fast("      --fast          all of them\n"));
        assert!(!fast("      --faster        more\n"));
    }
}
