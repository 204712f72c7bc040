//! What the streams of one test share.

use super::Budget;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The two parts of a test that ends by its time, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    pub omit_ns: u64,
    pub counted_ns: u64,
}

/// Gate, stop, budget and clock of one test's streams.
pub struct RunControl {
    on_progress: Arc<dyn Fn() + Send + Sync>,
    started: AtomicBool,
    stopped: AtomicBool,
    /// Reading of the clock at the stop.
    stopped_ns: AtomicU64,
    gate: Mutex<()>,
    opened: Condvar,
    budget: OnceLock<Budget>,
    timed: OnceLock<Timed>,
    tops_up: AtomicBool,
    clock: Instant,
}

impl std::fmt::Debug for RunControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RunControl {
            started,
            stopped,
            budget,
            ..
        } = self;
        let mut out = f.debug_struct("RunControl");
        out.field("started", started)
            .field("stopped", stopped)
            .field("budget", budget)
            .finish_non_exhaustive()
    }
}

impl RunControl {
    /// `on_progress` is called from data threads, when a stream ends or the budget is used up: it must be quick
    /// (wake a task, no more).
    pub fn new(on_progress: Arc<dyn Fn() + Send + Sync>) -> Arc<Self> {
        Arc::new(RunControl {
            on_progress,
            started: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            stopped_ns: AtomicU64::new(0),
            gate: Mutex::new(()),
            opened: Condvar::new(),
            budget: OnceLock::new(),
            timed: OnceLock::new(),
            tops_up: AtomicBool::new(false),
            clock: Instant::now(),
        })
    }

    /// Datagrams at a bitrate are due for so long from the start on, and none after it, however late the stop comes.
    /// Before the start; never called: until the stop.
    pub fn time(&self, omit: Duration, counted: Duration) {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let _ = self.timed.set(Timed {
            omit_ns: ns(omit),
            counted_ns: ns(counted),
        });
    }

    /// See [`RunControl::time`].
    pub fn timed(&self) -> Option<Timed> {
        self.timed.get().copied()
    }

    /// The peer waits until it has received the whole budget, and does not end the test by itself: where datagrams were
    /// lost, others follow after a pause. Before the start.
    pub fn top_up(&self) {
        self.tops_up.store(true, Ordering::Relaxed);
    }

    /// See [`RunControl::top_up`].
    pub fn tops_up(&self) -> bool {
        self.tops_up.load(Ordering::Relaxed)
    }

    /// Opens the gate: all threads begin.
    pub fn start(&self) {
        self.raise(&self.started);
    }

    /// Asks all threads to end: senders at once (a blocked write within 50 ms), receivers when nothing has come for
    /// a short while (60 ms; TCP adds two round trips), at the latest after a second.
    pub fn stop(&self) {
        if !self.stopped() {
            self.stopped_ns.store(self.now_ns(), Ordering::Relaxed);
        }
        self.raise(&self.stopped);
    }

    /// When the streams were stopped, on this run's clock.
    pub fn stopped_ns(&self) -> Option<u64> {
        self.stopped
            .load(Ordering::Acquire)
            .then(|| self.stopped_ns.load(Ordering::Relaxed))
    }

    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// `-n` or `-k` over all sending streams of this end, exact to the last write. Once a test: before the start, or
    /// when the omitted part ends (then each sender notes its totals as it sees the budget:
    /// [`super::StreamHandle::marked`]). Nothing, or a second call, changes nothing.
    pub fn set_budget(&self, bytes: Option<u64>, blocks: Option<u64>) {
        if let Some(budget) = bytes.map(Budget::bytes).or(blocks.map(Budget::blocks)) {
            let _ = self.budget.set(budget);
        }
    }

    /// All of the budget was written. Without a budget: false.
    pub fn budget_exhausted(&self) -> bool {
        self.budget().is_some_and(Budget::exhausted)
    }

    pub fn budget(&self) -> Option<&Budget> {
        self.budget.get()
    }

    /// Calls the `on_progress` of [`RunControl::new`].
    pub fn progress(&self) {
        (self.on_progress)();
    }

    /// Nanoseconds of this run's monotonic clock.
    pub fn now_ns(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The instant of a reading of [`RunControl::now_ns`].
    pub fn instant(&self, ns: u64) -> Option<Instant> {
        self.clock.checked_add(Duration::from_nanos(ns))
    }

    /// Blocks a data thread until the start; false: stopped without one.
    pub fn wait_for_start(&self) -> bool {
        let closed = |_: &mut ()| !self.started.load(Ordering::Relaxed) && !self.stopped();
        let guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        drop(
            self.opened
                .wait_while(guard, closed)
                .unwrap_or_else(PoisonError::into_inner),
        );
        self.started.load(Ordering::Relaxed)
    }

    /// Under the gate's lock, so that no thread goes to sleep between its look and the notification.
    fn raise(&self, flag: &AtomicBool) {
        let guard = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        flag.store(true, Ordering::Release);
        drop(guard);
        self.opened.notify_all();
    }
}
