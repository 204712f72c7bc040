//! What a workload has at hand.

use crate::stats::{Snapshot, StreamCounters};
use crate::worker::RunControl;
use socket2::Socket;
use std::time::Duration;

/// A sleep is cut into pieces of this, to look whether the test was stopped.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// One stream's socket, the test's control, the stream's public counters and its own totals.
#[derive(Debug)]
pub struct Lane<'a> {
    pub socket: &'a Socket,
    pub control: &'a RunControl,
    pub counters: &'a StreamCounters,
    /// Bytes of a write or datagram.
    pub block: usize,
    /// This thread's own totals; [`Lane::publish`] shows them.
    pub totals: Snapshot,
    budgeted: bool,
}

impl<'a> Lane<'a> {
    pub fn new(
        socket: &'a Socket,
        control: &'a RunControl,
        counters: &'a StreamCounters,
        block: usize,
    ) -> Self {
        Lane {
            socket,
            control,
            counters,
            block,
            totals: Snapshot::default(),
            budgeted: false,
        }
    }

    /// Whether bytes or blocks end the test, as far as this lane has seen.
    pub fn is_budgeted(&self) -> bool {
        self.budgeted
    }

    pub fn publish(&self, now_ns: u64) {
        self.counters.publish(&self.totals, now_ns);
    }

    /// Bytes that may be written next, at most one block; 0: the budget is used up.
    pub fn may_write(&mut self) -> usize {
        let block = self.block as u64;
        match self.budget() {
            Some(budget) => budget.reserve_bytes(block) as usize,
            None => self.block,
        }
    }

    /// Datagrams that may be sent next, at most `want`; 0: the budget is used up.
    pub fn may_send(&mut self, want: usize) -> usize {
        let block = self.block as u64;
        match self.budget() {
            Some(budget) => budget.reserve_datagrams(want as u64, block) as usize,
            None => want,
        }
    }

    /// Notes what was written of a reservation: for a budget of blocks, whole ones.
    pub fn wrote(&self, bytes: u64) {
        if !self.budgeted {
            return;
        }
        if let Some(budget) = self.control.budget()
            && budget.wrote(bytes, self.block as u64)
        {
            self.control.progress();
        }
    }

    /// The budget may come into force in the middle: from the first look on it counts, and the totals are noted.
    fn budget(&mut self) -> Option<&'a crate::worker::Budget> {
        let budget = self.control.budget()?;
        if !self.budgeted {
            self.budgeted = true;
            self.counters.mark(&self.totals);
        }
        Some(budget)
    }

    /// Nothing is left to reserve: waits for the other streams to write their part, so that a sender's end means the
    /// budget's end (or a stop, or a fault) and nobody takes it for a broken stream.
    pub fn wait_for_others(&self) {
        while !self.control.stopped() && !self.control.budget_exhausted() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sleeps until `until_ns` of the run's clock, or a piece of it: the caller looks again.
    pub fn sleep_towards(&self, until_ns: u64) {
        let left = until_ns.saturating_sub(self.control.now_ns());
        if left > 0 {
            std::thread::sleep(Duration::from_nanos(left).min(LONGEST_SLEEP));
        }
    }
}
