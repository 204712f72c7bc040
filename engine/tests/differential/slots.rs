//! How much of the machine each running test takes: slow ones run side by side, one that sends as fast as it
//! can has the machine for itself.

use std::sync::{Condvar, Mutex};

/// Tests of one slot at a time. They are slow: the time goes into waiting.
pub const ALL: u32 = 12;

static FREE: Mutex<u32> = Mutex::new(ALL);
static RETURNED: Condvar = Condvar::new();
/// Who waits for many slots must not be overtaken for ever by who wants one.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Debug)]
pub struct Slots(u32);

pub fn take(count: u32) -> Slots {
    let count = count.min(ALL);
    let _turn = TURN.lock().unwrap();
    let mut free = FREE.lock().unwrap();
    while *free < count {
        free = RETURNED.wait(free).unwrap();
    }
    *free -= count;
    Slots(count)
}

impl Drop for Slots {
    fn drop(&mut self) {
        *FREE.lock().unwrap() += self.0;
        RETURNED.notify_all();
    }
}
