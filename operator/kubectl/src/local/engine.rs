//! Where the measuring program is.

use std::path::{Path, PathBuf};
use thiserror::Error;

const NAME: &str = "nettest-engine";

/// A measuring program that exists.
#[derive(Debug, Clone)]
pub struct Engine(PathBuf);

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("there is no program {0}: give --engine (or NETTEST_ENGINE) the path of {NAME}")]
    NotThere(String),
    #[error(
        "{NAME} was not found beside this program nor in PATH: build it with `cargo build --release -p {NAME}`, or give its path with --engine"
    )]
    NotFound,
}

impl Engine {
    /// The asked one and no other; else the one beside this program; else the first in `path`.
    pub fn find(asked: Option<&Path>) -> Result<Engine, EngineError> {
        let beside = std::env::current_exe().ok();
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::find_in(asked, beside.as_deref(), std::env::split_paths(&path))
    }

    fn find_in(
        asked: Option<&Path>,
        own: Option<&Path>,
        path: impl Iterator<Item = PathBuf>,
    ) -> Result<Engine, EngineError> {
        if let Some(asked) = asked {
            return match asked.is_file() {
                true => Ok(Engine(asked.to_owned())),
                false => Err(EngineError::NotThere(asked.display().to_string())),
            };
        }
        let beside = own.and_then(Path::parent).map(|folder| folder.join(NAME));
        beside
            .into_iter()
            .chain(path.map(|folder| folder.join(NAME)))
            .find(|candidate| candidate.is_file())
            .map(Engine)
            .ok_or(EngineError::NotFound)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asked_one_then_beside_then_path() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| {
            let folder = folder.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(NAME), "").unwrap();
            folder
        };
        let (a, b, c) = (place("a"), place("b"), place("c"));
        let own = b.join("kubectl-nettest");
        let find = |asked: Option<&Path>, own: Option<&Path>| {
            Engine::find_in(asked, own, [c.clone()].into_iter())
                .unwrap()
                .0
        };
        assert_eq!(find(Some(&a.join(NAME)), Some(&own)), a.join(NAME));
        assert_eq!(find(None, Some(&own)), b.join(NAME));
        assert_eq!(find(None, Some(Path::new("/nowhere/x"))), c.join(NAME));
    }

    #[test]
    fn errors_say_what_to_do() {
        let asked = Engine::find_in(Some(Path::new("/no/engine")), None, std::iter::empty());
        assert!(asked.unwrap_err().to_string().contains("/no/engine"));
        let none = Engine::find_in(None, None, std::iter::empty());
        assert!(none.unwrap_err().to_string().contains("--engine"));
    }
}
