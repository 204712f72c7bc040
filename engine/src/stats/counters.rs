//! The figures of one stream: written by its data thread, read by anybody, without a lock.

use super::{Jitter, SequenceTracker};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::time::Duration;

/// The figures of one stream since its first byte. Nothing is ever reset: the omitted part and the interval
/// rows are differences of two snapshots (see [`Snapshot::since`]).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Snapshot {
    /// Payload bytes. A UDP receiver counts each datagram once: a duplicate adds to `duplicates` only, so that
    /// received never exceeds sent.
    pub bytes: u64,
    /// UDP: datagrams sent, or distinct datagrams received. TCP: writes or reads.
    pub packets: u64,
    /// UDP: highest sequence number sent or seen.
    pub highest_seq: u64,
    /// UDP receiver: numbers up to `highest_seq` that have not arrived (yet): a late one takes 1 off again.
    pub lost: u64,
    /// UDP receiver: datagrams that arrived behind a later one.
    pub out_of_order: u64,
    /// UDP receiver: datagrams that had already arrived.
    pub duplicates: u64,
    /// UDP receiver: the RFC 3550 estimate, a state and not a sum.
    pub jitter_ns: u64,
    /// UDP receiver: dropped by this socket's full buffer (a part of `lost`), where the kernel tells. Exact at rates
    /// where datagrams come one by one, else see [`StreamCounters::datagrams_in`].
    pub socket_drops: Option<u64>,
}

impl Snapshot {
    /// What happened since `earlier`. `lost` may have shrunk in between (late datagrams of the part before);
    /// it is then 0, never negative. `jitter_ns` is the present estimate.
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        Snapshot {
            bytes: self.bytes.saturating_sub(earlier.bytes),
            packets: self.packets.saturating_sub(earlier.packets),
            highest_seq: self.highest_seq.saturating_sub(earlier.highest_seq),
            lost: self.lost.saturating_sub(earlier.lost),
            out_of_order: self.out_of_order.saturating_sub(earlier.out_of_order),
            duplicates: self.duplicates.saturating_sub(earlier.duplicates),
            jitter_ns: self.jitter_ns,
            socket_drops: match (self.socket_drops, earlier.socket_drops) {
                (Some(now), Some(then)) => Some(now.saturating_sub(then)),
                (now, _) => now,
            },
        }
    }
}

impl Snapshot {
    /// What a receiver of datagrams knows of their numbers and times.
    pub fn note(&mut self, tracker: &SequenceTracker, jitter: &Jitter) {
        self.highest_seq = tracker.highest();
        self.lost = tracker.lost();
        self.out_of_order = tracker.out_of_order();
        self.duplicates = tracker.duplicates();
        self.jitter_ns = jitter.estimate_ns();
    }
}

/// Relaxed atomics with one writer. A sequence lock makes a snapshot consistent (bytes, packets and loss of the
/// same batch) without stopping the writer. On a cache line pair of its own: neighbours would slow each other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct StreamCounters {
    version: AtomicU64,
    bytes: AtomicU64,
    packets: AtomicU64,
    highest_seq: AtomicU64,
    lost: AtomicU64,
    out_of_order: AtomicU64,
    duplicates: AtomicU64,
    jitter_ns: AtomicU64,
    /// Nanoseconds of the run's clock, plus 1; 0: none yet.
    first: AtomicU64,
    last: AtomicU64,
    /// Datagrams that are none of ours: too short, number 0, absurd number.
    malformed: AtomicU64,
    /// What the kernel handed over as one, and the datagrams in it.
    messages: AtomicU64,
    datagrams: AtomicU64,
    /// The totals where the counted part begins, when the stream itself decides that.
    mark: OnceLock<Snapshot>,
    /// A sender's file is sent to its end.
    complete: AtomicBool,
    /// What the peer had not acknowledged when the writing ended.
    backlog: AtomicU64,
}

/// Reads at once; then a writer was preempted in mid-publication, and the reader makes room for it.
const QUICK_TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_micros(50);
/// Reads before a torn snapshot is accepted: a second of pauses.
const ALL_TRIES: u32 = 20_000;

impl StreamCounters {
    /// The figures now. `socket_drops` is the socket's affair and stays `None` here.
    pub fn snapshot(&self) -> Snapshot {
        let mut tries = 0;
        loop {
            let before = self.version.load(Ordering::Acquire);
            let snapshot = Snapshot {
                bytes: self.bytes.load(Ordering::Relaxed),
                packets: self.packets.load(Ordering::Relaxed),
                highest_seq: self.highest_seq.load(Ordering::Relaxed),
                lost: self.lost.load(Ordering::Relaxed),
                out_of_order: self.out_of_order.load(Ordering::Relaxed),
                duplicates: self.duplicates.load(Ordering::Relaxed),
                jitter_ns: self.jitter_ns.load(Ordering::Relaxed),
                socket_drops: None,
            };
            fence(Ordering::Acquire);
            tries += 1;
            let stable = before.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == before;
            match tries {
                _ if stable => return snapshot,
                ALL_TRIES.. => return snapshot,
                QUICK_TRIES.. => std::thread::sleep(PAUSE),
                _ => std::hint::spin_loop(),
            }
        }
    }

    /// Publishes the totals of the one writing thread; `now_ns` is the run's clock at this batch.
    pub fn publish(&self, totals: &Snapshot, now_ns: u64) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.bytes.store(totals.bytes, Ordering::Relaxed);
        self.packets.store(totals.packets, Ordering::Relaxed);
        self.highest_seq
            .store(totals.highest_seq, Ordering::Relaxed);
        self.lost.store(totals.lost, Ordering::Relaxed);
        self.out_of_order
            .store(totals.out_of_order, Ordering::Relaxed);
        self.duplicates.store(totals.duplicates, Ordering::Relaxed);
        self.jitter_ns.store(totals.jitter_ns, Ordering::Relaxed);
        self.version.store(version + 2, Ordering::Release);
        self.last.store(now_ns + 1, Ordering::Relaxed);
    }

    /// Notes when the first byte moved; later calls change nothing.
    pub fn started(&self, now_ns: u64) {
        if self.first.load(Ordering::Relaxed) == 0 {
            self.first.store(now_ns + 1, Ordering::Relaxed);
        }
    }

    /// Nanoseconds of the run's clock at the first and the latest data.
    pub fn first_last(&self) -> (Option<u64>, Option<u64>) {
        let read = |cell: &AtomicU64| cell.load(Ordering::Relaxed).checked_sub(1);
        (read(&self.first), read(&self.last))
    }

    pub fn add_malformed(&self, count: u64) {
        self.malformed.fetch_add(count, Ordering::Relaxed);
    }

    /// Datagrams that were not counted as data.
    pub fn malformed(&self) -> u64 {
        self.malformed.load(Ordering::Relaxed)
    }

    pub fn add_messages(&self, messages: u64, datagrams: u64) {
        self.messages.fetch_add(messages, Ordering::Relaxed);
        self.datagrams.fetch_add(datagrams, Ordering::Relaxed);
    }

    /// Datagrams in `dropped` messages: the kernel counts what it merged (UDP_GRO) as one when it drops it. Exact
    /// while nothing was merged; else by the average of those that arrived.
    pub fn datagrams_in(&self, dropped: u64) -> u64 {
        let messages = self.messages.load(Ordering::Relaxed);
        let datagrams = self.datagrams.load(Ordering::Relaxed).max(messages);
        let product = u128::from(dropped) * u128::from(datagrams);
        let average = product
            .checked_div(u128::from(messages))
            .unwrap_or(u128::from(dropped));
        u64::try_from(average).unwrap_or(u64::MAX)
    }

    /// Notes the totals where the counted part begins; once.
    pub fn mark(&self, totals: &Snapshot) {
        let _ = self.mark.set(*totals);
    }

    /// The totals where the counted part begins: what to subtract for an exact `-O`.
    pub fn marked(&self) -> Option<Snapshot> {
        self.mark.get().copied()
    }

    /// All of the file is sent.
    pub fn complete(&self) {
        self.complete.store(true, Ordering::Release);
    }

    pub fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }

    /// The writing has ended, and the peer has yet to acknowledge so many bytes.
    pub fn end_with(&self, backlog: u64) {
        self.backlog.store(backlog, Ordering::Relaxed);
    }

    pub fn backlog(&self) -> u64 {
        self.backlog.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn rows_are_differences_and_never_negative() {
        let omitted = Snapshot {
            bytes: 100,
            packets: 4,
            lost: 3,
            socket_drops: Some(2),
            ..Snapshot::default()
        };
        let later = Snapshot {
            bytes: 150,
            packets: 9,
            lost: 1,
            socket_drops: Some(2),
            ..Snapshot::default()
        };
        let row = later.since(&omitted);
        assert_eq!(
            (row.bytes, row.packets, row.lost, row.socket_drops),
            (50, 5, 0, Some(0))
        );
    }

    /// A week at 100 Gbit/s: nothing is cut to 32 bits, and nothing loses its last digit as a float would.
    #[test]
    fn counts_past_two_to_the_fortieth_bytes_are_exact() {
        let counters = StreamCounters::default();
        let before = Snapshot {
            bytes: (1 << 40) - 1,
            packets: (1 << 31) - 1,
            highest_seq: (1 << 32) - 1,
            lost: (1 << 31) - 1,
            ..Snapshot::default()
        };
        let after = Snapshot {
            bytes: (1 << 55) + 1,
            packets: (1 << 45) + 1,
            highest_seq: (1 << 46) + 1,
            lost: (1 << 45),
            ..Snapshot::default()
        };
        counters.publish(&before, 1);
        assert_eq!(counters.snapshot(), before);
        counters.publish(&after, u64::MAX - 1);
        assert_eq!(counters.snapshot(), after);
        let part = after.since(&before);
        assert_eq!(part.bytes, (1 << 55) + 2 - (1 << 40));
        assert_eq!(part.packets, (1 << 45) + 2 - (1 << 31));
        assert_eq!(counters.datagrams_in(1 << 40), 1 << 40);
        counters.add_messages(1 << 50, 64 << 50);
        assert_eq!(counters.datagrams_in(1 << 40), 64 << 40);
    }

    #[test]
    fn dropped_messages_are_weighed_by_what_the_others_carried() {
        let counters = StreamCounters::default();
        assert_eq!(counters.datagrams_in(3), 3);
        counters.add_messages(10, 10);
        assert_eq!(counters.datagrams_in(3), 3, "nothing merged: exact");
        counters.add_messages(10, 450);
        assert_eq!(counters.datagrams_in(2), 46);
    }

    #[test]
    fn a_snapshot_is_never_torn_between_bytes_and_packets() {
        let counters = Arc::new(StreamCounters::default());
        let done = Arc::new(AtomicBool::new(false));
        let writer = std::thread::spawn({
            let (counters, done) = (counters.clone(), done.clone());
            move || {
                for packets in 1..200_000u64 {
                    let totals = Snapshot {
                        bytes: packets * 1448,
                        packets,
                        ..Snapshot::default()
                    };
                    counters.publish(&totals, packets);
                }
                done.store(true, Ordering::Relaxed);
            }
        });
        let mut last = 0;
        while !done.load(Ordering::Relaxed) {
            let seen = counters.snapshot();
            assert_eq!(seen.bytes, seen.packets * 1448);
            assert!(seen.packets >= last, "totals never go back");
            last = seen.packets;
        }
        writer.join().unwrap();
        assert_eq!(counters.snapshot().packets, 199_999);
    }
}
