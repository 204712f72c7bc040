//! When a stopped receiver has everything that was on the way.
//!
//! iperf3 stops counting at the peer's end-of-test message, and what is still queued is missing from the receiver's
//! figure (esnet/iperf#382). Here a receiver goes on until its socket is empty and stays so for a short while.

/// Silence that ends a drain; the message that ended the test took the same path as the data before it.
const IDLE_NS: u64 = 60_000_000;
/// Whatever comes, a peer that never stops is cut off.
const LONGEST_NS: u64 = 1_000_000_000;
/// A long path adds round trips, but not without end.
const LONGEST_IDLE_NS: u64 = 500_000_000;

/// Silence that ends the drain of a connection with this round trip time.
pub fn idle_ns(rtt_us: u32) -> u64 {
    (IDLE_NS + u64::from(rtt_us) * 2_000).min(LONGEST_IDLE_NS)
}

/// Whether a receiver that was stopped at `stopped_ns`, got its latest data at `last_data_ns` and just now found
/// nothing is done. Only a look into the empty socket tells: a thread that was not scheduled for a while knows
/// nothing of what has come in between.
pub fn quiet(now_ns: u64, stopped_ns: u64, last_data_ns: u64, idle_ns: u64) -> bool {
    now_ns.saturating_sub(last_data_ns.max(stopped_ns)) >= idle_ns
}

/// Whether a receiver that was stopped at `stopped_ns` and still gets data must end.
pub fn overdue(now_ns: u64, stopped_ns: u64) -> bool {
    now_ns.saturating_sub(stopped_ns) >= LONGEST_NS
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn silence_after_the_stop_ends_it() {
        assert!(
            !quiet(1050 * MS, 1000 * MS, 0, idle_ns(0)),
            "50 ms after the stop something may be on the way"
        );
        assert!(quiet(1060 * MS, 1000 * MS, 0, idle_ns(0)));
        assert!(
            !quiet(1100 * MS, 1000 * MS, 1090 * MS, idle_ns(0)),
            "data still comes"
        );
    }

    #[test]
    fn a_peer_that_never_stops_is_cut_off() {
        assert!(!overdue(1999 * MS, 1000 * MS));
        assert!(overdue(2000 * MS, 1000 * MS));
    }

    #[test]
    fn a_long_path_has_more_time_within_limits() {
        assert_eq!(idle_ns(50_000), 160 * MS);
        assert_eq!(idle_ns(u32::MAX), 500 * MS);
    }
}
