//! An engine process and its complaints.

use crate::local::{Engine, LocalError};
use nettest_core::argv;
use nettest_core::token::RunToken;
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

/// How much of a program's complaints is kept.
const MAX_WORDS: u64 = 16 * 1024;

/// What a program wrote to its standard error.
#[derive(Debug, Default)]
pub struct Words(String);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            words => write!(f, ": {words}"),
        }
    }
}

/// Killed when dropped. The token goes by env, as in pods: others on this machine can read argument lists.
pub fn start(
    engine: &Engine,
    args: &[String],
    token: Option<&RunToken>,
) -> Result<Child, LocalError> {
    let mut command = Command::new(engine.path());
    match token {
        Some(token) => command.env(argv::TOKEN_ENV, token.as_str()),
        None => command.env_remove(argv::TOKEN_ENV),
    };
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| not_started(engine, error))
}

pub fn not_started(engine: &Engine, error: std::io::Error) -> LocalError {
    LocalError::NotStarted {
        program: engine.path().display().to_string(),
        error,
    }
}

pub async fn words(from: Option<impl AsyncRead + Unpin>) -> Words {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What cannot be read is not said; the rest of a long complaint must still be drained.
        let _ = (&mut from).take(MAX_WORDS).read_to_end(&mut bytes).await;
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    Words(String::from_utf8_lossy(&bytes).into_owned())
}
