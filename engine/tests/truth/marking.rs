//! TOS and DSCP as the packets carry them.

use crate::lab::{Alone, Net};
use crate::run::text;
use crate::strict::count;

/// Counts at the client what goes out and comes in on the data ports, by whether it is marked. The control connection
/// and the server's answer to a SYN are not the test's: its listener serves all tests.
fn count_marks(net: &Net, dscp: &str) {
    let mut rules = [String::new(), String::new()];
    for (ip, longer) in [("ip", "ip length > 60"), ("ip6", "ip6 length > 40")] {
        for (op, mark) in [("==", "marked"), ("!=", "unmarked")] {
            let dscp = format!("{ip} dscp {op} {dscp}");
            rules[0] += &format!(
                "tcp dport 5201 tcp sport 15200-15299 {dscp} counter name {mark}_out
                 udp dport 5201 {dscp} counter name {mark}_out\n"
            );
            rules[1] += &format!(
                "tcp sport 5201 tcp dport 15200-15299 {longer} {dscp} counter name {mark}_in
                 udp sport 5201 {dscp} counter name {mark}_in\n"
            );
        }
    }
    net.nft(&format!(
        "table inet truth {{
         counter marked_out {{ }}
         counter unmarked_out {{ }}
         counter marked_in {{ }}
         counter unmarked_in {{ }}
         chain output {{ type filter hook output priority 0;\n{}\n}}
         chain input {{ type filter hook input priority 0;\n{}\n}}
         }}\n",
        rules[0], rules[1]
    ));
}

/// Every packet of the data, from the first SYN and hello on, both ways, both families: the server's socket takes IPv4
/// and IPv6 alike.
fn all_marked(asked: &str, dscp: &str, tests: &[&str]) {
    let (near, far) = Net::pair();
    let _server = far.server("");
    count_marks(&near, dscp);
    let mut port = 15200;
    for server in ["10.7.0.2", "fd07::2"] {
        for flags in tests {
            let before = near.counted();
            let document = near.measure(server, &format!("{asked} --cport {port} {flags}"));
            port += 4;
            let now = near.counted();
            let since = |name: &str| now[name] - before[name];
            let what = format!("{server} {asked} {flags}: {now:?}");
            assert_eq!(
                (since("unmarked_out"), since("unmarked_in")),
                (0, 0),
                "{what}"
            );
            assert!(since("marked_out") > 0, "{what}");
            let back = flags.contains("-R") || flags.contains("--bidir") || flags.contains("-u");
            assert!(!back || since("marked_in") > 0, "{what}");
            assert!(count(&document["end"]["sum_received"]["bytes"]) > 0);
        }
    }
}

#[test]
fn report_064_the_server_marks_what_it_sends_in_reverse() {
    all_marked(
        "--tos 72",
        "18",
        &[
            "-n 200K -R",
            "-n 200K --bidir -P 2",
            "-u -k 50 -b 20M -R",
            "-u -k 50 -b 20M --bidir",
        ],
    );
}

#[test]
fn report_066_the_first_packets_are_marked_too() {
    all_marked(
        "--dscp EF",
        "ef",
        &["-n 200K", "-u -k 50 -b 20M", "-n 1 -P 3", "-u -k 3 -P 3"],
    );
}

#[test]
fn report_065_a_dscp_is_the_upper_six_bits_of_the_tos() {
    let lab = Alone::new("");
    for (flags, tos) in [
        ("--dscp 46", 0xb8),
        ("--dscp EF", 0xb8),
        ("--dscp CS1", 0x20),
        ("--dscp af11", 0x28),
        ("--dscp 0", 0),
    ] {
        let document = lab.measure(&format!("-n 10K {flags}"));
        assert_eq!(document["start"]["test_start"]["tos"], tos, "{flags}");
    }
    for flags in ["--dscp 64", "--dscp foo", "--dscp -1", "-S 256"] {
        let output = lab.net.finish(&format!("-c 127.0.0.1 {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let (flag, said) = (&flags[..flags.find(' ').unwrap_or(0)], text(&output.stderr));
        assert!(said.contains(flag), "{flags}: {said}");
    }
}
