//! How long the ends wait: `--rcv-timeout`, `--cntl-ka`, and who is not to be given up.

use crate::raw::{COOKIE, Raw};
use crate::run::{Running, Server, text, wait};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_server_that_receives_nothing_waits_as_long_as_it_was_told() {
    for (flags, at_least, at_most) in [
        ("--rcv-timeout 1000", 1, 10),
        ("--rcv-timeout 18000", 18, 25),
    ] {
        let server = Server::start(flags);
        let mut raw = Raw::start_test(
            server.port,
            r#"{"tcp":true,"time":60,"parallel":1,"len":1000}"#,
        );
        let mut data = Raw::connect(server.port);
        data.send(COOKIE);
        assert_eq!([raw.state(), raw.state()], [1, 2]);
        let begun = Instant::now();
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, 144, 0, 0, 0, 0], "{flags}");
        let after = begun.elapsed().as_secs();
        assert!((at_least..=at_most).contains(&after), "{flags}: {after} s");
    }
}

/// Seconds until the next probe, of the control connections of `port` that the kernel has in this direction.
fn keepalive(filter: &str) -> Vec<f64> {
    let output = Command::new("ss")
        .args(["-tnoH", "state", "established", filter])
        .output();
    let said = text(&output.expect("ss is on the PATH").stdout);
    said.lines()
        .filter_map(|line| line.split_once("timer:(keepalive,")?.1.split_once(','))
        .map(|(left, _)| {
            let number = left.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let seconds = match &left[number.len()..] {
                "ms" => 0.001,
                "min" => 60.0,
                _ => 1.0,
            };
            number.parse::<f64>().expect("a time") * seconds
        })
        .collect()
}

#[test]
fn the_keepalive_of_the_control_connection_is_as_asked_at_both_ends() {
    for (server_flags, client_flags) in [("--cntl-ka=50/3/4", ""), ("", "--cntl-ka=50/3/4")] {
        let server = Server::start(server_flags);
        let port = server.port;
        let flags = format!("-c 127.0.0.1 -p {port} -t 60 -u -b 1M {client_flags}");
        let _client = Running::start(&flags).until("/sec");
        for (filter, flags) in [
            (format!("sport = :{port}"), server_flags),
            (format!("dport = :{port}"), client_flags),
        ] {
            let begun = Instant::now();
            let long = |times: &[f64]| times.iter().any(|t| *t > 20.0);
            // A moment ago there may have been data to acknowledge, and no keepalive was due.
            let mut times = keepalive(&filter);
            while times.is_empty() && begun.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(50));
                times = keepalive(&filter);
            }
            assert_eq!(
                long(&times),
                !flags.is_empty(),
                "{filter} with '{flags}': {times:?}"
            );
        }
    }
}

/// It has nothing to send, and cannot be asked for a sign of life as ours can.
#[test]
fn a_stock_client_that_only_receives_datagrams_is_served_to_its_end() {
    let server = Server::start("");
    let child = Command::new("iperf3")
        .args([
            "-c",
            "127.0.0.1",
            "-u",
            "-R",
            "-b",
            "1M",
            "-t",
            "17",
            "-p",
            &server.port.to_string(),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output = wait(child.expect("iperf3 is on the PATH"));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// People mix the two up (facts/engine.md 5, 34).
#[test]
fn an_iperf_2_client_is_named_in_the_servers_log() {
    let server = crate::run::engine(&format!("-s -p {}", crate::run::free_port()));
    let port = server.get_args().last().expect("the port").to_owned();
    let port: u16 = port.to_string_lossy().parse().expect("a number");
    let server = Running::of({
        let mut server = server;
        server.spawn().expect("it starts")
    })
    .until("listening");
    // As 2.1.8 begins.
    let mut raw = Raw::connect(port);
    raw.send(&[0x40, 0x01, 0x00, 0x78, 0, 0, 0, 1, 0, 0, 0xca, 0x79]);
    raw.send(&[0; 52]);
    raw.rest();
    crate::run::signal(&server.child, "TERM");
    let output = server.end();
    let said = text(&output.stderr);
    assert!(said.contains("iperf 2"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}
