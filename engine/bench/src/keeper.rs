//! Ends what overstays: children past their deadline, and all of them when the bench is told to stop. Each child
//! leads a process group: one that runs another program (perf does) must not leave that behind.
//!
//! The network namespaces need no such care: they have no name, and go with the last process in them.

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    process,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

static CHILDREN: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Kept {
    pid: Pid,
    deadline: Instant,
}

fn children() -> MutexGuard<'static, Vec<Kept>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the two threads that watch. Once, before the first child.
pub fn watch() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // The lock is kept: nobody starts another.
            let children = children();
            for child in children.iter() {
                end(child.pid);
            }
            process::exit(128 + signal);
        }
    });
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_millis(100));
            let now = Instant::now();
            for child in children().iter().filter(|child| child.deadline <= now) {
                end(child.pid);
            }
        }
    });
    Ok(())
}

fn end(pid: Pid) {
    // Gone already is what was wanted.
    let _ = killpg(pid, Signal::SIGKILL);
}

/// Starts a child under the lock, so that a signal finds either none or a child that is known.
pub fn keep<E>(allowed: Duration, start: impl FnOnce() -> Result<Pid, E>) -> Result<(), E> {
    let mut children = children();
    let pid = start()?;
    children.push(Kept {
        pid,
        deadline: Instant::now() + allowed,
    });
    Ok(())
}

pub fn allow(pid: Pid, more: Duration) {
    if let Some(child) = children().iter_mut().find(|child| child.pid == pid) {
        child.deadline = Instant::now() + more;
    }
}

/// It has ended but is not reaped yet: from here on its number may be another's.
pub fn release(pid: Pid) {
    children().retain(|child| child.pid != pid);
}
