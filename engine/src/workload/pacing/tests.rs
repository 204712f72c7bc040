use super::*;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;

/// Runs a pacer on a clock that oversleeps by `late_ns`; returns the bytes and the send times.
fn simulate(pacer: Pacer, most: usize, duration_ns: u64, late_ns: u64) -> (u64, Vec<(u64, usize)>) {
    simulate_from(0, pacer, most, duration_ns, late_ns)
}

fn simulate_from(
    mut now: u64,
    mut pacer: Pacer,
    most: usize,
    until_ns: u64,
    late_ns: u64,
) -> (u64, Vec<(u64, usize)>) {
    let (mut bytes, mut sends) = (0, Vec::new());
    while now < until_ns {
        match pacer.turn(now, most) {
            Turn::Wait(until) => now = until.saturating_add(late_ns),
            Turn::Send(count) => {
                pacer.sent(count as u64);
                bytes += count as u64;
                sends.push((now, count));
            }
        }
    }
    (bytes, sends)
}

fn pace(bitrate: u64, burst: u32) -> Pace {
    Pace {
        bitrate: Some(bitrate),
        burst,
    }
}

#[test]
fn report_019_ten_kilobits_are_nine_or_ten_datagrams_in_ten_seconds() {
    let pacer = pace(10_000, 0).of_datagrams(1340, 0).unwrap();
    let (bytes, sends) = simulate(pacer, 1340 * 48, 10 * SECOND, 60_000);
    assert!(sends.len() == 9 || sends.len() == 10, "{}", sends.len());
    assert_eq!(bytes, sends.len() as u64 * 1340);
}

/// However late the stop comes, and however late the wakes are.
#[test]
fn a_test_has_as_many_datagrams_as_rate_and_time_ask_for() {
    for (bitrate, block, seconds, datagrams) in [
        (1 << 20, 32_768, 3, 12),
        (1 << 20, 32_768, 1, 4),
        (1 << 20, 32_741, 3, 12), // 12.01: iperf3's default on loopback
        (1 << 20, 31_000, 3, 13), // 12.7
        (10_000, 1340, 10, 9),    // 9.3
        (3_000_000, 1000, 1, 375),
        (7_000_000, 1400, 2, 1250),
        (1_000_000_000, 1250, 1, 100_000),
        (1000, 65_507, 1, 1),
    ] {
        for late in [0, 60_000, 3_000_000] {
            let pacer = pace(bitrate, 0).of_datagrams(block, 5).unwrap();
            let pacer = pacer.until(5 + seconds * SECOND);
            let (bytes, _) = simulate(pacer, 48 * block, (seconds + 2) * SECOND, late);
            let sent = bytes / block as u64;
            assert_eq!(sent, datagrams, "{bitrate} {block} {seconds} late {late}");
        }
    }
}

#[test]
fn report_020_gaps_are_even() {
    let pacer = pace(1_000_000, 0).of_datagrams(1000, 0).unwrap();
    let (_, sends) = simulate(pacer, 64_000, SECOND, 60_000);
    let gaps: Vec<u64> = sends.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert_eq!(gaps.len(), 124);
    assert!(
        gaps.iter().all(|gap| gap.abs_diff(8_000_000) <= 60_000),
        "{gaps:?}"
    );
}

#[test]
fn report_018_tcp_at_one_kilobit_does_not_send_a_whole_block() {
    for (bitrate, seconds) in [(1_000, 5), (100_000, 5), (5_000_000, 2)] {
        let pacer = pace(bitrate, 0).of_stream(131_072, 0).unwrap();
        let (bytes, _) = simulate(pacer, 131_072, seconds * SECOND, 60_000);
        let target = bitrate / 8 * seconds;
        assert!(
            bytes * 10 <= target * 11 && bytes * 10 >= target * 9,
            "{bitrate}: {bytes} of {target}"
        );
    }
}

#[test]
fn report_021_a_burst_keeps_the_average_and_its_length() {
    let pacer = pace(100_000_000, 10).of_datagrams(1448, 0).unwrap();
    let (bytes, sends) = simulate(pacer, 64 * 1448, 3 * SECOND, 60_000);
    let target = 100_000_000 / 8 * 3;
    assert!(bytes.abs_diff(target) * 100 <= target, "{bytes}");
    assert!(sends.iter().all(|(_, count)| *count == 14_480));
}

#[test]
fn a_stall_is_made_good_without_a_clump() {
    let mut pacer = pace(100_000_000, 0).of_datagrams(1250, 0).unwrap();
    assert_eq!(pacer.turn(0, 80_000), Turn::Send(1250));
    pacer.sent(1250);
    // 300 ms late: 3000 datagrams are due, 10 a millisecond; at most a millisecond's worth comes at once.
    assert_eq!(pacer.turn(300_000_000, 80_000), Turn::Send(12_500));
    pacer.sent(12_500);
    assert_eq!(pacer.turn(300_000_001, 80_000), Turn::Wait(300_500_000));
    let (later, _) = simulate_from(300_500_000, pacer, 80_000, SECOND, 0);
    let bytes = 13_750 + later;
    assert!(
        bytes.abs_diff(12_500_000) <= 1250,
        "{bytes}: the average is kept"
    );
}

/// On a machine with more threads than CPUs every wake is some ms late.
#[test]
fn late_wakes_keep_the_average() {
    for late in [1_000_000, 3_000_000, 8_000_000, 15_000_000] {
        for pacer in [
            pace(8_000_000, 0).of_datagrams(1400, 0),
            pace(1_000_000_000, 0).of_datagrams(1448, 0),
            pace(200_000_000, 0).of_stream(131_072, 0),
        ] {
            let pacer = pacer.unwrap();
            let (rate, most) = (1_000_000_000 / pacer.chunk_ns, 1 << 20);
            let target = rate * pacer.chunk as u64;
            let (bytes, _) = simulate(pacer, most, SECOND, late);
            assert!(
                bytes * 100 >= target * 95 && bytes <= target + (1 << 18),
                "{bytes} of {target} when {late} ns late"
            );
        }
    }
}

#[test]
fn a_longer_stall_is_forgiven_after_one_second() {
    let pacer = pace(8_000, 0).of_datagrams(100, 0).unwrap();
    let (bytes, _) = simulate_from(10 * SECOND, pacer, 6400, 12 * SECOND, 0);
    assert!(
        (2900..=3100).contains(&bytes),
        "one second of lag and two of time: {bytes}"
    );
}

#[test]
fn a_single_late_wake_does_not_hold_the_next() {
    // A rate that the caller cannot keep: every turn must allow sending again at once.
    let mut pacer = pace(100_000_000_000, 0).of_stream(131_072, 0).unwrap();
    let mut now = SECOND;
    for _ in 0..100 {
        assert_eq!(pacer.turn(now, 131_072), Turn::Send(131_072));
        pacer.sent(131_072);
        now += 50_000;
    }
}

#[test]
fn short_gaps_are_slept_through_together() {
    // 1 Gbit/s of 1250 bytes: 100 datagrams a millisecond, in at most five pieces.
    let pacer = pace(1_000_000_000, 0).of_datagrams(1250, 0).unwrap();
    let (bytes, sends) = simulate(pacer, 45 * 1250, 100_000_000, 5_000);
    assert!(bytes.abs_diff(12_500_000) <= 26_250, "{bytes}");
    assert!((400..=510).contains(&sends.len()), "{}", sends.len());
    assert!(sends.iter().all(|(_, count)| *count <= 22 * 1250));
}

#[test]
fn unlimited_has_no_pacer() {
    assert!(Pace::default().of_datagrams(1448, 0).is_none());
    assert!(pace(0, 5).of_stream(1448, 0).is_none());
}

proptest! {
    #[test]
    fn the_average_is_kept_at_any_rate(
        bitrate in 10_000u64..40_000_000_000, block in 16usize..65_507, burst in 0u32..20, late in 0u64..200_000,
    ) {
        let pacer = pace(bitrate, burst).of_datagrams(block, 0).unwrap();
        let chunk = block as u64 * u64::from(burst.max(1));
        let duration = SECOND / 20;
        let (bytes, _) = simulate(pacer, 65_507, duration, late);
        let target = bitrate as u128 * duration as u128 / 8 / SECOND as u128;
        // Never above: the first chunk leaves at 0. Below: what a late wake still has to make good.
        prop_assert!(u128::from(bytes) <= target + u128::from(chunk), "{} above {}", bytes, target);
    }
}
