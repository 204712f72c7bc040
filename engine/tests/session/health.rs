//! The health endpoint, apart from the test port.

use crate::raw::Raw;
use crate::run::{Running, Server, finish, free_port, signal, text};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn say(port: u16, words: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a timeout");
    // It may close before all is said.
    let _ = stream.write_all(words);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    text(&answer)
}

fn get(port: u16, path: &str) -> String {
    say(
        port,
        format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes(),
    )
}

#[test]
fn it_says_whether_the_server_lives_and_is_free() {
    let health = free_port();
    let server = Server::start(&format!("--health-port {health}"));
    assert!(get(health, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(health, "/healthz").ends_with("ok\n"));
    assert!(get(health, "/readyz").starts_with("HTTP/1.1 200"));
    let running = Running::start(&format!("-c 127.0.0.1 -p {} -t 60 -b 1M", server.port));
    let running = running.until("connected to");
    assert!(get(health, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(health, "/readyz").starts_with("HTTP/1.1 503"));
    signal(&running.child, "INT");
    running.end();
    let begun = Instant::now();
    while !get(health, "/readyz").starts_with("HTTP/1.1 200") {
        assert!(begun.elapsed() < Duration::from_secs(10), "free again");
    }
    assert!(get(health, "/metrics").starts_with("HTTP/1.1 404"));
    assert!(say(health, b"POST /healthz HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 405"));
}

/// Field report 082: a probe there does not use up a one-off server.
#[test]
fn probes_do_not_use_up_a_one_off_server() {
    let health = free_port();
    let mut server = Server::start(&format!("-1 --health-port {health}"));
    for _ in 0..5 {
        assert!(get(health, "/healthz").starts_with("HTTP/1.1 200"));
    }
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -b 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn garbage_slowness_and_size_are_bounded_and_touch_no_test() {
    let health = free_port();
    let server = Server::start(&format!("--health-port {health}"));
    assert!(!say(health, &[0xff; 100]).contains(" 200 "));
    let huge = format!(
        "GET /healthz HTTP/1.1\r\nX: {}\r\n\r\n",
        "x".repeat(1 << 20)
    );
    assert!(!say(health, huge.as_bytes()).contains(" 200 "));
    // As many silent ones as like to come: they are closed, and tests go on meanwhile.
    let begun = Instant::now();
    let silent: Vec<TcpStream> = (0..40)
        .map(|_| TcpStream::connect(("127.0.0.1", health)).expect("it listens"))
        .collect();
    // They keep no probe out: a pod must not be restarted for them.
    assert!(get(health, "/healthz").starts_with("HTTP/1.1 200"));
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -b 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for mut stream in silent {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        let mut rest = Vec::new();
        let read = stream.read_to_end(&mut rest);
        let reset = read
            .as_ref()
            .is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset);
        assert!(read.is_ok() || reset, "{read:?}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
    assert!(get(health, "/healthz").starts_with("HTTP/1.1 200"));
    // The test port itself speaks no HTTP, and survives it.
    let mut wrong = Raw::connect(server.port);
    wrong.send(b"GET /healthz HTTP/1.1\r\nHost: somebody\r\n\r\n");
    wrong.rest();
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -b 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_port_that_is_taken_is_said_so_at_the_start() {
    let taken = std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let output = finish(&format!("-s -p {} --health-port {port}", free_port()));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(&port.to_string()), "{said}");
}
