//! Ports for tests that run side by side: below what the kernel gives to clients, each block handed out once.

use crate::port;
use std::sync::Mutex;

const FIRST: u16 = 10_000;
const LAST: u16 = 30_000;

static NEXT: Mutex<Option<u16>> = Mutex::new(None);

/// The first of `count` ports that nobody has.
pub fn block(count: u16) -> u16 {
    let mut next = NEXT.lock().unwrap();
    // Two runs of the suite at a time begin at different places.
    let mut first = next.unwrap_or(FIRST + (std::process::id() % 197) as u16 * 100);
    for _ in 0..LAST {
        if first > LAST - count {
            first = FIRST;
        }
        match (first..first + count).find(|port| !port::is_free(*port)) {
            Some(taken) => first = taken + 1,
            None => {
                *next = Some(first + count);
                return first;
            }
        }
    }
    panic!("no {count} free ports in a row between {FIRST} and {LAST}");
}
