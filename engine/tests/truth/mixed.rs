//! Our client with stock servers, and stock clients with ours: neither end's figure suffers from the other's ways.

use crate::lab::{Alone, Net, alone};
use crate::run::text;
use crate::stock::{self, Stock, StockServer};
use crate::strict::{self, count, number};
use serde_json::Value;

/// Tries of what a machine that is busy with other things can spoil.
const TRIES: usize = 8;

fn with_stock_server(net: &Net, flags: &str) -> Value {
    let output = net.finish(&format!("-c 127.0.0.1 -J {flags}"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{flags}: {said}");
    strict::parse(&output.stdout)
}

/// From 3.16 on iperf3 reads whole blocks, and counts the rest of one when the stream's end comes: `-n 1` was 0 bytes received.
#[test]
fn a_part_of_a_block_is_counted_by_stock_servers_too() {
    for stock in [Stock::V3_12, Stock::V3_18] {
        let net = Net::new();
        let _server = StockServer::start(&net, stock);
        let _turn = alone();
        for (flags, bytes) in [
            ("-n 1", 1),
            ("-n 200000", 200_000),
            ("-n 5000001 -P 4", 5_000_001),
            ("-n 300007 -l 1400", 300_007),
        ] {
            let document = with_stock_server(&net, flags);
            let end = &document["end"];
            let sums = ["sum_sent", "sum_received"].map(|sum| count(&end[sum]["bytes"]));
            assert_eq!(sums, [bytes, bytes], "{stock:?} {flags}");
        }
    }
}

/// A stock receiver divides by the time until it is told of the end: the word must not come late.
#[test]
fn a_stock_server_is_told_of_the_end_at_once() {
    for stock in [Stock::V3_12, Stock::V3_18] {
        let net = Net::new();
        let _server = StockServer::start(&net, stock);
        for flags in [
            "-t 1 -b 100M",
            "-u -t 1 -b 10M -l 1400",
            "-u -t 1 -b 100K -l 1400",
        ] {
            let late = |_| {
                let end = &with_stock_server(&net, flags)["end"];
                number(&end["sum_received"]["seconds"]) - 1.0
            };
            let _turn = alone();
            // It was 28 ms with TCP and 48 ms with UDP, in every run.
            let told = (0..TRIES).map(late).any(|seconds| seconds < 0.02);
            assert!(
                told,
                "{stock:?} {flags}: more than 20 ms late {TRIES} times"
            );
        }
    }
}

/// A stock client of a reverse test stops reading when it ends the test: what is in its socket then is no time of ours.
#[test]
fn a_reverse_test_of_a_stock_client_ends_for_our_sender_too() {
    let lab = Alone::new("");
    for version in [Stock::V3_12, Stock::V3_18] {
        let _turn = alone();
        let mut longest = 0f64;
        for _ in 0..4 {
            let document = stock::client(version, &lab.net, "-t 1 -R");
            longest = longest.max(number(&document["end"]["sum_sent"]["seconds"]));
        }
        assert!(
            longest < 1.04,
            "{version:?}: {longest} s of data in a test of 1 s"
        );
    }
}
