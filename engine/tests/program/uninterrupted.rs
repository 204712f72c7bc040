//! A call that waits is repeated when the kernel interrupts it: a socket with a timeout says EINTR when a machine was
//! frozen and goes on, though no signal came.

use std::io::{ErrorKind, Result};

pub fn uninterrupted<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
