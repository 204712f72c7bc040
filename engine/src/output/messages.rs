//! Messages for people, on stderr. A closed stderr is nobody's error.

use super::backlog::Backlog;
use super::sink::Sink;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Duration;

/// A server's messages wait for a reader of stderr in here, and its tests do not.
static WAITING: OnceLock<Backlog> = OnceLock::new();

/// At the end a reader that takes nothing for so long is not waited for.
const STALLED: Duration = Duration::from_secs(1);

/// From here on nobody waits for the reader of stderr. Errors: no thread is to be had.
pub fn detach() -> io::Result<()> {
    if WAITING.get().is_none() {
        let backlog = Backlog::start(Box::new(io::stderr()), Some(missing))?;
        // A second one would be another caller's, whose thread then has nothing to do.
        let _ = WAITING.set(backlog);
    }
    Ok(())
}

fn missing(count: u64) -> String {
    format!("nettest-engine: warning - messages were dropped since nobody read stderr: {count}\n")
}

/// Before the program ends.
pub fn drain() {
    if let Some(waiting) = WAITING.get() {
        waiting.drain(STALLED);
    }
}

/// The log file, where text goes to one: what went wrong belongs there, too.
static LOG: OnceLock<Sink> = OnceLock::new();

pub fn log_to(sink: &Sink) {
    // A process has one log file.
    let _ = LOG.set(sink.clone());
}

fn say(line: String) {
    if let Some(log) = LOG.get() {
        log.write(&line);
    }
    match WAITING.get() {
        Some(waiting) => {
            waiting.push(line);
        }
        None => {
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

/// Something that went wrong, or is not as asked.
pub fn complain(kind: &str, message: &str) {
    say(format!("nettest-engine: {kind} - {message}\n"));
}

/// How to do better.
pub fn hint(text: &str) {
    say(format!("{text}\n"));
}
