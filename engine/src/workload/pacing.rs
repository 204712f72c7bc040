//! When the next blocks may leave. Pure: the time is an argument.
//!
//! A deadline moves on by the wire time of what was sent, so the average is exact however late a sleep ends, and the
//! gaps are as even as the timer allows. iperf3 compares totals at fixed ticks instead, which clumps (esnet/iperf
//! #936) and is far off at low rates (#467, #1052).

/// What was asked with `-b RATE/BURST`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Bits per second; `None`: unlimited.
    pub bitrate: Option<u64>,
    /// Blocks back to back; 0 and 1: one.
    pub burst: u32,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Send this many bytes: a multiple of the chunk.
    Send(usize),
    /// Nothing before this reading of the clock, nanoseconds.
    Wait(u64),
}

/// Deadline of one stream. Times are nanoseconds; the deadline has 40 more bits, since a byte at 100 Gbit/s takes
/// 0.08 ns and a day has 10^15 of them.
#[derive(Debug)]
pub struct Pacer {
    byte_fp: u128,
    chunk: usize,
    chunk_ns: u64,
    /// Chunks that may leave together when late.
    catch_up: u64,
    /// Chunks that a late wake within a run may find allowed at the most.
    clump: u64,
    /// Chunks given since this stream fell behind, and when the first of them was.
    run: u64,
    run_from_ns: u64,
    /// Whole bursts were asked for.
    burst: bool,
    next_fp: u128,
    /// Nothing is due from here on.
    end_fp: u128,
    hold_ns: u64,
}

const FRACTION: u32 = 40;
/// A stall of up to this is made good, so that a busy machine still keeps the average.
const MAX_LAG_NS: u64 = 1_000_000_000;
/// Made good in pieces of at most this much wire time, at most twice the rate: a stall must not end in one clump.
const CATCH_UP_NS: u64 = 1_000_000;
/// What a late wake may send at once while a stall is made good, wire time: a machine with more threads than CPUs wakes
/// each of them some ms late, and small pieces alone would then not even keep the rate.
const LONGEST_CLUMP_NS: u64 = 20_000_000;
/// Shorter gaps are slept through together: each wake costs more than a datagram, and at 1 Gbit/s one for each would
/// take most of a CPU. A fifth of iperf3's default (`--pacing-timer`, 1 ms), hence a fifth of its bursts.
const LEAST_SLEEP_NS: u64 = 200_000;
/// A TCP block shrinks to this much wire time at low rates (at least 16 bytes): 128 KiB at 1 kbit/s would be 17 min.
const TCP_CHUNK_NS: u64 = 10_000_000;
const LEAST_TCP_CHUNK: usize = 16;

impl Pace {
    /// The pacer of a byte stream: blocks shrink at low rates, unless a burst asks for whole ones.
    pub fn of_stream(self, block: usize, now_ns: u64) -> Option<Pacer> {
        let bitrate = self.bitrate.filter(|rate| *rate > 0)?;
        let chunk = if self.burst > 1 {
            block.saturating_mul(self.burst as usize)
        } else {
            let bytes = u128::from(bitrate) * u128::from(TCP_CHUNK_NS) / 8_000_000_000;
            usize::try_from(bytes)
                .unwrap_or(usize::MAX)
                .max(LEAST_TCP_CHUNK)
                .min(block)
        };
        Some(Pacer::new(bitrate, chunk, self.burst > 1, now_ns))
    }

    /// The pacer of datagrams.
    pub fn of_datagrams(self, block: usize, now_ns: u64) -> Option<Pacer> {
        let bitrate = self.bitrate.filter(|rate| *rate > 0)?;
        let chunk = block.saturating_mul(self.burst.max(1) as usize);
        Some(Pacer::new(bitrate, chunk, self.burst > 1, now_ns))
    }
}

impl Pacer {
    fn new(bitrate: u64, chunk: usize, burst: bool, now_ns: u64) -> Self {
        // Rounded up: what was asked is never exceeded.
        let byte_fp = (8_000_000_000u128 << FRACTION).div_ceil(u128::from(bitrate));
        let chunk_ns = u64::try_from((chunk as u128 * byte_fp) >> FRACTION)
            .unwrap_or(u64::MAX)
            .max(1);
        // A burst is asked for as such: never two of them at once.
        let catch_up = if burst {
            1
        } else {
            (CATCH_UP_NS / chunk_ns).max(1)
        };
        let clump = if burst {
            1
        } else {
            (LONGEST_CLUMP_NS / chunk_ns).max(catch_up)
        };
        let next_fp = u128::from(now_ns) << FRACTION;
        Pacer {
            byte_fp,
            chunk,
            chunk_ns,
            catch_up,
            clump,
            run: 0,
            run_from_ns: now_ns,
            burst,
            next_fp,
            end_fp: u128::MAX,
            hold_ns: 0,
        }
    }

    /// The number of chunks that is nearest to what rate and time ask for, and at least one, however late the stop
    /// comes: a test of 3 s with a datagram each 250 ms has 12 of them, and with one each 249.8 ms too, although a
    /// 13th would still begin.
    pub fn until(mut self, end_ns: u64) -> Self {
        let half_chunk = self.chunk as u128 * self.byte_fp / 2;
        let end = (u128::from(end_ns) << FRACTION).saturating_sub(half_chunk);
        self.end_fp = end.max(self.next_fp + 1);
        self
    }

    /// The next chunk is due at `at_ns`.
    pub fn restart(&mut self, at_ns: u64) {
        self.next_fp = u128::from(at_ns) << FRACTION;
    }

    /// Chunks that are still due before the end.
    fn left(&self) -> u64 {
        let time = self.end_fp.saturating_sub(self.next_fp);
        let chunk = (self.chunk as u128 * self.byte_fp).max(1);
        u64::try_from(time.div_ceil(chunk)).unwrap_or(u64::MAX)
    }

    /// What may leave at `now_ns`. `most` is what the caller can send at once; a chunk above it comes as a whole and
    /// is the caller's to split.
    pub fn turn(&mut self, now_ns: u64, most: usize) -> Turn {
        let next_ns = u64::try_from(self.next_fp >> FRACTION).unwrap_or(u64::MAX);
        if self.next_fp >= self.end_fp {
            return Turn::Wait(u64::MAX);
        }
        if now_ns < self.hold_ns {
            return Turn::Wait(self.hold_ns);
        }
        if now_ns < next_ns {
            self.run = 0;
            let least = if self.chunk_ns < LEAST_SLEEP_NS {
                now_ns + LEAST_SLEEP_NS
            } else {
                0
            };
            return Turn::Wait(next_ns.max(least));
        }
        let lag = now_ns - next_ns;
        if lag > MAX_LAG_NS {
            self.next_fp = u128::from(now_ns - MAX_LAG_NS) << FRACTION;
        }
        let due = lag.min(MAX_LAG_NS) / self.chunk_ns + 1;
        if self.run == 0 {
            self.run_from_ns = now_ns;
        }
        // Twice the rate since the run began, however late the wakes within it come.
        let twice = now_ns.saturating_sub(self.run_from_ns).saturating_mul(2) / self.chunk_ns
            + self.catch_up;
        self.run = self.run.max(twice.saturating_sub(self.clump));
        let chunks = due
            .min(twice.saturating_sub(self.run))
            .min((most / self.chunk) as u64)
            .min(self.left())
            .max(1);
        self.run += chunks;
        if due <= chunks {
            self.run = 0;
        } else if (self.burst || lag > CATCH_UP_NS) && self.run >= twice {
            let wire_ns = self.chunk_ns.saturating_mul(self.run);
            self.hold_ns = self.run_from_ns.saturating_add(wire_ns / 2);
        }
        Turn::Send(chunks as usize * self.chunk)
    }

    /// Moves the deadline by what left.
    pub fn sent(&mut self, bytes: u64) {
        self.next_fp += u128::from(bytes) * self.byte_fp;
    }
}

#[cfg(test)]
mod tests;
