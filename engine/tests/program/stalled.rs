//! A server whose output nobody reads goes on with its tests.

use crate::run::{engine, finish, free_port, signal, text, wait};
use crate::uninterrupted::uninterrupted;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

const GENEROUS: Duration = Duration::from_secs(20);

/// Its pipes stay unread until its end.
fn server(flags: &str) -> (Child, u16) {
    let port = free_port();
    let child = engine(&format!("-s -p {port} {flags}")).spawn();
    let begun = Instant::now();
    while !finish(&format!("--probe -p {port}")).status.success() {
        assert!(begun.elapsed() < GENEROUS, "it listens");
    }
    (child.expect("the server starts"), port)
}

fn test_runs(port: u16, flags: &str) {
    let output = finish(&format!("-c 127.0.0.1 -p {port} -n 1M {flags}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// It leaves although what it has to say is not read, and then it is.
fn stop(mut child: Child) -> Output {
    signal(&child, "TERM");
    let begun = Instant::now();
    while child.try_wait().is_ok_and(|ended| ended.is_none()) {
        assert!(begun.elapsed() < GENEROUS, "it ends");
        std::thread::sleep(Duration::from_millis(10));
    }
    wait(child)
}

#[test]
fn a_full_stderr_holds_up_no_test() {
    let (child, port) = server("");
    // Each is refused with a line of its own: more than a pipe holds.
    for _ in 0..1500 {
        let mut stranger = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        stranger
            .write_all(&[b"0123456789".as_slice(); 4].concat())
            .expect("it reads");
        let _ = uninterrupted(|| stranger.read(&mut [0; 8]));
    }
    test_runs(port, "");
    test_runs(port, "-P 4 -R");
    let said = text(&stop(child).stderr);
    assert!(said.len() > 60_000, "{}", said.len());
}

#[test]
fn a_full_stdout_holds_up_no_test() {
    let (child, port) = server("-J -i 0.1");
    for _ in 0..3 {
        let flags = format!("-c 127.0.0.1 -p {port} -t 1.5 -b 1M -l 1000 -P 32");
        assert_eq!(finish(&flags).status.code(), Some(0));
    }
    test_runs(port, "");
    let said = text(&stop(child).stdout);
    assert!(said.len() > 60_000, "{}", said.len());
}

/// Field report 044: a reader that takes its time, as with iperf3, gets one document and not a part of it.
#[test]
fn output_that_is_read_late_is_whole() {
    let port = free_port();
    let child = engine(&format!("-s -p {port} -J -i 0.1 -1")).spawn();
    let begun = Instant::now();
    while !finish(&format!("--probe -p {port}")).status.success() {
        assert!(begun.elapsed() < GENEROUS, "it listens");
    }
    let flags = format!("-c 127.0.0.1 -p {port} -t 1.5 -b 1M -l 1000 -P 32");
    assert_eq!(finish(&flags).status.code(), Some(0));
    std::thread::sleep(Duration::from_secs(3));
    let said = wait(child.expect("the server starts")).stdout;
    let document: serde_json::Value = serde_json::from_slice(&said).expect("one document");
    assert!(document["end"]["sum_received"].is_object());
    assert!(said.len() > 100_000, "{}", said.len());
}
