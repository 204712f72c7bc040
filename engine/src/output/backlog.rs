//! What waits for a reader who may have stalled, with a thread of its own that writes it: nobody else waits. A server
//! goes on with its tests while its pipe is full; what does not fit in then is dropped, and counted.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// With so many bytes waiting nothing more is taken. A piece is taken whole or not at all, however long it is.
const MOST: usize = 4 << 20;
/// It writes, and no more.
const STACK: usize = 128 << 10;

/// Who is told of the first failure.
pub type OnFailure = Box<dyn FnOnce() + Send>;

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Push {
    Taken,
    /// Too much waits already.
    Dropped,
    /// An earlier piece could not be written.
    Failed,
}

#[derive(Clone)]
pub struct Backlog(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something came, or something was written.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<String>,
    bytes: usize,
    /// The piece that the thread has taken is not yet written.
    writing: bool,
    /// Pieces that were not taken, ever and since the last one that was.
    dropped: u64,
    unsaid: u64,
    /// Pieces written.
    written: u64,
    failed: Option<io::Error>,
    on_failure: Option<OnFailure>,
    closed: bool,
}

impl Backlog {
    /// `missing` makes the line that stands in place of so many dropped pieces, if there is to be one. Errors: no thread
    /// is to be had.
    pub fn start(
        to: Box<dyn Write + Send>,
        missing: Option<fn(u64) -> String>,
    ) -> io::Result<Backlog> {
        let backlog = Backlog(Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        }));
        let thread = std::thread::Builder::new()
            .name("output".to_owned())
            .stack_size(STACK);
        thread.spawn({
            let backlog = backlog.clone();
            move || backlog.write_all(to, missing)
        })?;
        Ok(backlog)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.0
            .changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn on_failure(&self, tell: OnFailure) {
        self.state().on_failure = Some(tell);
    }

    pub fn push(&self, text: String) -> Push {
        let mut state = self.state();
        if state.failed.is_some() || state.closed {
            return Push::Failed;
        }
        if state.bytes >= MOST {
            state.dropped += 1;
            state.unsaid += 1;
            return Push::Dropped;
        }
        state.bytes += text.len();
        state.pieces.push_back(text);
        drop(state);
        self.0.changed.notify_all();
        Push::Taken
    }

    /// Pieces that were dropped.
    pub fn dropped(&self) -> u64 {
        self.state().dropped
    }

    /// Waits for the reader until it has everything, or has taken nothing for the time of `patience`; the first failure.
    pub fn drain(&self, patience: Duration) -> Option<io::Error> {
        let mut state = self.state();
        while state.failed.is_none() && (state.writing || !state.pieces.is_empty()) {
            let before = state.written;
            let (next, waited) = self
                .0
                .changed
                .wait_timeout_while(state, patience, |now| {
                    now.written == before && now.failed.is_none()
                })
                .unwrap_or_else(PoisonError::into_inner);
            state = next;
            if waited.timed_out() {
                break;
            }
        }
        state.failed.take().inspect(|_| state.closed = true)
    }

    /// The thread: until something cannot be written. It ends with the program.
    fn write_all(&self, mut to: Box<dyn Write + Send>, missing: Option<fn(u64) -> String>) {
        loop {
            let mut state = self.state();
            while state.pieces.is_empty() {
                state = self.wait(state);
            }
            // What was dropped came after all that waits here.
            let piece = state.pieces.pop_front().unwrap_or_default();
            let unsaid = match state.pieces.is_empty() {
                true => std::mem::take(&mut state.unsaid),
                false => 0,
            };
            state.writing = true;
            drop(state);
            let note = missing.filter(|_| unsaid > 0).map(|line| line(unsaid));
            let done = to
                .write_all(piece.as_bytes())
                .and_then(|()| to.write_all(note.unwrap_or_default().as_bytes()))
                .and_then(|()| to.flush());
            let mut state = self.state();
            state.bytes = state.bytes.saturating_sub(piece.len());
            state.writing = false;
            state.written += 1;
            let over = done.is_err();
            state.failed = done.err();
            let told = state.on_failure.take_if(|_| over);
            if over {
                state.pieces.clear();
            }
            drop(state);
            self.0.changed.notify_all();
            if over {
                if let Some(tell) = told {
                    tell();
                }
                return;
            }
        }
    }
}
