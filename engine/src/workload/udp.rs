//! Numbered datagrams, in batches.

use super::omit::{Boundary, Part};
use super::pacing::{Pace, Turn};
use super::{Header, Lane, drain, width};
use crate::sock::{ReceiveBatch, SendBatch};
use crate::stats::{Counted, Jitter, SequenceTracker, Snapshot, Width};
use crate::worker::Load;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// Pause after the device's queue refused a datagram: sooner, it is still full.
const QUEUE_FULL_PAUSE_NS: u64 = 100_000;

/// A receiver that is faster than an unlimited sender would be woken up for each message, which costs the sender (on one
/// machine) or the interrupt's CPU as much as a tenth of its time: it naps instead, and finds several.
const NAP: Duration = Duration::from_micros(50);
/// Only where data comes at least so often: else a nap would be seen in the jitter and gain nothing.
const BUSY_NS: u64 = 200_000;
/// Only where the socket holds what comes meanwhile, bytes as the kernel counts them: at 60 Gbit/s a nap and a late wake
/// are 1 MiB.
const NAP_ROOM: usize = 4 << 20;

/// Sends until stopped or the budget is used up.
pub fn send(mut lane: Lane<'_>, load: &Load, pace: Pace) -> io::Result<()> {
    let width = width(load);
    let mut batch = SendBatch::new(lane.socket, lane.block, |buffer| load.payload.fill(buffer))?;
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let begun = lane.control.now_ns();
    let mut pacer = pace.of_datagrams(lane.block, begun);
    let timed = lane.control.timed();
    let mut omitted = Omitted::new(Boundary::of(load, timed));
    let omit_end = begun.saturating_add(timed.map_or(0, |timed| timed.omit_ns));
    if let Some(timed) = timed {
        let end = omit_end.saturating_add(timed.counted_ns);
        pacer = pacer.map(|pacer| pacer.until(end));
    }
    lane.begin(begun);
    // Datagrams that may leave by the pacing, and what is left of those that the budget gave.
    let (mut allowed, mut left) = (0usize, 0usize);
    while !lane.control.stopped() {
        if let Some(pacer) = &mut pacer
            && allowed == 0
        {
            if omitted.ends(&lane, lane.totals.packets + 1, lane.control.now_ns()) {
                // The counted part begins like a test of its own.
                pacer.restart(omit_end);
            }
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
                if !lane.goes_on() {
                    return Ok(());
                }
                if let Some(pacer) = &mut pacer {
                    pacer.restart(lane.control.now_ns());
                }
                continue;
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
    lane.end();
    Ok(())
}

/// Receives until stopped and drained.
pub fn receive(mut lane: Lane<'_>, load: &Load) -> io::Result<()> {
    let width = width(load);
    let mut batch = ReceiveBatch::new(lane.socket);
    if load.skip_rx_copy && !batch.is_merged() {
        // A merged message has to be read as a whole, since each datagram in it has a header: with UDP_GRO there is
        // nothing to skip, and to do without it would cost far more than the copy (13 times the datagrams). Datagrams
        // above half of a message's size are never merged, and these are the ones whose copy counts.
        batch = ReceiveBatch::heads();
    }
    let mut tracker = SequenceTracker::default();
    let mut jitter = Jitter::default();
    if !lane.control.wait_for_start() {
        return Ok(());
    }
    let mut omitted = Omitted::new(Boundary::of(load, lane.control.timed()));
    // What is paced is measured as it comes.
    let may_nap = load.bitrate.is_none()
        && !load.kernel_paced
        && lane
            .socket
            .recv_buffer_size()
            .is_ok_and(|room| room >= NAP_ROOM);
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
        let mut run: Option<Run> = None;
        for datagram in batch.datagrams() {
            datagrams += 1;
            let Some(header) = Header::read(datagram.bytes, width) else {
                malformed += 1;
                continue;
            };
            // At the end of the omitted part each counts for itself.
            let next = run.as_mut().filter(|_| !omitted.waits());
            if next.is_some_and(|run| run.take(header, datagram.length)) {
                continue;
            }
            if let Some(run) = run.take() {
                malformed += run.arrive(&mut lane.totals, &mut tracker, &mut jitter, now, width);
            }
            if omitted.waits() {
                lane.totals.note(&tracker, &jitter);
                omitted.ends(&lane, header.sequence, header.sent_ns);
            }
            run = Some(Run {
                first: header,
                length: datagram.length,
                count: 1,
            });
        }
        if let Some(run) = run {
            malformed += run.arrive(&mut lane.totals, &mut tracker, &mut jitter, now, width);
        }
        lane.counters
            .add_messages(batch.messages() as u64, datagrams);
        if malformed > 0 {
            lane.counters.add_malformed(malformed);
        }
        let mut naps = false;
        if lane.totals.packets > before {
            let busy = now.saturating_sub(last_data) < BUSY_NS;
            naps = may_nap && busy && batch.is_drained() && stopped.is_none();
            last_data = now;
            lane.counters.started(now);
        }
        lane.totals.note(&tracker, &jitter);
        if last_data > 0 {
            lane.publish(last_data);
        }
        if stopped.is_some_and(|stopped| drain::overdue(now, stopped)) {
            return Ok(());
        }
        if naps {
            std::thread::sleep(NAP);
        }
    }
}

/// Datagrams of one size that follow one another and left together, as one send of a peer gives: most of them, and it
/// takes a few instructions to see.
struct Run {
    first: Header,
    length: usize,
    count: u64,
}

impl Run {
    /// False: it is none of this run.
    fn take(&mut self, header: Header, length: usize) -> bool {
        let next = header.sequence == self.first.sequence.wrapping_add(self.count)
            && header.sent_ns == self.first.sent_ns
            && length == self.length;
        self.count += u64::from(next);
        next
    }

    /// Counts them; tells how many are none of this stream.
    fn arrive(
        self,
        totals: &mut Snapshot,
        tracker: &mut SequenceTracker,
        jitter: &mut Jitter,
        now: u64,
        width: Width,
    ) -> u64 {
        let Counted { new, foreign } = tracker.arrive_run(self.first.sequence, self.count, width);
        totals.bytes += new * self.length as u64;
        totals.packets += new;
        if new > 0 {
            jitter.arrive_together(new, self.first.sent_ns as i64, now as i64);
        }
        foreign
    }
}

/// The totals at the end of the omitted part.
struct Omitted {
    boundary: Boundary,
    perhaps: Snapshot,
}

impl Omitted {
    fn new(boundary: Boundary) -> Self {
        Omitted {
            boundary,
            perhaps: Snapshot::default(),
        }
    }

    fn waits(&self) -> bool {
        self.boundary.waits()
    }

    /// Marks the lane's totals when the datagram `sequence` is the first of the counted part; true then.
    fn ends(&mut self, lane: &Lane<'_>, sequence: u64, sent_ns: u64) -> bool {
        match self.boundary.part(sequence, sent_ns) {
            Part::Same => return false,
            Part::Perhaps => {
                self.perhaps = lane.totals;
                return false;
            }
            Part::Begins => lane.counters.mark(&lane.totals),
            Part::Began => lane.counters.mark(&self.perhaps),
        }
        true
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
