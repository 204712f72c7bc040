//! A TCP stream: one buffer that stays in the cache, written or read again and again.

use super::pacing::{Pace, Turn};
use super::sink::Sink;
use super::source::{Next, Source};
use super::{Lane, drain};
use crate::sock;
use std::io::{self, ErrorKind};

/// Between looks whether the other end of a pipe has moved.
const LOOK_NS: u64 = 1_000_000;

/// Writes until stopped, the budget is used up, or the file is at its end.
pub fn send(mut lane: Lane<'_>, mut source: Source, pace: Pace) -> io::Result<()> {
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let begun = lane.control.now_ns();
    let mut pacer = pace.of_stream(lane.block, begun);
    lane.begin(begun);
    // Bytes that may leave by the pacing, and what is left of the block that the budget gave.
    let (mut allowed, mut granted, mut left) = (0usize, 0usize, 0usize);
    while !lane.control.stopped() {
        if left == 0 {
            lane.wrote(std::mem::take(&mut granted) as u64);
            // The file first: what it does not have must not be reserved, another stream may need it.
            let bytes = match source.next_block(lane.block) {
                Ok(Next::Bytes(bytes)) => bytes,
                Ok(Next::End) => {
                    lane.counters.complete();
                    note_backlog(&lane);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    lane.sleep_towards(lane.control.now_ns() + LOOK_NS);
                    continue;
                }
                Err(error) => return Err(error),
            };
            granted = lane.may_write(bytes);
            left = granted;
            if granted == 0 {
                push(&lane);
                lane.wait_for_others();
                return Ok(());
            }
        }
        match &mut pacer {
            Some(pacer) if allowed == 0 => match pacer.turn(lane.control.now_ns(), lane.block) {
                Turn::Send(bytes) => allowed = bytes,
                Turn::Wait(until) => {
                    lane.sleep_towards(until);
                    continue;
                }
            },
            Some(_) => {}
            None => allowed = left,
        }
        let begun = lane.control.now_ns();
        match source.send(lane.socket, left.min(allowed)) {
            Ok(sent) => {
                left -= sent;
                allowed -= sent;
                lane.totals.bytes += sent as u64;
                lane.totals.packets += 1;
                lane.publish(if lane.is_budgeted() {
                    lane.control.now_ns()
                } else {
                    // By time, a write counts as of its begin: what it took to be noted, on a machine with more
                    // threads than CPUs, is no time of the data, and its bytes may long have been read.
                    begun
                });
                if let Some(pacer) = &mut pacer {
                    pacer.sent(sent as u64);
                }
            }
            Err(error) if is_pause(&error) => {}
            Err(_) if lane.control.stopped() => break,
            Err(error) => return Err(error),
        }
    }
    if left == 0 {
        lane.wrote(granted as u64);
    }
    lane.end();
    push(&lane);
    Ok(())
}

/// Nagle's algorithm holds the last short segment back until the peer's delayed acknowledgement, some 40 ms that
/// would be in the receiver's time (field report 005). Linux sends what is held back when TCP_NODELAY is set.
fn push(lane: &Lane<'_>) {
    note_backlog(lane);
    // A peer that is gone needs no push.
    let _ = lane.socket.set_tcp_nodelay(true);
}

/// How much the kernel has yet to deliver now that the writing has ended.
fn note_backlog(lane: &Lane<'_>) {
    lane.counters
        .end_with(sock::unacked(lane.socket).unwrap_or(0).into());
}

/// Reads until the peer closes, or until stopped and drained.
pub fn receive(mut lane: Lane<'_>, mut sink: Sink) -> io::Result<()> {
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let mut last_data = 0;
    loop {
        let stopped = lane.control.stopped_ns();
        match sink.receive(lane.socket) {
            Ok(0) => {
                // The peer waits for its acknowledgement, which the kernel would hold back for some 40 ms. SCTP has
                // no such option.
                let _ = lane.socket.set_tcp_quickack(true);
                return Ok(());
            }
            Ok(count) => {
                last_data = lane.control.now_ns();
                lane.counters.started(last_data);
                lane.totals.bytes += count as u64;
                lane.totals.packets += 1;
                lane.publish(last_data);
                if stopped.is_some_and(|stopped| drain::overdue(last_data, stopped)) {
                    return Ok(());
                }
            }
            Err(error) if is_pause(&error) && sink.is_behind() => {
                let now = lane.control.now_ns();
                if stopped.is_some_and(|stopped| drain::overdue(now, stopped)) {
                    return Err(io::Error::new(
                        ErrorKind::TimedOut,
                        "what arrived could not be written to the file by the end of the test, since its reader does not keep up",
                    ));
                }
                lane.sleep_towards(now + LOOK_NS);
            }
            Err(error) if is_pause(&error) => {
                let idle_ns =
                    || drain::idle_ns(sock::tcp_info(lane.socket).map_or(0, |info| info.rtt_us));
                let now = lane.control.now_ns();
                if stopped.is_some_and(|stopped| drain::quiet(now, stopped, last_data, idle_ns())) {
                    return Ok(());
                }
            }
            Err(_) if lane.control.stopped() => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The socket's time-out or a signal: look around and go on.
fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
