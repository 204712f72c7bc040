//! What takes longer than a second says how far it is.

use super::progress::Progress;
use std::cell::Cell;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// Says nothing in its first second, and then something once a second at most.
#[derive(Debug)]
pub struct Slow {
    progress: Progress,
    last: Cell<Instant>,
}

impl Slow {
    pub fn new(quiet: bool) -> Slow {
        Slow {
            progress: Progress::new(quiet),
            last: Cell::new(Instant::now()),
        }
    }

    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.last.get().elapsed() >= PATIENCE {
            self.last.set(Instant::now());
            self.progress.note(&text());
        }
    }
}
