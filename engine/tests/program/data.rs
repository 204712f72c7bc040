//! Options of the data streams, as a user types them.

use crate::port;
use crate::run::{Server, engine, finish, text, wait};
use serde_json::Value;
use std::net::TcpListener;

pub fn document(flags: &str) -> Value {
    let output = finish(flags);
    let shown = format!("{flags}: {}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{shown}");
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

pub fn bytes(document: &Value, sum: &str) -> u64 {
    document["end"][sum]["bytes"].as_u64().expect("a number")
}

/// Both ends of a byte-limited test, to the byte.
#[test]
fn zerocopy_and_skipped_reads_are_exact_each_way() {
    let server = Server::start("");
    for flags in [
        "-Z",
        "--skip-rx-copy",
        "-Z --skip-rx-copy -R",
        "-Z --repeating-payload -P 3",
        "-Z --bidir",
    ] {
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -n 3000001 {flags}",
            server.port
        ));
        let both = (
            bytes(&document, "sum_sent"),
            bytes(&document, "sum_received"),
        );
        assert_eq!(both, (3_000_001, 3_000_001), "{flags}");
    }
}

/// Streams with pipes of their own, and those for which no descriptors are left.
#[test]
fn zerocopy_needs_few_descriptors() {
    let server = Server::start("");
    let program = format!(
        "ulimit -n 64; exec {} -c 127.0.0.1 -p {} -J -n 20000001 -P 12 -Z",
        env!("CARGO_BIN_EXE_nettest-engine"),
        server.port
    );
    let mut client = std::process::Command::new("sh");
    client.args(["-c", &program]);
    client.stdout(std::process::Stdio::piped());
    client.stderr(std::process::Stdio::piped());
    let output = wait(client.spawn().expect("the client starts"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    for sum in ["sum_sent", "sum_received"] {
        assert_eq!(bytes(&document, sum), 20_000_001, "{sum}");
    }
}

/// No file is made: there is no folder for one.
#[test]
fn report_090_zerocopy_needs_no_disk() {
    let server = Server::start("");
    let mut client = engine(&format!("-c 127.0.0.1 -p {} -J -n 1M -Z", server.port));
    client.env("TMPDIR", "/proc").current_dir("/proc");
    let output = wait(client.spawn().expect("the client starts"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// esnet/iperf PR #2075: iperf3 reports 0 for UDP.
#[test]
fn a_skipping_udp_receiver_counts() {
    let server = Server::start("");
    for flags in ["-l 40000", "-l 1000", "-l 1000 -R", "-l 1000 --gsro"] {
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -u -b 20M -k 25 --skip-rx-copy {flags}",
            server.port
        ));
        let end = &document["end"]["sum_received"];
        assert_eq!(
            (&end["packets"], &end["lost_packets"]),
            (&25.into(), &0.into()),
            "{flags}"
        );
        let (sent, received) = (
            bytes(&document, "sum_sent"),
            bytes(&document, "sum_received"),
        );
        assert_eq!(sent, received, "{flags}");
    }
}

fn local_ports(document: &Value) -> Vec<u64> {
    let connected = document["start"]["connected"].as_array().expect("streams");
    let port = |stream: &Value| stream["local_port"].as_u64().expect("a port");
    connected.iter().map(port).collect()
}

/// Ports below those that the kernel gives to others' connections (32768 and up), and nobody's here.
fn ports(base: u16) -> u16 {
    (0..100)
        .map(|step| base + 7 * step)
        .find(|port| (0..3).all(|next| port::is_free(port + next)))
        .expect("three free ports")
}

#[test]
fn report_059_cport_counts_up_over_both_directions_and_works_again_at_once() {
    let server = Server::start("");
    for (flags, base) in [
        ("--bidir", 21_000),
        ("-P 3", 22_000),
        ("-P 2 -R", 23_000),
        ("-u --bidir -b 1M", 24_000),
    ] {
        let first = ports(base);
        let expected: Vec<u64> = match flags {
            "-P 3" => vec![0, 1, 2],
            _ => vec![0, 1],
        };
        for _ in 0..2 {
            let document = document(&format!(
                "-c 127.0.0.1 -p {} -J -t 0.2 --cport {first} {flags}",
                server.port
            ));
            let offsets: Vec<u64> = local_ports(&document)
                .into_iter()
                .map(|port| port - u64::from(first))
                .collect();
            assert_eq!(offsets, expected, "{flags}");
        }
    }
}

#[test]
fn report_060_without_a_port_all_are_the_kernels_choice() {
    let server = Server::start("");
    let document = document(&format!(
        "-c 127.0.0.1 -p {} -J -t 0.2 -B 127.0.0.1 -P 4",
        server.port
    ));
    assert!(local_ports(&document).iter().all(|port| *port >= 1024));
}

#[test]
fn report_061_a_port_that_is_taken_is_named() {
    let server = Server::start("");
    let taken = TcpListener::bind("0.0.0.0:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 1 --cport {port}",
        server.port
    ));
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains(&format!(":{port}")), "{error}");
    // The server is free again.
    document(&format!("-c 127.0.0.1 -p {} -J -t 0.2", server.port));
}

#[test]
fn transports_and_marks_that_this_kernel_has_carry_data() {
    let server = Server::start("");
    let port = server.port;
    for flags in [
        format!("-c 127.0.0.1 -p {port} -n 1M --mptcp"),
        format!("-c 127.0.0.1 -p {port} -n 1M --mptcp -R"),
        format!("-c ::1 -p {port} -n 1M -L 4660"),
        format!("-c ::1 -p {port} -k 20 -u -b 20M -l 1000 -L 4660 --bidir"),
        format!("-c 127.0.0.1 -p {port} -k 20 -u -b 20M -l 1000 --dont-fragment -R"),
        format!("-c 127.0.0.1 -p {port} -n 1M --snd-timeout 3000 --fq-rate 10G --bidir"),
    ] {
        let document = document(&format!("{flags} -J"));
        let sent = bytes(&document, "sum_sent");
        assert!(sent > 0, "{flags}");
        assert_eq!(sent, bytes(&document, "sum_received"), "{flags}");
    }
}

/// The kernel keeps the rate of TCP itself, whatever the queueing discipline.
#[test]
fn fq_rate_paces_the_sender_at_either_end() {
    let server = Server::start("");
    for flags in ["", "-R"] {
        let document = document(&format!(
            "-c 127.0.0.1 -p {} -J -t 1 --fq-rate 50M {flags}",
            server.port
        ));
        let rate = document["end"]["sum_received"]["bits_per_second"]
            .as_f64()
            .expect("a rate");
        // The first burst is free, and pacing counts headers.
        assert!(rate > 20e6 && rate < 100e6, "{flags}: {rate}");
    }
}

/// Where the kernel has SCTP the test runs; else both ends say so in one line.
#[test]
fn sctp_runs_or_is_refused_in_one_line() {
    let server = Server::start("");
    let output = finish(&format!("-c 127.0.0.1 -p {} --sctp -n 1M", server.port));
    let error = text(&output.stderr);
    if output.status.code() == Some(0) {
        assert_eq!(error, "");
        return;
    }
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("no SCTP"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// The datagram that is due at the very end of the omitted part is the counted part's, at both ends. A loaded machine
/// may wake the sender of the last one after the end, so it has some tries; the ends agree in all of them.
#[test]
fn an_omitted_part_takes_no_datagram_from_the_counted_one() {
    let server = Server::start("");
    for flags in ["", "-R"] {
        let mut seen = Vec::new();
        while seen.last() != Some(&125) {
            assert!(seen.len() < 10, "{flags}: {seen:?}");
            let document = document(&format!(
                "-c 127.0.0.1 -p {} -J -u -b 1M -l 1000 -O 1 -t 1 {flags}",
                server.port
            ));
            let end = &document["end"];
            let packets = |sum: &str| end[sum]["packets"].as_u64().expect("a number");
            assert_eq!(
                packets("sum_sent"),
                packets("sum_received"),
                "{flags}: {end}"
            );
            assert_eq!(end["sum"]["lost_packets"], 0, "{flags}");
            seen.push(packets("sum_sent"));
        }
    }
}
