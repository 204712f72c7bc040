//! What a workload has at hand.

use crate::stats::{Snapshot, StreamCounters};
use crate::worker::RunControl;
use socket2::Socket;
use std::time::Duration;

/// A sleep is cut into pieces of this, to look whether the test was stopped.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);
/// Past the end of a timed test the stop is due at any moment, and the peer's time runs on until it is told.
const PAST_THE_END: Duration = Duration::from_millis(1);

/// A peer that has everything ends the test long before.
const TOP_UP_AFTER_NS: u64 = 1_000_000_000;

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
    /// The budget is used up, and the peer still waits.
    topping_up: bool,
    /// When a timed test ends, reading of the run's clock.
    ends_ns: Option<u64>,
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
            topping_up: false,
            ends_ns: None,
        }
    }

    /// A sender begins at `begun_ns` of the run's clock.
    pub fn begin(&mut self, begun_ns: u64) {
        let length = self
            .control
            .timed()
            .map(|t| t.omit_ns.saturating_add(t.counted_ns));
        self.ends_ns = length.map(|length| begun_ns.saturating_add(length));
        self.counters.started(begun_ns);
    }

    /// Whether bytes or blocks end the test, as far as this lane has seen.
    pub fn is_budgeted(&self) -> bool {
        self.budgeted
    }

    pub fn publish(&self, now_ns: u64) {
        self.counters.publish(&self.totals, now_ns);
    }

    /// Bytes that may be written next, at most `most`, which is one block at the most; 0: the budget is used up.
    pub fn may_write(&mut self, most: usize) -> usize {
        match self.budget() {
            Some(budget) => budget.reserve_bytes(most as u64) as usize,
            None => most,
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
        let budget = self.control.budget().filter(|_| !self.topping_up)?;
        if !self.budgeted {
            self.budgeted = true;
            self.counters.mark(&self.totals);
        }
        Some(budget)
    }

    /// The sender ends. When the others used the budget up while it was in a write from before it, nothing of its own counts.
    pub fn end(&mut self) {
        let _ = self.budget();
    }

    /// Nothing is left to reserve: waits for the other streams to write their part, so that a sender's end means the
    /// budget's end (or a stop, or a fault) and nobody takes it for a broken stream.
    pub fn wait_for_others(&self) {
        while !self.control.stopped() && !self.control.budget_exhausted() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The budget is written. False: the stream is over. True: the test has not ended within a pause, and more is to be
    /// sent (see [`RunControl::top_up`]).
    pub fn goes_on(&mut self) -> bool {
        self.wait_for_others();
        if !self.control.tops_up() {
            return false;
        }
        let until = self.control.now_ns().saturating_add(TOP_UP_AFTER_NS);
        while !self.control.stopped() && self.control.now_ns() < until {
            self.sleep_towards(until);
        }
        self.topping_up = true;
        !self.control.stopped()
    }

    /// Sleeps until `until_ns` of the run's clock, or a piece of it: the caller looks again.
    pub fn sleep_towards(&self, until_ns: u64) {
        let now = self.control.now_ns();
        let left = until_ns.saturating_sub(now);
        if left > 0 {
            let piece = match self.ends_ns.map(|end| end.saturating_sub(now)) {
                Some(to_the_end) => {
                    LONGEST_SLEEP.min(Duration::from_nanos(to_the_end).max(PAST_THE_END))
                }
                None => LONGEST_SLEEP,
            };
            std::thread::sleep(Duration::from_nanos(left).min(piece));
        }
    }
}
