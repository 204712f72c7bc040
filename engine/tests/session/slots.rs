//! Several tests on one port (`--max-tests`), and what one more is told.

use crate::raw::{COOKIE, Raw};
use crate::run::{Running, Server, engine, finish, signal, text, wait};
use std::time::{Duration, Instant};

#[test]
fn two_tests_at_once_are_both_right() {
    let server = Server::start("--max-tests 2");
    for kind in ["-P 2", "-u -P 2", "--bidir"] {
        let flags = format!("-c 127.0.0.1 -p {} -J -t 2 -b 10M {kind}", server.port);
        let clients = [engine(&flags), engine(&flags)].map(|mut c| c.spawn().expect("starts"));
        for output in clients.map(wait) {
            assert_eq!(
                output.status.code(),
                Some(0),
                "{kind}: {}",
                text(&output.stdout)
            );
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let end = &document["end"];
            let sent = end["sum_sent"]["bytes"].as_u64().expect("a number");
            assert_eq!(
                Some(sent),
                end["sum_received"]["bytes"].as_u64(),
                "{kind}: {end}"
            );
            assert!(sent > 2_000_000, "{kind}: {sent}");
        }
    }
}

/// Field report 083: at once, with a code of its own, and the running test is not touched.
#[test]
fn one_more_than_max_tests_is_told_so_at_once() {
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -t 6 -b 10M", server.port);
    let running = Running::start(&flags).until("connected to");
    let begun = Instant::now();
    let second = finish(&format!("-c 127.0.0.1 -p {} -t 1", server.port));
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(second.status.code(), Some(5), "{}", text(&second.stderr));
    assert!(
        text(&second.stderr).contains("busy"),
        "{}",
        text(&second.stderr)
    );
    let mut raw = Raw::connect(server.port);
    raw.send(COOKIE);
    assert_eq!(raw.rest(), [0xff]);
    let probe = finish(&format!("--probe -p {}", server.port));
    assert_eq!(probe.status.code(), Some(1));
    assert_eq!(running.end().status.code(), Some(0));
}

/// SIGTERM ends the tests that run, with a word to their clients.
#[test]
fn a_server_that_is_told_to_end_tells_its_client() {
    let mut server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -t 20 -i 0.5 -b 10M", server.port);
    let client = Running::start(&flags).until("/sec");
    let begun = Instant::now();
    signal(&server.child, "TERM");
    let output = client.end();
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("server was terminated"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stdout).contains("  sender\n"),
        "the partial report: {}",
        text(&output.stdout)
    );
    assert!(
        server
            .child
            .wait()
            .expect("the server ends")
            .code()
            .is_some()
    );
}
