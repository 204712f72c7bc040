//! Bytes, blocks and seconds: what was asked for is what is sent, and rates have the data's own time.

use crate::lab::{Alone, Net, alone};
use crate::strict::{count, list, number};
use std::time::Instant;

/// What is sent in reverse ends at the asked number, whatever is lost on the way; and what is lost is known.
#[test]
fn report_003_a_reverse_test_sends_what_was_asked_over_a_lossy_path() {
    let lab = Alone::new("");
    lab.net.unmerged("lo");
    // Datagrams of 200 bytes, with the header of UDP.
    lab.net.input(
        &["dropped"],
        "udp sport 5201 udp length 208 numgen random mod 4 == 0 counter name dropped drop",
    );
    let end = &lab.measure("-u -k 1000 -l 200 -R -b 4M")["end"];
    let dropped = lab.net.counted()["dropped"];
    assert!(dropped > 150, "{dropped} of 1000 dropped");
    assert_eq!(end["sum_sent"]["packets"], 1000, "{end}");
    assert_eq!(end["sum_sent"]["bytes"], 200_000);
    assert_eq!(end["sum_received"]["lost_packets"], dropped, "{end}");
    assert_eq!(end["sum_received"]["bytes"], (1000 - dropped) * 200);
    // And forward, where the sender is the client.
    lab.net.nft("flush ruleset");
    lab.net.input(
        &["dropped"],
        "udp dport 5201 udp length 208 numgen random mod 4 == 0 counter name dropped drop",
    );
    let end = &lab.measure("-u -k 1000 -l 200 -b 4M")["end"];
    let dropped = lab.net.counted()["dropped"];
    assert_eq!(end["sum_sent"]["packets"], 1000, "{end}");
    assert_eq!(end["sum_received"]["lost_packets"], dropped, "{end}");
    assert_eq!(end["sum_received"]["bytes"], (1000 - dropped) * 200);
}

#[test]
fn report_004_a_udp_byte_limit_ends_within_one_datagram_and_not_at_the_next_second() {
    let lab = Alone::new("");
    let _turn = alone();
    let asked = 5 << 20;
    for flags in [
        "-u -b 1G -n 5M -l 1448",
        "-u -b 1G -n 5M -l 1448 -R",
        "-u -b 1G -n 5M",
    ] {
        let document = lab.measure(flags);
        let (end, block) = (
            &document["end"],
            count(&document["start"]["test_start"]["blksize"]),
        );
        let sent = count(&end["sum_sent"]["bytes"]);
        assert!((asked..asked + block).contains(&sent), "{flags}: {sent}");
        let seconds = number(&end["sum_sent"]["seconds"]);
        assert!(seconds < 0.9, "{flags}: 42 ms of data took {seconds} s");
        let received = &end["sum_received"];
        let arrived = count(&received["bytes"]) + count(&received["lost_packets"]) * block;
        assert_eq!(arrived, sent, "{flags}: {end}");
    }
}

/// 10 MiB at 100 Mbit/s are 0.84 s: a fixed tail in the divisor of either end would show.
#[test]
fn report_005_the_divisor_is_the_time_of_the_data() {
    let lab = Alone::new("");
    let _turn = alone();
    let mut seen = Vec::new();
    // A machine that has other things to do gets some tries.
    for _ in 0..5 {
        let begun = Instant::now();
        let end = &lab.measure("-n 10M -b 100M -N")["end"];
        let outside = begun.elapsed().as_secs_f64();
        let mut close = true;
        for sum in [&end["sum_sent"], &end["sum_received"]] {
            assert_eq!(sum["bytes"], 10 << 20, "{end}");
            assert!(number(&sum["seconds"]) <= outside, "{sum} within {outside}");
            close &= (95e6..105e6).contains(&number(&sum["bits_per_second"]));
        }
        if close {
            return;
        }
        seen.push(end.clone());
    }
    panic!("never 100 Mbit/s at both ends: {seen:?}");
}

/// What lies in the sender's buffer at the end of the time, or of the bytes, is no throughput before it is delivered:
/// neither end shows more than the line carries.
#[test]
fn report_007_no_summary_is_above_the_rate_of_the_line() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    for net in [&near, &far] {
        net.run("tc qdisc add dev v0 root tbf rate 20mbit burst 16kb latency 200ms");
    }
    for flags in [
        "-R -P 4 -O 1 -t 2",
        "-t 2",
        "-R -t 2",
        "-n 1M",
        "-n 1M -R",
        "-n 2M -P 2",
    ] {
        let document = near.measure("10.7.0.2", flags);
        let end = &document["end"];
        for sum in ["sum_sent", "sum_received"] {
            let rate = number(&end[sum]["bits_per_second"]);
            // What waited out of order where the omitted part ended is read after it.
            let most = if flags.contains("-O") { 22e6 } else { 20.5e6 };
            assert!((1e6..most).contains(&rate), "{flags}: {sum}: {end}");
        }
        let [sent, received] = ["sum_sent", "sum_received"].map(|sum| count(&end[sum]["bytes"]));
        assert!(received <= sent, "{flags}: {end}");
        if flags.contains("-R") {
            let rows = list(&document["intervals"]).iter().map(|row| &row["sum"]);
            let counted: u64 = rows
                .filter(|sum| sum["omitted"] == false)
                .map(|sum| count(&sum["bytes"]))
                .sum();
            assert_eq!(end["sum_received"]["bytes"], counted, "{flags}: {end}");
        }
    }
}

/// Both ends agree to the byte, and to what was asked, whichever end sends.
#[test]
fn byte_and_block_limits_over_tcp_are_exact_at_both_ends() {
    let lab = Alone::new("");
    for (flags, asked) in [
        ("-n 1", 1),
        ("-n 131073", 131_073),
        ("-n 7777777 -P 3", 7_777_777),
        ("-n 7777777 -P 3 -R", 7_777_777),
        ("-n 3M -b 200M", 3 << 20),
        ("-k 1", 131_072),
        ("-k 37 -l 1001 -P 2", 37 * 1001),
        ("-k 37 -l 1001 -R", 37 * 1001),
    ] {
        let end = &lab.measure(flags)["end"];
        assert_eq!(end["sum_sent"]["bytes"], asked, "{flags}: {end}");
        assert_eq!(end["sum_received"]["bytes"], asked, "{flags}: {end}");
        let of = |what: &str| -> u64 {
            list(&end["streams"])
                .iter()
                .map(|s| count(&s[what]["bytes"]))
                .sum()
        };
        assert_eq!((of("sender"), of("receiver")), (asked, asked), "{flags}");
    }
    for flags in ["-n 2M --bidir", "-n 2M --bidir -P 2"] {
        let end = &lab.measure(flags)["end"];
        for sum in [
            "sum_sent",
            "sum_received",
            "sum_sent_bidir_reverse",
            "sum_received_bidir_reverse",
        ] {
            assert_eq!(end[sum]["bytes"], 2 << 20, "{flags}: {sum}: {end}");
        }
    }
}

/// What a test by time sent is what came, too: nothing is left in buffers that nobody counted.
#[test]
fn the_ends_of_a_tcp_test_by_time_agree_to_the_byte() {
    let lab = Alone::new("");
    for flags in [
        "-t 0.5",
        "-t 0.5 -R",
        "-t 0.5 -P 3",
        "-t 0.5 -b 50M --bidir",
        "-t 0.4 -O 0.3 -b 30M -i 0.1",
    ] {
        let end = &lab.measure(flags)["end"];
        if !flags.contains("-O") {
            assert_eq!(
                end["sum_sent"]["bytes"], end["sum_received"]["bytes"],
                "{flags}: {end}"
            );
        }
        if flags.contains("--bidir") {
            let (sent, received) = (
                &end["sum_sent_bidir_reverse"],
                &end["sum_received_bidir_reverse"],
            );
            assert_eq!(sent["bytes"], received["bytes"], "{flags}: {end}");
        }
    }
}

/// What a second of datagrams left on the way when the time is over is waited for.
#[test]
fn report_382_datagrams_on_the_way_at_the_end_are_counted() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    // Everything waits up to 40 ms in a queue.
    for net in [&near, &far] {
        net.run("tc qdisc add dev v0 root tbf rate 10mbit burst 4kb limit 1mb");
    }
    for flags in ["-u -b 11M -l 1000 -t 1", "-u -b 11M -l 1000 -t 1 -R"] {
        let end = &near.measure("10.7.0.2", flags)["end"];
        assert_eq!(end["sum_received"]["lost_packets"], 0, "{flags}: {end}");
        assert_eq!(
            end["sum_sent"]["bytes"], end["sum_received"]["bytes"],
            "{flags}: {end}"
        );
    }
}

/// A file goes over whole: the ends agree to the byte, and what is written is what was read.
#[test]
fn files_are_exact_at_both_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let content: Vec<u8> = (0..1_234_567u32)
        .map(|at| (at.wrapping_mul(at) >> 7) as u8)
        .collect();
    std::fs::write(path("source"), &content).expect("a file");
    let size = content.len();
    let sums = |document: &serde_json::Value| {
        for sum in ["sum_sent", "sum_received"] {
            assert_eq!(
                document["end"][sum]["bytes"], size,
                "{sum}: {}",
                document["end"]
            );
        }
    };
    let net = Net::new();
    let server = net.server(&format!("-1 -F {}", path("received")));
    sums(&net.measure("127.0.0.1", &format!("-F {}", path("source"))));
    assert_eq!(server.end().status.code(), Some(0));
    assert!(
        std::fs::read(path("received")).expect("a file") == content,
        "it is another file"
    );
    let server = net.server(&format!("-1 -F {}", path("source")));
    sums(&net.measure("127.0.0.1", &format!("-R -n {size} -F {}", path("back"))));
    assert_eq!(server.end().status.code(), Some(0));
    assert!(
        std::fs::read(path("back")).expect("a file") == content,
        "it is another file"
    );
}
