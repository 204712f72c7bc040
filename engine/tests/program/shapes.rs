//! The lines of both ends against those that stock iperf3 3.18 printed in the same mode (`shapes/`): figures, units
//! and names replaced by words, runs of equal lines by one. What differs on purpose is said here.

use crate::run::{Server, engine, finish, text, wait};
use crate::uninterrupted::uninterrupted;
use std::io::Read;
use std::process::Stdio;

macro_rules! shapes {
    ($($mode:literal: $flags:literal,)*) => {
        &[$((
            $mode,
            $flags,
            include_str!(concat!("shapes/", $mode, "-client.txt")),
            include_str!(concat!("shapes/", $mode, "-server.txt")),
        ),)*]
    };
}

type Mode = (&'static str, &'static str, &'static str, &'static str);

const MODES: &[Mode] = shapes! {
    "tcp": "",
    "tcp-reverse": "-R",
    "tcp-bidir": "--bidir",
    "tcp-parallel": "-P 2",
    "tcp-bidir-parallel": "--bidir -P 2",
    "tcp-omit": "-O 1",
    "tcp-omit-parallel": "-O 1 -P 2",
    "tcp-bytes": "-n 2M",
    "tcp-server-output": "--get-server-output",
    "tcp-title": "-T rack",
    "tcp-verbose": "-V",
    "tcp-reverse-verbose": "-R -V",
    "tcp-bidir-verbose": "--bidir -V",
    "udp": "-u",
    "udp-reverse": "-u -R",
    "udp-bidir": "-u --bidir",
    "udp-parallel": "-u -P 2",
    "udp-reverse-parallel": "-u -R -P 2",
    "udp-verbose": "-u -V",
};

/// Only stock prints them: the far end's figures are in our exchange, and the client shows them.
const STOCK_ONLY: [&str; 2] = [
    "[ N] (sender statistics not available)",
    "[ N] (receiver statistics not available)",
];
/// Of these stock prints those of its own end, none, or the same twice; ours are both ends', once a test. The last three
/// are ours alone.
const ONCE: [&str; 6] = [
    "CPU Utilization:",
    "snd_tcp_congestion",
    "rcv_tcp_congestion",
    "snd_qdisc",
    "rcv_qdisc",
    "Fast paths:",
];

fn shape(printed: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in printed.lines() {
        let line = line_shape(line);
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

fn line_shape(line: &str) -> String {
    if line.starts_with("nettest 0") {
        return "VERSION".to_owned();
    }
    if line.starts_with("Linux ") {
        return "SYSTEM".to_owned();
    }
    if line.starts_with("Time: ") && line.ends_with(" GMT") {
        return "Time: DATE".to_owned();
    }
    if let Some(cookie) = line.strip_prefix("      Cookie: ") {
        assert_eq!(cookie.len(), 36, "{line}");
        return " Cookie: COOKIE".to_owned();
    }
    if let Some((name, _)) = line.split_once("_congestion ") {
        return format!("{name}_congestion NAME");
    }
    let figures = numbers(&line.replace("127.0.0.1", "ADDR"));
    let mut shape = figures
        .split_whitespace()
        .map(word)
        .collect::<Vec<_>>()
        .join(" ");
    if line.starts_with(' ') {
        shape.insert(0, ' ');
    }
    shape
}

fn word(word: &str) -> &str {
    match word {
        "Bytes" | "KBytes" | "MBytes" | "GBytes" => "BYTES",
        "bits/sec" | "Kbits/sec" | "Mbits/sec" | "Gbits/sec" => "RATE",
        other => other,
    }
}

/// Each number, with its fraction, is an N.
fn numbers(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        if !next.is_ascii_digit() {
            out.push(next);
            continue;
        }
        out.push('N');
        while rest.peek().is_some_and(|c| c.is_ascii_digit() || *c == '.') {
            rest.next();
        }
    }
    out
}

#[track_caller]
fn compare(what: &str, ours: &str, stock: &str) {
    let once = |line: &&String| ONCE.iter().any(|start| line.starts_with(start));
    let shape = shape(ours);
    let stock: Vec<String> = stock
        .lines()
        .filter(|line| !STOCK_ONLY.contains(line))
        .map(str::to_owned)
        .collect();
    let without = |lines: &[String]| -> Vec<String> {
        let mut kept: Vec<String> = lines.iter().filter(|line| !once(line)).cloned().collect();
        kept.dedup();
        kept
    };
    assert_eq!(without(&shape), without(&stock), "{what}:\n{ours}");
    if what.contains("verbose") {
        // One line of CPU for each role that the end has, two of queueing disciplines; of TCP the two of congestion
        // control, and of UDP one of the offloads that are in force without being asked for.
        let roles = if what.contains("bidir") { 2 } else { 1 };
        let expected = roles + 2 + if what.contains("udp") { 1 } else { 2 };
        assert_eq!(
            shape.iter().filter(once).count(),
            expected,
            "{what}:\n{ours}"
        );
    } else {
        assert_eq!(shape.iter().filter(once).count(), 0, "{what}:\n{ours}");
    }
}

fn measure((mode, flags, client, server): &Mode) {
    let verbose = if flags.contains("-V") { "-V" } else { "" };
    let port = crate::run::free_port();
    let mut child = engine(&format!("-s -1 -p {port} {verbose}"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut out = child.stdout.take().expect("stdout is piped");
    let mut printed = Vec::new();
    // Its banner: then it listens.
    while text(&printed).matches("-----\n").count() < 2 {
        let mut byte = [0];
        assert_eq!(
            uninterrupted(|| out.read(&mut byte)).expect("the banner"),
            1
        );
        printed.push(byte[0]);
    }
    let time = if flags.contains("-n") { "" } else { "-t 2" };
    let output = finish(&format!("-c 127.0.0.1 -p {port} -b 8M {time} {flags}"));
    assert_eq!(
        output.status.code(),
        Some(0),
        "{mode}: {}",
        text(&output.stderr)
    );
    out.read_to_end(&mut printed).expect("the server's rows");
    wait(child);
    compare(&format!("{mode} client"), &text(&output.stdout), client);
    compare(&format!("{mode} server"), &text(&printed), server);
}

#[test]
fn the_lines_of_every_mode_are_those_of_iperf3() {
    for some in MODES.chunks(5) {
        std::thread::scope(|scope| {
            let running: Vec<_> = some
                .iter()
                .map(|mode| (mode.0, scope.spawn(move || measure(mode))))
                .collect();
            for (mode, running) in running {
                assert!(running.join().is_ok(), "{mode}");
            }
        });
    }
}

#[test]
fn the_server_numbers_its_tests() {
    let mut server = Server::start("");
    for _ in 0..2 {
        let output = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
        assert_eq!(output.status.code(), Some(0));
    }
    let (_, printed) = server.stop();
    assert!(
        printed.contains("(test #2)") && printed.contains("(test #3)"),
        "{printed}"
    );
}
