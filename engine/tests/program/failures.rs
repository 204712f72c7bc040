//! What cannot be done is said in one line, with the right code, in the form that was asked for.

use crate::run::{Server, engine, finish, free_port, text, wait};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

/// Field reports 009, 056, 061, 065: nothing is sent, the flag is named, the code is 1.
#[test]
fn reports_009_056_061_065_wrong_flags_are_one_line_a_hint_and_exit_1() {
    for (flags, named) in [
        ("-c 127.0.0.1 -P 0", "-P"),
        ("-c 127.0.0.1 -P -1", "-P"),
        ("-c 127.0.0.1 -P 129", "-P"),
        ("-c 127.0.0.1 -b -1", "-b"),
        ("-c 127.0.0.1 -f bits", "-f"),
        ("-c 127.0.0.1 -p 70000", "-p"),
        ("-c 127.0.0.1 --dscp 64", "--dscp"),
        ("-c 127.0.0.1 -t 1 -k 1", "-k"),
        ("-s -u", "-u"),
        ("", "-c"),
    ] {
        let output = finish(flags);
        assert_eq!(output.status.code(), Some(1), "{flags}");
        assert!(output.stdout.is_empty(), "{flags}");
        let said = text(&output.stderr);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 2, "{flags}: {said}");
        assert!(
            lines[0].starts_with("nettest-engine: parameter error - ") && lines[0].contains(named),
            "{flags}: {said}"
        );
        assert!(lines[1].starts_with("Usage: "), "{flags}: {said}");
    }
}

#[test]
fn a_server_that_is_not_there_is_exit_3_and_one_document() {
    let port = free_port();
    let output = finish(&format!("-c 127.0.0.1 -p {port} -J"));
    assert_eq!(output.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&output.stdout).expect("exactly one value");
    let error = document["error"].as_str().expect("the error is inside");
    assert!(error.contains("refused"), "{error}");
    assert_eq!(document["intervals"], Value::Array(Vec::new()));
    let said = text(&output.stderr);
    assert!(said.starts_with("nettest-engine: error - "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");

    let output = finish(&format!("-c 127.0.0.1 -p {port} --iperf3-exit-codes"));
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
}

#[test]
fn a_name_that_does_not_resolve_is_said_so() {
    let output = finish("-c no-such-host.invalid --connect-timeout 3000");
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("no-such-host.invalid"));
}

#[test]
fn what_cannot_be_bound_to_gets_a_fitting_hint() {
    let port = free_port();
    for (flags, named, hint) in [
        (
            "--bind-dev no-such-dev",
            "interface no-such-dev",
            "machine has it",
        ),
        (
            "-B 203.0.113.7",
            "address 203.0.113.7",
            "address of this machine",
        ),
    ] {
        let output = finish(&format!("-c 127.0.0.1 -p {port} {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let said = text(&output.stderr);
        assert!(
            said.contains(named) && said.contains(hint),
            "{flags}: {said}"
        );
        assert!(!said.contains("port free"), "{flags}: {said}");
    }
}

/// The whole way to the digest: the last line and the file are the same.
#[test]
fn a_failed_measurement_leaves_its_digest() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    let port = free_port();
    let output = finish(&format!(
        "-c 127.0.0.1 -p {port} --measurement-stream --run-uid u-1 --attempt 2 --repeats 3 --digest-file {}",
        file.display()
    ));
    assert_eq!(output.status.code(), Some(3));
    let lines = text(&output.stdout);
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["event"], "digest");
    assert_eq!(last["data"]["outcome"], "Failed");
    assert_eq!(last["data"]["reason"], "PeerUnreachable");
    assert_eq!(last["data"]["run"], "u-1");
    assert_eq!(last["data"]["attempt"], 2);
    let written: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("the file")).expect("JSON");
    assert_eq!(written, last["data"]);
}

#[test]
fn refused_flags_leave_a_digest_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    for flags in [
        "--run-uid u-1 --digest-file FILE",
        "--run-uid=u-1 --digest-file=FILE",
    ] {
        let flags = flags.replace("FILE", &file.display().to_string());
        let output = finish(&format!("-c 127.0.0.1 -P 999 {flags}"));
        assert_eq!(output.status.code(), Some(1));
        let written = std::fs::read(&file).expect("the file");
        std::fs::remove_file(&file).expect("each time anew");
        let written: Value = serde_json::from_slice(&written).expect("JSON");
        assert_eq!(written["reason"], "InvalidSpec");
        assert_eq!(written["run"], "u-1");
    }
}

/// esnet/iperf#1118 and field report 042: JSON was asked for, so JSON comes, whatever fails, and once.
#[test]
fn report_042_json_comes_on_every_failure() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    for (flags, said) in [
        (format!("-s -B 127.0.0.1 -p {port}"), port.to_string()),
        (
            format!("-s -p {} -1 --idle-timeout 1", free_port()),
            "idle".to_owned(),
        ),
        (
            format!("-s -p {} -I /nonexistent/pid", free_port()),
            "/nonexistent/pid".to_owned(),
        ),
        (
            format!("-c 127.0.0.1 -p {} -F /nonexistent/file", free_port()),
            "/nonexistent/file".to_owned(),
        ),
        (
            format!("-c 127.0.0.1 -p {}", free_port()),
            "refused".to_owned(),
        ),
    ] {
        let output = finish(&format!("{flags} -J"));
        assert_ne!(output.status.code(), Some(0), "{flags}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("exactly one value");
        let error = document["error"].as_str().unwrap_or_default();
        assert!(error.contains(&said), "{flags}: {error}");
        assert!(text(&output.stderr).contains(error), "{flags}");
        let output = finish(&format!("{flags} --json-stream"));
        let events: Vec<String> = text(&output.stdout)
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).expect("a value a line");
                line["event"].as_str().expect("an event").to_owned()
            })
            .collect();
        assert_eq!(events, ["error", "end"], "{flags}");
    }
}

#[test]
fn a_server_whose_port_is_taken_leaves_a_digest() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    let output = finish(&format!(
        "-s -B 127.0.0.1 -p {port} --run-uid u-1 --attempt 1 --digest-file {}",
        file.display()
    ));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(&port.to_string()));
    let written: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("the file")).expect("JSON");
    assert_eq!(written["outcome"], "Failed");
}

/// The operator decides by the digest: a measurement without one is no success.
#[test]
fn a_digest_that_cannot_be_written_is_exit_1() {
    let server = Server::start("");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -n 1M --run-uid u-1 --digest-file /nonexistent/digest",
        server.port
    ));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("/nonexistent/digest"), "{said}");
}

/// `nettest-engine … | head -1`: nobody reads, so nothing more is sent.
#[test]
fn a_client_whose_reader_goes_away_ends_the_test() {
    let server = Server::start("");
    for kind in ["", "--json-stream", "--measurement-stream --run-uid u-1"] {
        let flags = format!("-c 127.0.0.1 -p {} -t 25 -i 0.2 -b 20M {kind}", server.port);
        let mut child = engine(&flags).spawn().expect("the client starts");
        let begun = Instant::now();
        let mut first = String::new();
        let out = child.stdout.take().expect("stdout is piped");
        let mut out = BufReader::new(out);
        out.read_line(&mut first).expect("a first line");
        assert!(!first.is_empty(), "{kind}");
        drop(out);
        let output = wait(child);
        assert_eq!(output.status.code(), Some(1), "{kind}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{kind}");
        let said = text(&output.stderr);
        assert!(
            said.contains("unable to write the output"),
            "{kind}: {said}"
        );
    }
}

/// Field report 054.
#[test]
fn report_054_an_unwritable_log_file_is_exit_1_at_once() {
    let output = finish("-s -1 --logfile /nonexistent/log");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/nonexistent/log"));
}

/// Field report 082: a one-off server does not wait for ever.
#[test]
fn report_082_an_idle_one_off_server_ends_with_an_error() {
    let begun = Instant::now();
    let output = wait(
        engine(&format!("-s -1 -p {} --idle-timeout 1", free_port()))
            .spawn()
            .expect("the server starts"),
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(begun.elapsed() >= Duration::from_millis(900));
    assert!(text(&output.stderr).contains("idle"));
}

/// The time of a test is no idle time, and whoever looks in while it closes changes nothing.
#[test]
fn a_test_longer_than_the_idle_timeout_is_no_failure() {
    let mut server = Server::start("-1 --idle-timeout 1");
    let port = server.port;
    let client = engine(&format!("-c 127.0.0.1 -p {port} -t 1.5 -b 10M")).spawn();
    let client = client.expect("the client starts");
    while let Ok(visitor) = std::net::TcpStream::connect(("127.0.0.1", port)) {
        std::thread::sleep(Duration::from_millis(1));
        drop(visitor);
    }
    assert_eq!(wait(client).status.code(), Some(0));
    assert_eq!(
        server.child.wait().expect("the server ends").code(),
        Some(0)
    );
}

#[test]
fn a_probe_tells_whether_a_server_is_there() {
    let port = free_port();
    let output = finish(&format!("--probe -p {port} --connect-timeout 1000"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr).lines().count(), 1);
}
