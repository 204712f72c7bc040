//! What a server's operator allows: rate and time (E14).

use crate::run::{Server, finish, text};
use serde_json::Value;
use std::process::Command;

fn client(server: &Server, flags: &str) -> std::process::Output {
    finish(&format!("-c 127.0.0.1 -p {} {flags}", server.port))
}

/// A test is taken, or refused with the number of why.
fn takes(server: &Server, flags: &str, taken: bool, number: u32) {
    let output = client(server, flags);
    let said = text(&output.stderr);
    assert_eq!(output.status.success(), taken, "{flags}: {said}");
    if !taken {
        assert!(
            said.contains(&format!("(error {number})")),
            "{flags}: {said}"
        );
    }
}

#[test]
fn a_rate_above_the_ceiling_is_refused_before_the_test() {
    let server = Server::start("--server-bitrate-limit 10M");
    for (flags, taken) in [
        ("-t 1 -b 10M", true),
        ("-t 1 -b 11M", false),
        ("-t 1 -b 6M -P 2", false),
        ("-t 1 -b 6M --bidir", false),
        ("-t 1 -b 5M -P 2", true),
        ("-t 1 -u -b 11M -R", false),
    ] {
        takes(&server, flags, taken, 27);
    }
}

#[test]
fn a_client_without_a_rate_is_ended_by_the_running_average() {
    for flags in ["-t 20", "-t 20 -R", "-t 20 --bidir", "-u -b 0 -t 20 -R"] {
        let mut server = Server::start("--server-bitrate-limit 10M/1");
        let output = client(&server, &format!("-J {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        let error = document["error"].as_str().expect("an error");
        assert!(error.contains("(error 27)"), "{flags}: {error}");
        assert!(
            !document["intervals"].as_array().expect("rows").is_empty(),
            "{flags}: the rows so far"
        );
        let (_, said) = server.stop();
        assert!(said.contains("/sec"), "{flags}: its rows so far: {said}");
    }
}

/// A paced client at the ceiling is left alone.
#[test]
fn a_client_that_keeps_to_the_ceiling_is_not_ended() {
    let server = Server::start("--server-bitrate-limit 20M/1");
    for flags in ["-t 3 -b 20M", "-t 3 -b 10M --bidir", "-u -t 3 -b 20M -R"] {
        let output = client(&server, flags);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{flags}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_test_that_may_last_too_long_is_refused_before_it_begins() {
    let server = Server::start("--server-max-duration 3");
    for (flags, taken) in [
        ("-t 1", true),
        ("-t 4", false),
        ("-t 2 -O 2", false),
        ("-n 1M", false),
        ("-k 1", false),
        ("-t 0", false),
    ] {
        takes(&server, &format!("-b 1M {flags}"), taken, 37);
    }
}

/// A stock client is told in its own numbers.
#[test]
fn a_stock_client_hears_why() {
    let server = Server::start("--server-bitrate-limit 10M");
    let output = Command::new("iperf3")
        .args([
            "-c",
            "127.0.0.1",
            "-t",
            "1",
            "-b",
            "11M",
            "-p",
            &server.port.to_string(),
        ])
        .output()
        .expect("iperf3 is on the PATH");
    let said = text(&output.stderr);
    assert!(
        said.contains("total required bandwidth is larger than server limit"),
        "{said}"
    );
}

/// Refusals are no tests: a one-off server waits on.
#[test]
fn a_refused_test_does_not_use_up_a_one_off_server() {
    let mut server = Server::start("-1 --server-max-duration 3");
    assert_eq!(client(&server, "-t 4").status.code(), Some(1));
    assert_eq!(client(&server, "-t 1 -b 1M").status.code(), Some(0));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}
