//! `-O`: the omitted part has rows of its own, and nothing else of it is in any figure.

use crate::lab::Alone;
use crate::strict::{count, list, number};
use std::time::Instant;

#[test]
fn report_013_the_omitted_part_is_flagged_and_in_no_total() {
    let lab = Alone::new("");
    for flags in [
        "-O 1 -t 2 -b 20M",
        "-O 1 -t 2 -b 20M -R",
        "-O 1 -t 2 -b 20M -u -l 1000",
        "-O 1 -t 2 -b 20M -u -l 1000 -R",
    ] {
        let begun = Instant::now();
        let document = lab.measure(flags);
        let took = begun.elapsed().as_secs_f64();
        assert!(
            took >= 2.99,
            "{flags}: {took} s are no omitted second and two more"
        );
        let rows: Vec<_> = list(&document["intervals"])
            .iter()
            .map(|row| &row["sum"])
            .collect();
        let omitted: Vec<_> = rows.iter().map(|sum| sum["omitted"] == true).collect();
        assert_eq!(omitted, [true, false, false], "{flags}");
        assert_eq!(
            (number(&rows[0]["start"]), number(&rows[1]["start"])),
            (0.0, 0.0),
            "{flags}"
        );
        let shown: u64 = rows[1..].iter().map(|sum| count(&sum["bytes"])).sum();
        // The client's own rows are those of its own end.
        let own = if flags.contains("-R") {
            "sum_received"
        } else {
            "sum_sent"
        };
        let total = count(&document["end"][own]["bytes"]);
        assert_eq!(total, shown, "{flags}: {}", document["end"]);
        let block = count(&document["start"]["test_start"]["blksize"]);
        // 20 Mbit/s for two seconds; the ends' omitted parts end some milliseconds apart.
        let due = 5_000_000;
        assert!(total.abs_diff(due) <= block + due / 50, "{flags}: {total}");
    }
}

/// Losses, duplicates and retransmits of the omitted part are in no total: only what came before it ended is dropped.
#[test]
fn a_loss_in_the_omitted_part_does_not_count() {
    let lab = Alone::new("");
    lab.net.unmerged("lo");
    for (side, flags) in [("dport", ""), ("sport", "-R")] {
        // 50 KB of one datagram in two: lost within the first 0.4 s of 2 Mbit/s.
        lab.net.input(
            &["dropped"],
            &format!(
                "udp {side} 5201 udp length 508 numgen inc mod 2 == 1 quota until 50 kbytes counter name dropped drop"
            ),
        );
        let document = lab.measure(&format!("-u -b 2M -l 500 -O 1 -t 1 {flags}"));
        assert!(lab.net.counted()["dropped"] > 80, "{:?}", lab.net.counted());
        let end = &document["end"];
        for sum in ["sum", "sum_received"] {
            assert_eq!(end[sum]["lost_packets"], 0, "{flags}: {sum}: {end}");
        }
        let packets = count(&end["sum_received"]["packets"]);
        // A busy machine is late with one end or the other.
        assert!(packets > 250, "{flags}: {packets} of 500");
        assert_eq!(
            end["sum_received"]["bytes"],
            packets * 500,
            "{flags}: {end}"
        );
        if flags == "-R" {
            let rows = list(&document["intervals"]).iter().map(|row| &row["sum"]);
            let omitted = rows.filter(|sum| sum["omitted"] == true);
            let shown: u64 = omitted.map(|sum| count(&sum["lost_packets"])).sum();
            assert_eq!(
                shown,
                lab.net.counted()["dropped"],
                "the omitted rows show it"
            );
        }
        lab.net.nft("flush ruleset");
    }
}

/// `-n` and `-k` count from the end of the omitted part, exactly.
#[test]
fn bytes_and_blocks_are_exact_after_an_omitted_part() {
    let lab = Alone::new("");
    for (flags, asked) in [
        ("-n 1M -O 0.3 -b 80M", 1 << 20),
        ("-n 1M -O 0.3 -b 80M -P 2", 1 << 20),
        ("-k 30 -l 10000 -O 0.3 -b 80M", 300_000),
        ("-u -k 300 -l 1000 -O 0.3 -b 8M", 300_000),
        ("-n 3M -O 0.3", 3 << 20),
        ("-n 3M -O 0.3 -R", 3 << 20),
        ("-n 300M -O 0.3 -R -P 2", 300 << 20),
        ("-k 50 -O 0.3 -P 3", 50 << 17),
    ] {
        let end = &lab.measure(flags)["end"];
        assert_eq!(end["sum_sent"]["bytes"], asked, "{flags}: {end}");
        if !flags.starts_with("-u") {
            let [sent, received] = ["sum_sent", "sum_received"].map(|sum| &end[sum]);
            assert_eq!(received["bytes"], asked, "{flags}: {end}");
            assert_eq!(received["seconds"], sent["seconds"], "{flags}: {end}");
        }
    }
}
