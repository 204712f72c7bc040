//! Who is told what happens in a test. The writers (text, JSON, event lines) are observers.

use nettest_report::report::{Interval, Report, ServerOutput};
use std::net::SocketAddr;

/// Which test of a series this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    pub variant: &'a str,
    /// Variants in all.
    pub variants: usize,
    /// 1-based.
    pub repeat: u32,
    /// Repeats that were asked for; the later ones are extra, since the variant is unsteady.
    pub repeats: u32,
}

/// Hears of one test (and, on a server, of what comes before it). Calls come from the control thread, never
/// from a data thread; a slow observer delays rows, not data.
pub trait Observer: Send {
    /// The next test of a series is about to connect. Only with `run_series`.
    fn repeat(&mut self, _turn: Turn<'_>) {}
    /// The streams are connected and `report.start` is filled; data begins now.
    fn started(&mut self, _report: &Report) {}
    /// Whether `report.intervals` is read later: a long test has many rows.
    fn keeps_rows(&self, _report: &Report) -> bool {
        true
    }
    /// One row a stream, before it goes into `report.intervals`.
    fn interval(&mut self, _report: &Report, _interval: &Interval) {}
    /// Exactly once a test, whatever its end; `report.error` says what went wrong.
    fn finished(&mut self, _report: &Report) {}
    /// The server waits for its `test_number`th test (1-based).
    fn listening(&mut self, _port: u16, _test_number: u64) {}
    /// The server runs several tests at a time, and this is the `test_number`th: before `accepted`.
    fn one_of_several(&mut self, _test_number: u64) {}
    /// The server took a client on.
    fn accepted(&mut self, _peer: SocketAddr) {}
    /// A client stands in line at a busy server (1: next). At each change.
    fn in_line(&mut self, _place: u32) {}
    /// The server sent a client away before it was a test.
    fn turned_away(&mut self, _peer: SocketAddr, _why: &str) {}
    /// Something is not as it should be, and no reason to stop.
    fn notice(&mut self, _text: &str) {}
    /// What a client that asked with `--get-server-output` gets. `report.end` is filled.
    fn server_output(&self, _report: &Report) -> Option<ServerOutput> {
        None
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
