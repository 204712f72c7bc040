//! Programs that users type: kubectl, helm and the scripts. Each has a deadline: a hang is a failure, not a wait.

use anyhow::{Context, Result, bail};
use std::{process::Stdio, time::Duration};
use tokio::io::AsyncWriteExt;

/// A command line, its input and its deadline.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    input: Option<String>,
    deadline: Duration,
}

/// How it ended.
#[derive(Debug)]
pub struct Output {
    pub line: String,
    pub success: bool,
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Command {
    pub fn new(program: &str) -> Command {
        Command {
            program: program.to_owned(),
            arguments: Vec::new(),
            input: None,
            deadline: Duration::from_secs(60),
        }
    }

    /// A command line split at blanks: no argument of it may hold one.
    pub fn line(line: &str) -> Command {
        let mut words = line.split_whitespace();
        Command::new(words.next().unwrap_or_default()).args(words)
    }

    pub fn arg(mut self, argument: impl Into<String>) -> Command {
        self.arguments.push(argument.into());
        self
    }

    pub fn args<S: Into<String>>(mut self, arguments: impl IntoIterator<Item = S>) -> Command {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// What it reads from its standard input.
    pub fn input(mut self, input: impl Into<String>) -> Command {
        self.input = Some(input.into());
        self
    }

    pub fn deadline(mut self, deadline: Duration) -> Command {
        self.deadline = deadline;
        self
    }

    /// Runs it to its end, whatever its exit code.
    pub async fn output(&self) -> Result<Output> {
        let line = format!("{} {}", self.program, self.arguments.join(" "));
        let mut child = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start `{line}`"))?;
        if let Some(mut pipe) = child.stdin.take() {
            let input = self.input.clone().unwrap_or_default();
            // A program that ends before it has read everything says why in its exit code.
            let _ = pipe.write_all(input.as_bytes()).await;
        }
        let ended = tokio::time::timeout(self.deadline, child.wait_with_output())
            .await
            .with_context(|| format!("`{line}` hangs: not ended after {:?}", self.deadline))?
            .with_context(|| format!("`{line}`"))?;
        Ok(Output {
            line,
            success: ended.status.success(),
            code: ended.status.code(),
            stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }

    /// Its standard output; an error with all it said when it fails.
    pub async fn run(&self) -> Result<String> {
        let output = self.output().await?;
        if !output.success {
            bail!(
                "`{}` failed:\n{}{}",
                output.line,
                output.stdout,
                output.stderr
            );
        }
        Ok(output.stdout)
    }

    /// Its standard error; an error when it succeeds.
    pub async fn refused(&self) -> Result<String> {
        let output = self.output().await?;
        if output.success {
            bail!("`{}` was not refused:\n{}", output.line, output.stdout);
        }
        Ok(output.stderr)
    }
}

/// `kubectl LINE`, split at blanks.
pub fn kubectl(line: &str) -> Command {
    Command::line(&format!("kubectl {line}"))
}
