//! Sizes, rates, times and marks, as they are written and as they are meant.

use super::*;

#[test]
fn sizes_are_binary_and_rates_decimal() {
    assert_eq!(params("-n 5M").limit, Limit::Bytes(5_242_880));
    assert_eq!(params("-k 2K").limit, Limit::Blocks(2048));
    assert_eq!(params("-l 8k").block_size, Some(8192));
    assert_eq!(params("-w 1m").window, Some(1 << 20));
    assert_eq!(params("-b 10M").bitrate, Some(10_000_000));
    assert_eq!(params("-b 1.5g").bitrate, Some(1_500_000_000));
}

/// Field report 021: the rate stays when a burst is given.
#[test]
fn report_021_a_bitrate_may_have_a_burst() {
    let burst = params("-b 100M/10");
    assert_eq!((burst.bitrate, burst.burst), (Some(100_000_000), 10));
    let unlimited = params("-u -b 0");
    assert_eq!((unlimited.bitrate, unlimited.burst), (None, 0));
    assert_eq!(params("-u").bitrate, Some(TestParams::UDP_BITRATE));
    assert_eq!(params("").bitrate, None);
}

#[test]
fn fractions_of_seconds_are_kept() {
    assert_eq!(
        params("-t 1.5").limit,
        Limit::Time(Duration::from_millis(1500))
    );
    assert_eq!(params("-t 0").limit, Limit::Time(Duration::ZERO));
    assert_eq!(params("-O 0.25").omit, Duration::from_millis(250));
    assert_eq!(params("-i 0.1").interval, Duration::from_millis(100));
    assert_eq!(params("-i 0").interval, Duration::ZERO);
}

/// Field report 065: a DSCP is the upper six bits.
#[test]
fn report_065_dscp_and_tos_set_the_byte() {
    for (line, tos) in [
        ("--dscp EF", 0xb8),
        ("--dscp 46", 0xb8),
        ("--dscp 0x2e", 0xb8),
        ("--dscp 056", 0xb8),
        ("--dscp cs1", 0x20),
        ("--dscp AF41", 0x88),
        ("--dscp va", 0xb0),
        ("--dscp 63", 0xfc),
        ("--dscp 0", 0),
        ("-S 52", 52),
        ("-S 064", 52),
        ("-S 0x34", 52),
        ("-S 255", 255),
    ] {
        assert_eq!(params(line).tos, tos, "{line}");
    }
}
