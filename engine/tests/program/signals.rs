//! A signal ends a test with what it has found so far; a second one ends it at once.

use crate::run::{Running, Server, finish, signal, text, wait};
use serde_json::Value;

/// The partial report, the reason, the shells' code of the signal; the server goes on.
#[test]
fn an_interrupted_client_reports_what_it_has() {
    let mut server = Server::start("");
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let client = Running::start(&format!(
            "-c 127.0.0.1 -p {} -t 20 -i 0.5 -b 20M",
            server.port
        ))
        .until("/sec");
        signal(&client.child, name);
        let output = client.end();
        assert_eq!(output.status.code(), Some(code));
        let seen = text(&output.stdout);
        assert!(seen.contains("  sender\n"), "{seen}");
        assert!(!seen.contains("iperf Done."), "{seen}");
        let said = text(&output.stderr);
        assert!(said.contains(&format!("SIG{name}")), "{said}");
    }
    let again = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(server.stop().0, Some(0));
}

/// One whole document, with the rows so far and the reason; 0 where iperf3's codes are asked for (since 3.19).
#[test]
fn an_interrupted_client_leaves_a_whole_document() {
    let server = Server::start("");
    let target = format!("-c 127.0.0.1 -p {} -t 20 -i 0.2 -b 20M", server.port);
    let rows = Running::start(&format!(
        "{target} --json-stream-full-output --iperf3-exit-codes"
    ))
    .until("\"event\":\"interval\"");
    signal(&rows.child, "INT");
    let output = rows.end();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let seen = text(&output.stdout);
    let whole = seen
        .find("\n{\n")
        .map(|at| &seen[at..])
        .expect("a document");
    let document: Value = serde_json::from_str(whole).expect("exactly one value");
    assert!(!document["intervals"].as_array().expect("rows").is_empty());
    let error = document["error"].as_str().expect("the reason");
    assert!(error.contains("SIGINT"), "{error}");
    assert!(document["end"]["sum_sent"]["bytes"].is_u64(), "{whole}");
}

/// The running test is reported; a server that does nothing ends well.
#[test]
fn a_server_that_is_told_to_end_during_a_test_says_so() {
    let mut server = Server::start("");
    let client = Running::start(&format!(
        "-c 127.0.0.1 -p {} -t 20 -i 0.5 -b 10M",
        server.port
    ))
    .until("/sec");
    let (code, seen) = server.stop();
    assert_eq!(code, Some(143));
    assert!(seen.contains("  receiver\n"), "{seen}");
    assert_eq!(client.end().status.code(), Some(1));
    assert_eq!(Server::start("").stop().0, Some(0));
}

/// Whatever the process waits for, a second signal ends it.
#[test]
fn a_second_signal_ends_it_at_once() {
    // Somebody who takes the connection and never answers.
    let mute = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = mute.local_addr().expect("its address").port();
    let client = crate::run::engine(&format!("-c 127.0.0.1 -p {port}"))
        .spawn()
        .expect("the client starts");
    let (_held, _) = mute.accept().expect("the client comes");
    signal(&client, "INT");
    signal(&client, "INT");
    assert_eq!(wait(client).status.code(), Some(130));
}
