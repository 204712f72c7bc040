//! Where the counted part of paced datagrams begins. Pure.
//!
//! The ends' clocks for the omitted part do not run out at the same moment, and what is due just then would count at
//! one end and not at the other; and a sender that is woken late sends what was due before after it. So it is the pace
//! that tells: what is due before the end of the omitted part is omitted, and both ends know its number. Where the
//! sender does not keep its pace, the time in the headers has to do.

use crate::worker::{Load, Timed};

/// A sender that is so far behind does not catch up.
const GRACE_NS: u64 = 500_000_000;
/// What a timer may be late.
const SLACK_NS: u64 = 20_000_000;

/// What to do with the totals before this datagram (or, for a sender, before the next one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Omitted, or the boundary was seen before.
    Same,
    /// The time is up, and the pace not yet: these totals are the boundary's if the pace is not kept.
    Perhaps,
    /// The counted part begins here.
    Begins,
    /// It began where [`Part::Perhaps`] was said.
    Began,
}

/// Watches for the begin of the counted part.
#[derive(Debug)]
pub struct Boundary {
    /// `None`: not paced, nothing omitted, or already seen.
    waits: Option<Waits>,
}

#[derive(Debug)]
struct Waits {
    /// Datagrams that are due before.
    omitted: u64,
    omit_ns: u64,
    gap_ns: u64,
    /// The sender's clock when its first datagram left.
    begun_ns: Option<u64>,
    perhaps: bool,
}

impl Boundary {
    pub fn of(load: &Load, timed: Option<Timed>) -> Self {
        let waits = match (load.bitrate, timed) {
            (Some(bitrate), Some(timed)) if bitrate > 0 && timed.omit_ns > 0 => {
                let burst = u64::from(load.burst.max(1));
                // Bits, times nanoseconds of a second.
                let datagram = load.block_size as u128 * 8 * 1_000_000_000;
                let bursts = (u128::from(timed.omit_ns) * u128::from(bitrate))
                    .div_ceil(datagram * u128::from(burst));
                let narrow = |wide| u64::try_from(wide).unwrap_or(u64::MAX);
                Some(Waits {
                    omitted: narrow(bursts).saturating_mul(burst),
                    omit_ns: timed.omit_ns,
                    gap_ns: narrow(datagram / u128::from(bitrate)),
                    begun_ns: None,
                    perhaps: false,
                })
            }
            _ => None,
        };
        Boundary { waits }
    }

    /// Whether the boundary is yet to come.
    pub fn waits(&self) -> bool {
        self.waits.is_some()
    }

    /// The datagram `sequence` leaves (or left) at `sent_ns` of the sender's clock.
    pub fn part(&mut self, sequence: u64, sent_ns: u64) -> Part {
        let Some(waits) = &mut self.waits else {
            return Part::Same;
        };
        let begun = *waits.begun_ns.get_or_insert_with(|| {
            // The first ones may be lost.
            let before = sequence.saturating_sub(1);
            sent_ns.saturating_sub(before.saturating_mul(waits.gap_ns))
        });
        let since = sent_ns.saturating_sub(begun);
        if sequence > waits.omitted {
            self.waits = None;
            return Part::Begins;
        }
        if since >= waits.omit_ns.saturating_add(GRACE_NS) {
            let known = waits.perhaps;
            self.waits = None;
            return if known { Part::Began } else { Part::Begins };
        }
        if !waits.perhaps && since >= waits.omit_ns.saturating_add(SLACK_NS) {
            waits.perhaps = true;
            return Part::Perhaps;
        }
        Part::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::tests::load;
    use nettest_report::params::Protocol;

    const MS: u64 = 1_000_000;

    fn boundary(bitrate: Option<u64>, omit_ms: u64) -> Boundary {
        let mut load = load(Protocol::Udp, 1000);
        load.bitrate = bitrate;
        let timed = Timed {
            omit_ns: omit_ms * MS,
            counted_ns: 1000 * MS,
        };
        Boundary::of(&load, Some(timed))
    }

    /// The first counted of these sequence numbers and times.
    fn first_counted(
        mut boundary: Boundary,
        sent: impl Iterator<Item = (u64, u64)>,
    ) -> Option<u64> {
        let mut perhaps = None;
        for (sequence, sent_ns) in sent {
            match boundary.part(sequence, sent_ns) {
                Part::Same => {}
                Part::Perhaps => perhaps = Some(sequence),
                Part::Begins => return Some(sequence),
                Part::Began => return perhaps,
            }
        }
        None
    }

    /// 8 ms apart: the one that is due at the very end of the omitted second is counted, however late the sender's
    /// timers were.
    #[test]
    fn a_datagram_that_is_due_at_the_boundary_is_counted() {
        for (first, other) in [(0, 0), (MS, 0), (0, MS), (3 * MS, 0), (0, 300 * MS)] {
            let sent = (0..200u64).map(|i| {
                let late = if i == 0 { first } else { other };
                (i + 1, 77 * MS + i * 8 * MS + late)
            });
            assert_eq!(
                first_counted(boundary(Some(1_000_000), 1000), sent),
                Some(126)
            );
        }
    }

    #[test]
    fn lost_first_datagrams_do_not_shift_it() {
        let sent = (10..200u64).map(|i| (i + 1, 77 * MS + i * 8 * MS));
        assert_eq!(
            first_counted(boundary(Some(1_000_000), 1000), sent),
            Some(126)
        );
    }

    #[test]
    fn a_sender_that_cannot_keep_its_pace_is_taken_by_its_time() {
        // A tenth of the pace: 80 ms apart, and 20 ms are a timer's lateness.
        let sent = (0..60u64).map(|i| (i + 1, i * 80 * MS));
        assert_eq!(
            first_counted(boundary(Some(1_000_000), 1000), sent),
            Some(14)
        );
    }

    #[test]
    fn bursts_are_whole_on_either_side() {
        let mut load = load(Protocol::Udp, 1000);
        load.bitrate = Some(1_000_000);
        load.burst = 10;
        let timed = Timed {
            omit_ns: 1000 * MS,
            counted_ns: 1000 * MS,
        };
        let sent = (0..400u64).map(|i| (i + 1, i / 10 * 80 * MS));
        assert_eq!(
            first_counted(Boundary::of(&load, Some(timed)), sent),
            Some(131)
        );
    }

    #[test]
    fn without_a_pace_or_an_omitted_part_there_is_none() {
        let sent = || (0..400u64).map(|i| (i + 1, i * 8 * MS));
        assert_eq!(first_counted(boundary(None, 1000), sent()), None);
        assert_eq!(first_counted(boundary(Some(1_000_000), 0), sent()), None);
    }
}
