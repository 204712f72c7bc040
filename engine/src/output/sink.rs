//! Where output goes: stdout or the log file, shared by the observers of a server.

use super::backlog::{Backlog, OnFailure, Push};
use super::complain;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A writer that flushes every piece and remembers its first failure; clones share it.
/// The failure is told once, at once: a test whose rows nobody can read need not go on.
#[derive(Clone)]
pub struct Sink(Arc<Mutex<Inner>>);

struct Inner {
    to: To,
    failed: Option<io::Error>,
    written: bool,
    /// The reader is behind, and output is lost.
    dropping: bool,
    /// At the end, for a reader that takes nothing.
    patience: Duration,
    on_failure: Option<OnFailure>,
}

/// A reader that begins late still gets a whole document: what a signal does not end waits for it.
const PATIENCE: Duration = Duration::from_secs(600);
const HURRY: Duration = Duration::from_secs(1);

enum To {
    /// Who writes waits for the reader.
    Reader(Box<dyn Write + Send>),
    /// Nobody does.
    Backlog(Backlog),
}

impl Sink {
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Sink(Arc::new(Mutex::new(Inner {
            to: To::Reader(to),
            failed: None,
            written: false,
            dropping: false,
            patience: PATIENCE,
            on_failure: None,
        })))
    }

    /// stdout, or `logfile` (appended to, as iperf3 does).
    pub fn open(logfile: Option<&Path>) -> io::Result<Self> {
        Ok(match logfile {
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path)?;
                Self::new(Box::new(file))
            }
            None => Self::new(Box::new(io::stdout())),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on nobody waits for the reader; a server's tests are not held up. Errors: no thread is to be had.
    pub fn detach(&self) -> io::Result<()> {
        let mut inner = self.inner();
        let to = match std::mem::replace(&mut inner.to, To::Reader(Box::new(io::sink()))) {
            To::Reader(to) => Backlog::start(to, None)?,
            To::Backlog(backlog) => backlog,
        };
        if let Some(tell) = inner.on_failure.take() {
            to.on_failure(tell);
        }
        inner.to = To::Backlog(to);
        Ok(())
    }

    /// Who is told of the first failure.
    pub fn on_failure(&self, tell: impl FnOnce() + Send + 'static) {
        let mut inner = self.inner();
        match &inner.to {
            To::Reader(_) => inner.on_failure = Some(Box::new(tell)),
            To::Backlog(backlog) => backlog.on_failure(Box::new(tell)),
        }
    }

    pub fn write(&self, text: &str) {
        let mut inner = self.inner();
        let Inner {
            to,
            failed,
            written,
            dropping,
            patience: _,
            on_failure,
        } = &mut *inner;
        if failed.is_some() {
            return;
        }
        *written = true;
        let mut notice = None;
        match to {
            To::Reader(to) => {
                let done = to.write_all(text.as_bytes()).and_then(|()| to.flush());
                *failed = done.err();
                if failed.is_some()
                    && let Some(tell) = on_failure.take()
                {
                    tell();
                }
            }
            To::Backlog(backlog) => {
                let lost = backlog.push(text.to_owned()) == Push::Dropped;
                if lost != std::mem::replace(dropping, lost) {
                    notice = Some(behind(lost, backlog.dropped()));
                }
            }
        }
        // Not while the lock is held: messages may go to this very sink.
        drop(inner);
        if let Some(notice) = notice {
            complain("warning", &notice);
        }
    }

    /// Whoever ended the program waits for its end, too.
    pub fn hurry(&self) {
        self.inner().patience = HURRY;
    }

    /// Nothing was written yet.
    pub fn is_untouched(&self) -> bool {
        !self.inner().written
    }

    /// The first failure, e.g. a closed pipe or a full disk, once what waits is written (or nobody takes it).
    pub fn failure(&self) -> Option<io::Error> {
        let mut inner = self.inner();
        match &inner.to {
            To::Reader(_) => inner.failed.take(),
            To::Backlog(backlog) => backlog.drain(inner.patience),
        }
    }
}

fn behind(lost: bool, dropped: u64) -> String {
    if lost {
        "the output is not read as fast as it comes, and some of it is dropped".to_owned()
    } else {
        format!("the output is read again; rows or documents that were dropped so far: {dropped}")
    }
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sink")
    }
}
