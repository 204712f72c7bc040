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

/// Whether a receiver that was stopped at `stopped_ns` and got its latest data at `last_data_ns` is done.
pub fn over(now_ns: u64, stopped_ns: u64, last_data_ns: u64, idle_ns: u64) -> bool {
    let quiet_since = last_data_ns.max(stopped_ns);
    now_ns.saturating_sub(quiet_since) >= idle_ns || now_ns.saturating_sub(stopped_ns) >= LONGEST_NS
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn silence_after_the_stop_ends_it() {
        assert!(
            !over(1050 * MS, 1000 * MS, 0, idle_ns(0)),
            "50 ms after the stop something may be on the way"
        );
        assert!(over(1060 * MS, 1000 * MS, 0, idle_ns(0)));
        assert!(
            !over(1100 * MS, 1000 * MS, 1090 * MS, idle_ns(0)),
            "data still comes"
        );
    }

    #[test]
    fn a_peer_that_never_stops_is_cut_off() {
        assert!(over(2000 * MS, 1000 * MS, 2000 * MS, idle_ns(0)));
    }

    #[test]
    fn a_long_path_has_more_time_within_limits() {
        assert_eq!(idle_ns(50_000), 160 * MS);
        assert_eq!(idle_ns(u32::MAX), 500 * MS);
    }
}
