//! `--fast` with stock servers, which are asked by iperf3's own keys: what they do not know they do without.

use crate::lab::Net;
use crate::run::text;
use crate::stock::{Stock, StockServer};
use crate::strict::{self, count};
use serde_json::{Value, json};

#[test]
fn a_stock_server_takes_part_and_nothing_is_said_of_what_it_used() {
    for stock in Stock::all() {
        let net = Net::new();
        let _server = StockServer::start(&net, stock);
        for (flags, least, paths) in [
            ("-n 3000001", 3_000_001, json!(["zerocopy"])),
            ("-n 3000001 -R", 3_000_001, json!(["skip_rx_copy"])),
            ("-u -b 50M -k 400 -l 1000", 400_000, json!(["gso"])),
            ("-u -b 50M -k 400 -l 1000 -R", 400_000, json!(["gro"])),
            // No two of these fit into one send: a stock server that is asked to segment them sends nothing.
            ("-u -b 50M -k 40 -l 40000", 1_600_000, json!([])),
            (
                "-u -b 50M -k 40 -l 40000 -R",
                1_600_000,
                json!(["skip_rx_copy"]),
            ),
        ] {
            let output = net.finish(&format!("-c 127.0.0.1 -J --fast {flags}"));
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{stock:?} {flags}: {said}");
            let document = strict::parse(&output.stdout);
            let end = &document["end"];
            let used = &end["nettest"]["fast_paths"];
            assert_eq!(used["client"], paths, "{stock:?} {flags}");
            assert_eq!(used["server"], Value::Null, "{stock:?} {flags}");
            let received = count(&end["sum_received"]["bytes"]);
            // Stock servers end at a whole block or later.
            let most = if flags.contains("-R") {
                u64::MAX
            } else {
                least
            };
            assert!(
                (least..=most).contains(&received),
                "{stock:?} {flags}: {received}"
            );
        }
    }
}
