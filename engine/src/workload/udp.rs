//! Numbered datagrams, in batches.

use super::pacing::{Pace, Turn};
use super::{Header, Lane, drain, payload};
use crate::sock::{ReceiveBatch, SendBatch};
use crate::stats::{Arrival, Jitter, SequenceTracker, Width};
use std::io::{self, ErrorKind};

/// Pause after the device's queue refused a datagram: sooner, it is still full.
const QUEUE_FULL_PAUSE_NS: u64 = 100_000;

/// Sends until stopped or the budget is used up.
pub fn send(mut lane: Lane<'_>, pace: Pace, width: Width) -> io::Result<()> {
    let mut batch = SendBatch::new(lane.socket, lane.block, payload::fill)?;
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let begun = lane.control.now_ns();
    let mut pacer = pace.of_datagrams(lane.block, begun);
    if let Some(time) = lane.control.paced_ns() {
        pacer = pacer.map(|pacer| pacer.until(begun.saturating_add(time)));
    }
    lane.counters.started(begun);
    // Datagrams that may leave by the pacing, and what is left of those that the budget gave.
    let (mut allowed, mut left) = (0usize, 0usize);
    while !lane.control.stopped() {
        if let Some(pacer) = &mut pacer
            && allowed == 0
        {
            match pacer.turn(lane.control.now_ns(), batch.capacity() * lane.block) {
                Turn::Send(bytes) => allowed = bytes / lane.block,
                Turn::Wait(until) => {
                    lane.sleep_towards(until);
                    continue;
                }
            }
        }
        if left == 0 {
            let want = if pacer.is_some() {
                allowed.min(batch.capacity())
            } else {
                batch.capacity()
            };
            left = lane.may_send(want);
            if left == 0 {
                lane.wait_for_others();
                return Ok(());
            }
        }
        let now = lane.control.now_ns();
        for index in 0..left {
            let header = Header {
                sent_ns: now,
                sequence: lane.totals.packets + 1 + index as u64,
            };
            header.write(batch.datagram(index), width);
        }
        match batch.send(lane.socket, left) {
            Ok(sent) => {
                left -= sent;
                allowed = allowed.saturating_sub(sent);
                let bytes = (sent * lane.block) as u64;
                lane.totals.bytes += bytes;
                lane.totals.packets += sent as u64;
                lane.totals.highest_seq = lane.totals.packets;
                lane.publish(now);
                lane.wrote(bytes);
                if let Some(pacer) = &mut pacer {
                    pacer.sent(bytes);
                }
            }
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                lane.sleep_towards(now + QUEUE_FULL_PAUSE_NS);
            }
            Err(error) if is_pause(&error) => {}
            Err(_) if lane.control.stopped() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Receives until stopped and drained.
pub fn receive(mut lane: Lane<'_>, width: Width) -> io::Result<()> {
    let mut batch = ReceiveBatch::new(lane.socket);
    let mut tracker = SequenceTracker::default();
    let mut jitter = Jitter::default();
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let mut last_data = 0;
    loop {
        let stopped = lane.control.stopped_ns();
        match batch.receive(lane.socket) {
            Ok(()) => {}
            Err(error) if is_pause(&error) => {
                let now = lane.control.now_ns();
                if stopped
                    .is_some_and(|stopped| drain::quiet(now, stopped, last_data, drain::idle_ns(0)))
                {
                    return Ok(());
                }
                continue;
            }
            Err(_) if lane.control.stopped() => return Ok(()),
            Err(error) => return Err(error),
        }
        // One reading a call: what waited together arrived together, as far as a program can tell.
        let now = lane.control.now_ns();
        let mut malformed = 0;
        let mut datagrams = 0;
        let before = lane.totals.packets;
        for datagram in batch.datagrams() {
            datagrams += 1;
            let Some(header) = Header::read(datagram, width) else {
                malformed += 1;
                continue;
            };
            match tracker.arrive(header.sequence, width) {
                Arrival::Ahead | Arrival::Late => {
                    lane.totals.bytes += datagram.len() as u64;
                    lane.totals.packets += 1;
                    jitter.arrive(header.sent_ns as i64, now as i64);
                }
                Arrival::Duplicate | Arrival::TooLate => {}
                Arrival::Foreign => malformed += 1,
            }
        }
        lane.counters
            .add_messages(batch.messages() as u64, datagrams);
        if malformed > 0 {
            lane.counters.add_malformed(malformed);
        }
        if lane.totals.packets > before {
            last_data = now;
            lane.counters.started(now);
        }
        lane.totals.highest_seq = tracker.highest();
        lane.totals.lost = tracker.lost();
        lane.totals.out_of_order = tracker.out_of_order();
        lane.totals.duplicates = tracker.duplicates();
        lane.totals.jitter_ns = jitter.estimate_ns();
        if last_data > 0 {
            lane.publish(last_data);
        }
        if stopped.is_some_and(|stopped| drain::overdue(now, stopped)) {
            return Ok(());
        }
    }
}

/// The socket's time-out, a signal, or the peer's port being closed for the moment (its end of the test, or a
/// restart of its stream): whether the test goes on is the control connection's decision.
fn is_pause(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    matches!(
        error.kind(),
        WouldBlock | TimedOut | Interrupted | ConnectionRefused
    )
}
