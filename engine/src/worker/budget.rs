//! `-n` and `-k`: a number of bytes or blocks over all sending streams of this end.
//!
//! iperf3 looks at the total when an interval ends and overshoots by up to that (esnet/iperf#1875, #768). Here a
//! stream reserves before it writes, so the sum is exact whoever is fastest; the budget is used up when everything
//! reserved has been written too, so that nobody is stopped in the middle of the last write.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Blocks,
}

/// Reserved and written so far, against the total.
#[derive(Debug)]
pub struct Budget {
    unit: Unit,
    total: u64,
    reserved: AtomicU64,
    written: AtomicU64,
}

impl Budget {
    pub fn bytes(total: u64) -> Self {
        Budget {
            unit: Unit::Bytes,
            total,
            reserved: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }
    }

    pub fn blocks(total: u64) -> Self {
        Budget {
            unit: Unit::Blocks,
            ..Budget::bytes(total)
        }
    }

    /// Bytes that a byte stream may write next, at most `block`; 0: the budget is reserved to the last byte.
    /// A budget of blocks gives whole ones.
    pub fn reserve_bytes(&self, block: u64) -> u64 {
        match self.unit {
            Unit::Bytes => self.take(block),
            Unit::Blocks => self.take(1) * block,
        }
    }

    /// Datagrams of `block` bytes that may be sent next, at most `want`. A budget of bytes is rounded up to whole
    /// datagrams, as iperf3 does: all are of one size.
    pub fn reserve_datagrams(&self, want: u64, block: u64) -> u64 {
        match self.unit {
            Unit::Bytes => self.take(want * block).div_ceil(block),
            Unit::Blocks => self.take(want),
        }
    }

    /// Notes what was written; true when this used the budget up.
    pub fn wrote(&self, bytes: u64, block: u64) -> bool {
        let units = match self.unit {
            Unit::Bytes => bytes,
            Unit::Blocks => bytes / block,
        };
        let before = self.written.fetch_add(units, Ordering::Relaxed);
        before < self.total && before + units >= self.total
    }

    /// Everything was written.
    pub fn exhausted(&self) -> bool {
        self.written.load(Ordering::Relaxed) >= self.total
    }

    /// Takes up to `want` of what is left.
    fn take(&self, want: u64) -> u64 {
        let claim = |reserved: u64| {
            (reserved < self.total).then(|| reserved + want.min(self.total - reserved))
        };
        match self
            .reserved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim)
        {
            Ok(before) => want.min(self.total - before),
            Err(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_write_is_shortened() {
        let budget = Budget::bytes(300_000);
        let writes: Vec<u64> = std::iter::from_fn(|| match budget.reserve_bytes(131_072) {
            0 => None,
            bytes => Some(bytes),
        })
        .collect();
        assert_eq!(writes, [131_072, 131_072, 37_856]);
        assert!(!budget.exhausted(), "reserved is not written");
        assert!(!budget.wrote(131_072, 131_072));
        assert!(!budget.wrote(131_072, 131_072));
        assert!(budget.wrote(37_856, 131_072), "told once");
        assert!(budget.exhausted());
    }

    #[test]
    fn report_004_datagrams_end_within_one_of_the_bytes() {
        let budget = Budget::bytes(5 << 20);
        let mut datagrams = 0;
        loop {
            match budget.reserve_datagrams(40, 1448) {
                0 => break,
                count => datagrams += count,
            }
        }
        assert_eq!(datagrams, (5u64 << 20).div_ceil(1448));
    }

    #[test]
    fn blocks_are_whole_ones() {
        let budget = Budget::blocks(3);
        assert_eq!(budget.reserve_bytes(1000), 1000);
        assert_eq!(budget.reserve_datagrams(40, 1000), 2);
        assert_eq!(budget.reserve_datagrams(40, 1000), 0);
        assert_eq!(budget.reserve_bytes(1000), 0);
        budget.wrote(1000, 1000);
        assert!(budget.wrote(2000, 1000));
    }

    #[test]
    fn many_streams_share_it_exactly() {
        let budget = Budget::bytes(10_000_019);
        let sum: u64 = std::thread::scope(|scope| {
            let streams: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut own = 0;
                        loop {
                            match budget.reserve_bytes(1460) {
                                0 => return own,
                                bytes => own += bytes,
                            }
                            budget.wrote(0, 1460);
                        }
                    })
                })
                .collect();
            streams
                .into_iter()
                .map(|stream| stream.join().unwrap())
                .sum()
        });
        assert_eq!(sum, 10_000_019);
    }
}
