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

/// What several datagrams turned out to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Seen for the first time.
    pub new: u64,
    pub foreign: u64,
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

    /// Numbers that follow one another, of which `raw` is the first: as many calls of [`Self::arrive`], in a tenth of the
    /// time where they are the next ones.
    pub fn arrive_run(&mut self, raw: u64, count: u64, width: Width) -> Counted {
        let next = match width {
            Width::Bits32 => (raw as u32).wrapping_sub(self.highest as u32) == 1,
            Width::Bits64 => raw.wrapping_sub(self.highest) == 1,
        };
        let Some(last) = self.highest.checked_add(count).filter(|_| next) else {
            let mut counted = Counted::default();
            for number in (0..count).map(|step| raw.wrapping_add(step)) {
                match self.arrive(number, width) {
                    Arrival::Ahead | Arrival::Late => counted.new += 1,
                    Arrival::Foreign => counted.foreign += 1,
                    Arrival::Duplicate | Arrival::TooLate => {}
                }
            }
            return counted;
        };
        let mut number = self.highest + 1;
        while number <= last {
            let (word, bit) = Self::place(number);
            let (here, wanted) = (64 - u64::from(bit.trailing_zeros()), last - number + 1);
            let taken = here.min(wanted);
            // All of them are seen, whatever is left here of one window ago.
            self.seen[word] |= (u64::MAX >> (64 - taken)) << bit.trailing_zeros();
            number += taken;
        }
        self.highest = last;
        self.received += count;
        Counted {
            new: count,
            foreign: 0,
        }
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
mod tests;
