//! System calls of a program, counted in a run of its own: counting slows down what is counted.

use anyhow::{Context, Result};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// A tracepoint: cheap. Needs root and a kernel with tracepoints.
    Perf,
    /// Stops the program at each call: right, but slow.
    Strace,
}

impl Counter {
    /// The best that works here.
    pub fn find() -> Option<Self> {
        [Counter::Perf, Counter::Strace]
            .into_iter()
            .find(|counter| {
                let Ok(file) = tempfile::NamedTempFile::new() else {
                    return false;
                };
                let (program, arguments) = counter.before(file.path());
                let done = Command::new(program)
                    .args(arguments)
                    .arg("true")
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                done.is_ok_and(|status| status.success()) && counter.read(file.path()).is_ok()
            })
    }

    pub fn name(self) -> &'static str {
        match self {
            Counter::Perf => "perf stat -e raw_syscalls:sys_enter",
            Counter::Strace => "strace -c -f",
        }
    }

    /// What stands before the command, and writes its count into the file.
    fn before(self, file: &Path) -> (&'static str, Vec<String>) {
        let file = file.display().to_string();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Counter::Perf => (
                "perf",
                words(&[
                    "stat",
                    "-x",
                    ",",
                    "-e",
                    "raw_syscalls:sys_enter",
                    "-o",
                    &file,
                    "--",
                ]),
            ),
            Counter::Strace => ("strace", words(&["-f", "-c", "-o", &file])),
        }
    }

    /// The command with the counter before it.
    pub fn around(
        self,
        file: &Path,
        program: &Path,
        arguments: &[String],
    ) -> (PathBuf, Vec<String>) {
        let (counter, mut words) = self.before(file);
        words.push(program.display().to_string());
        words.extend(arguments.iter().cloned());
        (on_path(counter), words)
    }

    pub fn read(self, file: &Path) -> Result<u64> {
        let text = fs::read_to_string(file)?;
        match self {
            Counter::Perf => perf(&text),
            Counter::Strace => strace(&text),
        }
        .with_context(|| format!("no count in the output of {}", self.name()))
    }
}

fn on_path(name: &str) -> PathBuf {
    env::var_os("PATH")
        .and_then(|path| {
            env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|program| program.is_file())
        })
        .unwrap_or_else(|| PathBuf::from(name))
}

/// "29,,raw_syscalls:sys_enter,1000000,100.00,,"
fn perf(text: &str) -> Option<u64> {
    text.lines()
        .filter(|line| line.contains("raw_syscalls:sys_enter"))
        .find_map(|line| line.split(',').next()?.parse().ok())
}

/// "100.00    0.001842           4       451        44 total": the fourth column.
fn strace(text: &str) -> Option<u64> {
    text.lines()
        .filter(|line| line.trim_end().ends_with(" total"))
        .find_map(|line| line.split_whitespace().nth(3)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_the_tools_write_them() {
        let text = "# started on Mon Nov 30 19:50:00 2026\n\n29,,raw_syscalls:sys_enter,1999830,100.00,,\n";
        assert_eq!(perf(text), Some(29));
        assert_eq!(
            perf("<not counted>,,raw_syscalls:sys_enter,0,100.00,,\n"),
            None
        );
        let text = "% time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                     55.05    0.000256         256         1           execve\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    100.00    0.000465          13        34         1 total\n";
        assert_eq!(strace(text), Some(34));
        assert_eq!(strace(""), None);
    }
}
