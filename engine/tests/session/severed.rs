//! Field reports 073, 074 and 087: links that go down, and devices on the way that forget a connection. Between network
//! namespaces of the test's own.

use crate::lab::{Net, Serving};
use crate::run::{Running, text};
use serde_json::Value;
use std::process::Output;
use std::time::{Duration, Instant};

/// Everything is dropped, or all but the data flow.
fn drop_all(net: &Net, except: &str) {
    net.nft(&format!(
        "table inet cut {{
            chain in {{ type filter hook input priority 0; iif lo accept; {except} drop; }}
            chain out {{ type filter hook output priority 0; oif lo accept; {except} drop; }}
        }}"
    ));
}

/// How long until the server takes a test again; they come from its own loopback.
fn free_again(net: &Net, limit: Duration, case: &str) -> Duration {
    let begun = Instant::now();
    loop {
        let output = net.finish("-c 127.0.0.1 -n 1M --connect-timeout 2000 --queue-timeout 0");
        if output.status.success() {
            return begun.elapsed();
        }
        assert!(begun.elapsed() < limit, "{case}: the server stays busy");
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// A running test from one namespace to the other, and its server.
fn running(one: &Net, two: &Net, flags: &str) -> (Running, Serving) {
    let server = two.server("-i 1");
    let client = one.engine(&format!("-c 10.7.0.2 {flags}")).spawn();
    let client = Running::of(client.expect("the client starts")).until("/sec");
    (client, server)
}

/// The cable is out, and the client is gone with the power: nothing tells the server so. Its own time limit does not
/// help with `-t 0`.
#[test]
fn report_073_074_a_link_that_goes_down_frees_the_server() {
    let cases = [
        "-t 0 -R -b 10M",
        "-t 60 -b 10M",
        "-t 60 --bidir -b 10M",
        "-u -t 0 -R -b 10M",
        "-u -t 60 -b 10M",
    ];
    std::thread::scope(|scope| {
        for case in cases {
            for silently in [false, true] {
                scope.spawn(move || {
                    let (one, two) = Net::pair();
                    let (mut client, server) = running(&one, &two, case);
                    if silently {
                        drop_all(&one, "");
                    } else {
                        one.run("ip link set v0 down");
                    }
                    client.child.kill().expect("the client is killed");
                    client.child.wait().expect("the client ends");
                    let case = format!("{case}, silently: {silently}");
                    // 15 s, and some for a busy machine: ten of these run at a time.
                    let after = free_again(&two, Duration::from_secs(40), &case);
                    assert!(after < Duration::from_secs(20), "{case}: {after:?}");
                    let said = text(&server.stop().stdout);
                    let rows = said.lines().filter(|line| line.contains("/sec")).count();
                    assert!(rows > 2, "{case}: the partial result is kept: {said}");
                });
            }
        }
    });
}

/// Data goes on, and the control connection is no more: at its end the test says so, with what was measured.
#[test]
fn report_087_a_control_connection_that_dies_silently_leaves_the_result() {
    std::thread::scope(|scope| {
        for (form, direction) in [("", ""), ("-J", ""), ("", "-R"), ("-J", "-R")] {
            scope.spawn(move || {
                let (one, two) = Net::pair();
                let server = two.server("-i 1");
                let flags = format!("-c 10.7.0.2 -t 6 -b 10M --cport 20000 {form} {direction}");
                let client = one.engine(&flags).spawn().expect("the client starts");
                let client = Running::of(client);
                let begun = Instant::now();
                // Its data flows before the control flow is forgotten.
                while !established(&one) {
                    assert!(begun.elapsed() < Duration::from_secs(20), "no data flow");
                    std::thread::sleep(Duration::from_millis(20));
                }
                std::thread::sleep(Duration::from_millis(1500));
                drop_all(&one, "tcp sport 20000 accept; tcp dport 20000 accept;");
                let output = client.end();
                cut_short(&flags, &output);
                let after = free_again(&two, Duration::from_secs(40), &flags);
                assert!(after < Duration::from_secs(20), "{flags}: {after:?}");
                let said = text(&server.stop().stdout);
                let rows = said.lines().filter(|line| line.contains("/sec")).count();
                assert!(rows > 2, "{flags}: the server's partial result: {said}");
            });
        }
    });
}

fn established(net: &Net) -> bool {
    net.run("ss -tnH state established sport = :20000")
        .lines()
        .count()
        > 0
}

/// A clear error, the client's own code, and the figures so far.
fn cut_short(flags: &str, output: &Output) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{flags}: {said}");
    assert_eq!(said.lines().count(), 1, "{flags}: {said}");
    assert!(said.contains("10.7.0.2"), "{flags}: {said}");
    if flags.contains("-J") {
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert!(document["error"].is_string(), "{flags}");
        let intervals = document["intervals"].as_array().expect("rows");
        assert!(intervals.len() > 1, "{flags}: {document}");
        let end = &document["end"];
        let moved = [&end["sum_sent"], &end["sum_received"]];
        let moved = moved.iter().any(|sum| sum["bytes"].as_u64() > Some(0));
        assert!(moved, "{flags}: {end}");
    } else {
        let rows = text(&output.stdout);
        assert!(rows.matches("/sec").count() > 2, "{flags}: {rows}");
    }
}
