//! Fractions of seconds and less than nothing; and which clock it is.

use crate::lab::{Alone, Net};
use crate::run::{Running, text, wait};
use crate::stock::{Stock, StockServer};
use crate::strict::{self, number};
use std::time::{Duration, Instant};

#[test]
fn half_a_second_is_half_a_second() {
    let lab = Alone::new("");
    for flags in [
        "-t 0.5 -b 20M",
        "-t 0.5 -b 20M -R",
        "-t 0.5 -b 20M --bidir",
        "-t 0.5 -u -b 5M",
        "-t 0.5 -u -b 5M -R",
        "-t 1.25 -i 0.5 -b 20M",
    ] {
        let begun = Instant::now();
        let document = lab.measure(flags);
        let asked = if flags.contains("1.25") { 1.25 } else { 0.5 };
        let took = begun.elapsed().as_secs_f64();
        assert!(took >= asked && took < asked + 5.0, "{flags}: {took}");
        // The sender's time is what was asked for, or up to the last of its data; a sending server's begins with its data,
        // some milliseconds after the client's.
        let seconds = number(&document["end"]["sum_sent"]["seconds"]);
        assert!(
            seconds >= asked - 0.1 && seconds < asked + 0.4,
            "{flags}: {seconds}"
        );
        assert_eq!(
            document["start"]["test_start"]["duration"], asked,
            "{flags}"
        );
    }
}

#[test]
fn negative_and_odd_times_are_refused_and_never_endless() {
    let net = Net::new();
    for flags in [
        "-t -1", "-t -0.5", "-t nan", "-t inf", "-t 1e3x", "-t 86401", "-O -1", "-O 601", "-i -1",
        "-i 0.01", "-n -1", "-k -5",
    ] {
        let begun = Instant::now();
        let output = net.finish(&format!("-c 127.0.0.1 {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let said = text(&output.stderr);
        assert!(
            said.contains(&flags[..2]) && said.contains("parameter error"),
            "{flags}: {said}"
        );
        assert!(begun.elapsed() < Duration::from_secs(5), "{flags}");
    }
}

/// iperf3 reads whole seconds: told of half a one, its server must not be asked for an endless test.
#[test]
fn half_a_second_ends_in_time_with_stock_servers() {
    for stock in [Stock::V3_12, Stock::V3_18] {
        let net = Net::new();
        let _server = StockServer::start(&net, stock);
        for flags in [
            "-t 0.5 -b 20M",
            "-t 0.5 -b 20M -R",
            "-t 0.5 -u -b 5M",
            "-t 0.5 -u -b 5M -R",
            "-t 0.5 --bidir -b 20M",
        ] {
            // A machine that has other things to do gets some tries.
            let mut seen = Vec::new();
            loop {
                let begun = Instant::now();
                let client = net.engine(&format!("-c 127.0.0.1 -J {flags}")).spawn();
                let output = wait(client.expect("the client starts"));
                assert_eq!(
                    output.status.code(),
                    Some(0),
                    "{stock:?} {flags}: {}",
                    text(&output.stderr)
                );
                let took = begun.elapsed();
                assert!(
                    took < Duration::from_secs(10),
                    "{stock:?} {flags}: {took:?}"
                );
                let document = strict::parse(&output.stdout);
                let seconds = number(&document["end"]["sum_received"]["seconds"]);
                if (0.45..0.95).contains(&seconds) {
                    break;
                }
                seen.push(seconds);
                assert!(seen.len() < 6, "{stock:?} {flags}: {seen:?}");
            }
        }
    }
}

/// A stock server leaves the newer result keys out, and its path loses datagrams.
#[test]
fn report_030_loss_is_right_with_a_stock_server() {
    let net = Net::new();
    net.unmerged("lo");
    let _server = StockServer::start(&net, Stock::V3_12);
    for (side, flags) in [
        ("dport", "-u -k 1000 -l 500 -b 8M"),
        ("sport", "-u -t 1 -l 500 -b 4M -R"),
    ] {
        net.input(
            &["dropped"],
            &format!(
                "udp {side} 5201 udp length 508 numgen inc mod 20 == 7 counter name dropped drop"
            ),
        );
        let end = &net.measure("127.0.0.1", flags)["end"];
        let dropped = net.counted()["dropped"];
        assert!(dropped >= 20, "{flags}: {dropped}");
        assert_eq!(
            end["sum_received"]["lost_packets"], dropped,
            "{flags}: {end}"
        );
        net.nft("flush ruleset");
    }
}

/// CPU time is a part of the machine's, for the shortest test, too.
#[test]
fn report_071_cpu_time_stays_within_the_machine() {
    let lab = Alone::new("");
    // `measure` holds every document to it.
    for flags in [
        "-n 1",
        "-n 1 -R",
        "-n 100K -P 8",
        "-t 0.3 -P 4",
        "-u -k 1",
        "-t 0.3 -u -b 0 -l 1000",
    ] {
        for _ in 0..3 {
            let cpu = &lab.measure(flags)["end"]["cpu_utilization_percent"];
            assert!(
                !cpu["host_total"].is_null() && !cpu["remote_total"].is_null(),
                "{flags}: {cpu}"
            );
        }
    }
}

/// A test without end is ended by a signal, and its time is its own.
#[test]
fn report_072_a_test_without_end_counts_the_time_that_passed() {
    let lab = Alone::new("");
    let client = lab
        .net
        .engine("-c 127.0.0.1 -t 0 -b 5M -i 0.2 --json-stream --json-stream-full-output")
        .spawn();
    let client = Running::of(client.expect("the client starts")).until("\"event\":\"interval\"");
    std::thread::sleep(Duration::from_millis(500));
    crate::run::signal(&client.child, "INT");
    let printed = text(&client.end().stdout);
    let document = strict::parse(&printed.as_bytes()[printed.find("\n{\n").expect("a document")..]);
    strict::sane(&document);
    let seconds = number(&document["end"]["sum_sent"]["seconds"]);
    assert!((0.5..5.0).contains(&seconds), "{seconds}");
}
