//! Interarrival jitter, RFC 3550 section 6.4.1: J += (|D| - J) / 16, in order of arrival.

/// The running estimate of one stream. Only differences of one clock are used, so the two ends need no common time.
#[derive(Debug, Default)]
pub struct Jitter {
    estimate_ns: f64,
    previous_transit: Option<i64>,
}

impl Jitter {
    /// A datagram that left at `sent_ns` of the sender's clock arrived at `arrived_ns` of ours. The first one only
    /// seeds the transit time. A peer may write any time into its header: the arithmetic wraps, nothing panics.
    pub fn arrive(&mut self, sent_ns: i64, arrived_ns: i64) {
        let transit = arrived_ns.wrapping_sub(sent_ns);
        if let Some(previous) = self.previous_transit {
            let difference = transit.wrapping_sub(previous).unsigned_abs() as f64;
            self.estimate_ns += (difference - self.estimate_ns) / 16.0;
        }
        self.previous_transit = Some(transit);
    }

    /// `count` datagrams that left together and arrived together: as many calls of [`Self::arrive`].
    pub fn arrive_together(&mut self, count: u64, sent_ns: i64, arrived_ns: i64) {
        self.arrive(sent_ns, arrived_ns);
        // Of the others' transit nothing differs.
        let others = i32::try_from(count.saturating_sub(1)).unwrap_or(i32::MAX);
        if others > 0 && self.estimate_ns > 0.0 {
            self.estimate_ns *= (15.0f64 / 16.0).powi(others);
        }
    }

    /// Nanoseconds.
    pub fn estimate_ns(&self) -> u64 {
        self.estimate_ns as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_path_has_none_whatever_the_clock_offset() {
        let mut jitter = Jitter::default();
        for i in 0..100 {
            jitter.arrive(i * 8_000_000, 900_000_000_000 + i * 8_000_000);
        }
        assert_eq!(jitter.estimate_ns(), 0);
    }

    #[test]
    fn alternating_delay_converges_to_its_difference() {
        let mut jitter = Jitter::default();
        for i in 0..1000 {
            jitter.arrive(i * 1_000_000, i * 1_000_000 + (i % 2) * 160_000);
        }
        let estimate = jitter.estimate_ns();
        assert!((159_000..=160_000).contains(&estimate), "{estimate}");
    }

    /// One datagram 160 µs late: a sixteenth of that, and a sixteenth less with each that is not.
    #[test]
    fn one_late_datagram_counts_a_sixteenth() {
        let mut jitter = Jitter::default();
        let mut seen = Vec::new();
        for (sent, arrived) in [(0, 500), (1000, 161_500), (2000, 162_500), (3000, 163_500)] {
            jitter.arrive(sent, arrived);
            seen.push(jitter.estimate_ns());
        }
        assert_eq!(seen, [0, 10_000, 9375, 8789]);
    }

    #[test]
    fn together_is_the_same_as_one_by_one() {
        let (mut together, mut singly) = (Jitter::default(), Jitter::default());
        for step in 0..50i64 {
            let (count, sent, arrived) = (1 + step as u64 * 3, step * 50_000, step * step * 7_000);
            together.arrive_together(count, sent, arrived);
            (0..count).for_each(|_| singly.arrive(sent, arrived));
            assert!(together.estimate_ns().abs_diff(singly.estimate_ns()) <= 1);
        }
        assert!(singly.estimate_ns() > 0);
    }

    #[test]
    fn a_lying_time_stamp_does_not_panic() {
        let mut jitter = Jitter::default();
        for sent in [i64::MIN, i64::MAX, 0, -1] {
            jitter.arrive(sent, i64::MAX);
        }
        assert!(jitter.estimate_ns() > 0);
    }
}
