//! Which of the numbered datagrams arrived.
//!
//! iperf3 takes every late number for a reordered one and lowers its loss, so a duplicate hides a real loss and the
//! loss may go below zero (esnet/iperf#914, #457). Here a bitmap of the latest numbers tells a late datagram from a
//! duplicate, and `lost` is derived: numbers up to the highest, less the distinct ones that arrived.

/// Numbers that are remembered. At 86 000 datagrams a second (1 Gbit/s of 1448 bytes) that is 3 s of reordering, in
/// 32 KiB of which only the part in use is touched.
const WINDOW: u64 = 1 << 18;
const WORDS: usize = (WINDOW / 64) as usize;

/// A jump ahead that no loss explains: not a number of our stream.
const ABSURD_JUMP: i64 = 1 << 31;

/// Bits of the sequence number in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Bits32,
    Bits64,
}

/// What one datagram turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The highest number so far.
    Ahead,
    /// Behind a later one, first time seen.
    Late,
    /// Already arrived.
    Duplicate,
    /// Behind the remembered window: late for sure, but perhaps a duplicate, so it stays counted as lost.
    TooLate,
    /// Number 0, or an absurd jump: not counted at all.
    Foreign,
}

/// The state of one receiving stream. Numbers begin at 1.
#[derive(Debug)]
pub struct SequenceTracker {
    highest: u64,
    received: u64,
    out_of_order: u64,
    duplicates: u64,
    seen: Box<[u64; WORDS]>,
}

impl Default for SequenceTracker {
    fn default() -> Self {
        SequenceTracker {
            highest: 0,
            received: 0,
            out_of_order: 0,
            duplicates: 0,
            seen: Box::new([0; WORDS]),
        }
    }
}

impl SequenceTracker {
    /// Takes the number as it stands in the header. 32-bit numbers wrap after 2^32 datagrams (20 minutes at
    /// 3.4 Mpps), so they are read as the one nearest to the highest so far.
    pub fn arrive(&mut self, raw: u64, width: Width) -> Arrival {
        let step = match width {
            Width::Bits32 => i64::from((raw as u32).wrapping_sub(self.highest as u32) as i32),
            Width::Bits64 => raw.wrapping_sub(self.highest) as i64,
        };
        if step >= ABSURD_JUMP {
            return Arrival::Foreign;
        }
        let Some(number) = self
            .highest
            .checked_add_signed(step)
            .filter(|number| *number > 0)
        else {
            return Arrival::Foreign;
        };
        if step > 0 {
            self.forget(self.highest + 1, number);
            self.highest = number;
            self.remember(number);
            self.received += 1;
            return Arrival::Ahead;
        }
        if step.unsigned_abs() >= WINDOW {
            self.out_of_order += 1;
            return Arrival::TooLate;
        }
        if self.has_seen(number) {
            self.duplicates += 1;
            return Arrival::Duplicate;
        }
        self.remember(number);
        self.received += 1;
        self.out_of_order += 1;
        Arrival::Late
    }

    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Distinct datagrams.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Never negative: `received` counts distinct numbers of 1..=highest.
    pub fn lost(&self) -> u64 {
        self.highest - self.received
    }

    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    fn place(number: u64) -> (usize, u64) {
        let slot = number % WINDOW;
        ((slot / 64) as usize, 1 << (slot % 64))
    }

    fn has_seen(&self, number: u64) -> bool {
        let (word, bit) = Self::place(number);
        self.seen[word] & bit != 0
    }

    fn remember(&mut self, number: u64) {
        let (word, bit) = Self::place(number);
        self.seen[word] |= bit;
    }

    /// Clears the places of `from..to`: they still hold numbers of one window ago.
    fn forget(&mut self, from: u64, to: u64) {
        if to - from >= WINDOW {
            self.seen.fill(0);
            return;
        }
        let mut number = from;
        while number < to {
            let (word, bit) = Self::place(number);
            if bit == 1 && to - number >= 64 {
                self.seen[word] = 0;
                number += 64;
            } else {
                self.seen[word] &= !bit;
                number += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn feed(numbers: impl IntoIterator<Item = u64>) -> SequenceTracker {
        let mut tracker = SequenceTracker::default();
        for number in numbers {
            tracker.arrive(number, Width::Bits32);
        }
        tracker
    }

    #[test]
    fn field_report_025_swapped_pairs_are_reordered_not_lost() {
        let mut numbers: Vec<u64> = (1..=1000).collect();
        for pair in 0..40 {
            numbers.swap(10 + pair * 20, 11 + pair * 20);
        }
        let tracker = feed(numbers);
        assert_eq!(
            (tracker.lost(), tracker.out_of_order(), tracker.duplicates()),
            (0, 40, 0)
        );
    }

    #[test]
    fn field_report_026_duplicates_never_hide_a_loss() {
        let mut numbers: Vec<u64> = (1..=1000).filter(|n| !(100..130).contains(n)).collect();
        let at = numbers.iter().position(|n| *n == 500).unwrap();
        numbers.swap(at, at + 1);
        numbers.extend([250; 5]);
        let tracker = feed(numbers);
        assert_eq!(
            (tracker.lost(), tracker.duplicates(), tracker.out_of_order()),
            (30, 5, 1)
        );
        assert_eq!((tracker.received(), tracker.highest()), (970, 1000));
    }

    #[test]
    fn thirty_two_bit_numbers_go_on_after_their_wrap() {
        let mut tracker = SequenceTracker {
            highest: u64::from(u32::MAX) - 1,
            ..Default::default()
        };
        tracker.received = tracker.highest;
        for raw in [u64::from(u32::MAX), 0, 2, 1] {
            tracker.arrive(raw, Width::Bits32);
        }
        assert_eq!(tracker.highest(), u64::from(u32::MAX) + 3);
        assert_eq!((tracker.lost(), tracker.out_of_order()), (0, 1));
    }

    #[test]
    fn foreign_numbers_are_left_out() {
        let mut tracker = SequenceTracker::default();
        assert_eq!(tracker.arrive(0, Width::Bits64), Arrival::Foreign);
        assert_eq!(tracker.arrive(u64::MAX, Width::Bits64), Arrival::Foreign);
        assert_eq!(tracker.arrive(1 << 40, Width::Bits64), Arrival::Foreign);
        assert_eq!(
            tracker.arrive(u64::from(u32::MAX), Width::Bits32),
            Arrival::Foreign
        );
        assert_eq!(
            (tracker.highest(), tracker.received(), tracker.lost()),
            (0, 0, 0)
        );
    }

    #[test]
    fn older_than_the_window_stays_lost() {
        let mut tracker = feed([1, 3, 3 + WINDOW]);
        assert_eq!(tracker.arrive(2, Width::Bits32), Arrival::TooLate);
        assert_eq!(tracker.lost(), WINDOW);
        assert_eq!(tracker.arrive(4, Width::Bits32), Arrival::Late);
        assert_eq!(tracker.lost(), WINDOW - 1);
    }

    proptest! {
        /// Against the plain definition, over jumps that cross the window's words.
        #[test]
        fn agrees_with_a_set(steps in proptest::collection::vec(-200i64..400, 1..500)) {
            let mut tracker = SequenceTracker::default();
            let (mut seen, mut highest, mut duplicates, mut late) = (HashSet::new(), 0u64, 0u64, 0u64);
            for step in steps {
                let number = (highest as i64 + step).max(1) as u64;
                tracker.arrive(number, Width::Bits64);
                if !seen.insert(number) {
                    duplicates += 1;
                } else if number < highest {
                    late += 1;
                }
                highest = highest.max(number);
            }
            prop_assert_eq!(tracker.highest(), highest);
            prop_assert_eq!(tracker.received(), seen.len() as u64);
            prop_assert_eq!(tracker.lost(), highest - seen.len() as u64);
            prop_assert_eq!(tracker.duplicates(), duplicates);
            prop_assert_eq!(tracker.out_of_order(), late);
        }
    }
}
