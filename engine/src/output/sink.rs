//! Where output goes: stdout or the log file, shared by the observers of a server.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A writer that flushes every piece and remembers its first failure; clones share it.
/// The failure is told once, at once: a test whose rows nobody can read need not go on.
#[derive(Clone)]
pub struct Sink(Arc<Mutex<Inner>>);

struct Inner {
    to: Box<dyn Write + Send>,
    failed: Option<io::Error>,
    on_failure: Option<Box<dyn FnOnce() + Send>>,
}

impl Sink {
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        Sink(Arc::new(Mutex::new(Inner {
            to,
            failed: None,
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

    /// Who is told of the first failure.
    pub fn on_failure(&self, tell: impl FnOnce() + Send + 'static) {
        self.inner().on_failure = Some(Box::new(tell));
    }

    pub fn write(&self, text: &str) {
        let mut inner = self.inner();
        if inner.failed.is_some() {
            return;
        }
        let written = inner
            .to
            .write_all(text.as_bytes())
            .and_then(|()| inner.to.flush());
        inner.failed = written.err();
        if inner.failed.is_some()
            && let Some(tell) = inner.on_failure.take()
        {
            tell();
        }
    }

    /// The first failure, e.g. a closed pipe or a full disk.
    pub fn failure(&self) -> Option<io::Error> {
        self.inner().failed.take()
    }
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sink")
    }
}

/// A message for people, on stderr. A closed stderr is nobody's error.
pub fn complain(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "nettest-engine: {kind} - {message}");
}

/// How to do better, on stderr.
pub fn hint(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
