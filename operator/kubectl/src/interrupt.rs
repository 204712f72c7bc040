//! Ctrl-C and its relatives.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that end a run early.
#[derive(Debug)]
pub struct Interrupt {
    signals: [Signal; 3],
}

impl Interrupt {
    /// From now on they no longer end the process by themselves.
    pub fn listen() -> io::Result<Interrupt> {
        Ok(Interrupt {
            signals: [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ],
        })
    }

    /// Returns when one has come.
    pub async fn came(&mut self) {
        let [a, b, c] = &mut self.signals;
        tokio::select! {
            _ = a.recv() => {}
            _ = b.recv() => {}
            _ = c.recv() => {}
        }
    }
}
