//! A TCP stream: one buffer that stays in the cache, written or read again and again.

use super::pacing::{Pace, Turn};
use super::{Lane, drain, payload};
use crate::sock;
use std::io::{self, ErrorKind, Read};

/// A reader takes what is there: a small block of the peer needs no small reads.
const LEAST_READ: usize = 128 * 1024;

/// Writes until stopped or the budget is used up.
pub fn send(mut lane: Lane<'_>, pace: Pace) -> io::Result<()> {
    let mut buffer = vec![0; lane.block];
    payload::fill(&mut buffer);
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let begun = lane.control.now_ns();
    let mut pacer = pace.of_stream(lane.block, begun);
    lane.counters.started(begun);
    // Bytes that may leave by the pacing, and what is left of the block that the budget gave.
    let (mut allowed, mut granted, mut left) = (0usize, 0usize, 0usize);
    while !lane.control.stopped() {
        if left == 0 {
            lane.wrote(granted as u64);
            granted = lane.may_write();
            left = granted;
            if granted == 0 {
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
        match lane
            .socket
            .send_with_flags(&buffer[..left.min(allowed)], libc::MSG_NOSIGNAL)
        {
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
    Ok(())
}

/// Reads until the peer closes, or until stopped and drained.
pub fn receive(mut lane: Lane<'_>) -> io::Result<()> {
    let mut buffer = vec![0; lane.block.max(LEAST_READ)];
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let mut last_data = 0;
    let mut socket = lane.socket;
    loop {
        let stopped = lane.control.stopped_ns();
        match socket.read(&mut buffer) {
            Ok(0) => return Ok(()),
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
