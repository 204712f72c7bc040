//! Field report 083: a busy server and the line before it.

use crate::raw::{COOKIE, Raw};
use crate::run::{Running, Server, engine, finish, signal, text, wait};
use serde_json::Value;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The mark of a client that waits, and characters of its own.
const WAITS: &[u8; 37] = b"nettestqrawpeerrawpeerrawpeerrawpeer\0";
const GENEROUS: Duration = Duration::from_secs(20);

fn place(raw: &mut Raw) -> u32 {
    assert_eq!(raw.state(), 32);
    let four = raw.exactly(4);
    u32::from_be_bytes([four[0], four[1], four[2], four[3]])
}

fn waiting(port: u16) -> Raw {
    let mut raw = Raw::connect(port);
    raw.send(WAITS);
    raw
}

/// A test that takes a slot for as long as it lives.
fn occupy(port: u16) -> Running {
    Running::start(&format!("-c 127.0.0.1 -p {port} -t 60 -b 1M")).until("connected to")
}

fn end(running: Running) {
    signal(&running.child, "INT");
    running.end();
}

#[test]
fn places_move_up_and_are_told_again_and_again() {
    let server = Server::start("");
    let first = occupy(server.port);
    let mut one = waiting(server.port);
    assert_eq!(place(&mut one), 1);
    let mut two = waiting(server.port);
    assert_eq!(place(&mut two), 2);
    let mut three = waiting(server.port);
    assert_eq!(place(&mut three), 3);
    // One that goes away gives its place up, and one that speaks out of turn too.
    drop(two);
    while place(&mut three) != 2 {}
    // Nothing changes: the place is told all the same.
    let begun = Instant::now();
    assert_eq!((place(&mut one), place(&mut one)), (1, 1));
    assert!(begun.elapsed() < GENEROUS);
    one.send(&[12]);
    while place(&mut three) != 1 {}
    end(first);
    let mut state = three.state();
    while state == 32 {
        three.exactly(4);
        state = three.state();
    }
    assert_eq!(state, 9, "its turn");
    // A stock client cannot overtake it.
    let mut stock = Raw::connect(server.port);
    stock.send(COOKIE);
    assert_eq!(stock.rest(), [0xff]);
}

#[test]
fn past_the_line_and_without_the_mark_a_client_is_refused_at_once() {
    let server = Server::start("--queue 1");
    let _first = occupy(server.port);
    let mut one = waiting(server.port);
    assert_eq!(place(&mut one), 1);
    assert_eq!(waiting(server.port).rest(), [0xff]);
    let none = Server::start("--queue 0");
    let _busy = occupy(none.port);
    assert_eq!(waiting(none.port).rest(), [0xff]);
}

/// A quarter of the places is one address's; the others are for others.
#[test]
fn one_address_cannot_take_the_whole_line() {
    let server = Server::start("--queue 8");
    let _first = occupy(server.port);
    let mut own: Vec<Raw> = (0..2).map(|_| waiting(server.port)).collect();
    let places: Vec<u32> = own.iter_mut().map(place).collect();
    assert!(places.contains(&2), "{places:?}");
    assert_eq!(waiting(server.port).rest(), [0xff]);
    let mut other = Raw::connect_from("127.0.0.2", server.port);
    other.send(WAITS);
    assert_eq!(place(&mut other), 3);
}

fn client(port: u16, flags: &str) -> Child {
    engine(&format!("-c 127.0.0.1 -p {port} {flags}"))
        .spawn()
        .expect("the client starts")
}

/// In the order in which they came, each with its whole test.
#[test]
fn clients_of_ours_are_served_in_their_order() {
    let server = Server::start("");
    let first = occupy(server.port);
    let mut waiting = Vec::new();
    for number in 1..=3 {
        let child = client(server.port, "-t 1 -b 1M -J");
        let begun = Instant::now();
        // The next comes only once this one stands in line.
        while raw_places(server.port) != number + 1 {
            assert!(begun.elapsed() < GENEROUS, "no client {number} in line");
            std::thread::sleep(Duration::from_millis(20));
        }
        waiting.push(child);
    }
    end(first);
    let mut started = Vec::new();
    for child in waiting {
        let output = wait(child);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(document["end"]["sum_sent"]["sender"], true, "{document}");
        started.push(document["start"]["timestamp"]["timemillisecs"].as_f64());
        assert!(text(&output.stderr).is_empty() || text(&output.stderr).contains("line"));
    }
}

/// The place that one more would get.
fn raw_places(port: u16) -> u32 {
    place(&mut waiting(port))
}

#[test]
fn a_client_hears_its_place_and_gives_up_with_5_when_its_time_is_over() {
    let server = Server::start("");
    let _first = occupy(server.port);
    let begun = Instant::now();
    let output = wait(client(server.port, "-t 1 --queue-timeout 2"));
    assert!(begun.elapsed() >= Duration::from_secs(2));
    assert_eq!(output.status.code(), Some(5));
    let said = text(&output.stderr);
    assert_eq!(
        said.matches("next in its line").count(),
        1,
        "one line a change: {said}"
    );
    assert!(said.contains("2 s in line"), "{said}");
    let at_once = finish(&format!(
        "-c 127.0.0.1 -p {} -t 1 --queue-timeout 0",
        server.port
    ));
    assert_eq!(at_once.status.code(), Some(5));
    assert!(
        !text(&at_once.stderr).contains("line"),
        "{}",
        text(&at_once.stderr)
    );
}

#[test]
fn a_signal_ends_the_wait_and_frees_the_place() {
    let mut server = Server::start("");
    let _first = occupy(server.port);
    let mut before = waiting(server.port);
    assert_eq!(place(&mut before), 1);
    let child = client(server.port, "-t 1");
    let begun = Instant::now();
    while raw_places(server.port) != 3 {
        assert!(begun.elapsed() < GENEROUS, "the client stands in line");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "TERM");
    let output: Output = wait(child);
    assert_ne!(output.status.code(), Some(0));
    while raw_places(server.port) != 2 {
        assert!(begun.elapsed() < GENEROUS, "its place is free");
        std::thread::sleep(Duration::from_millis(20));
    }
    // A server that ends says so to those in line.
    server.stop();
    let rest = before.rest();
    assert_eq!(rest.last(), Some(&11), "{rest:?}");
}

/// The mark is nothing to a stock server.
#[test]
fn a_stock_server_takes_a_client_that_would_wait() {
    let port = crate::run::free_port();
    let stock = Command::new("iperf3")
        .args(["-s", "-1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .spawn();
    let mut stock = stock.expect("iperf3 is on the PATH");
    let begun = Instant::now();
    let output = loop {
        let output = finish(&format!(
            "-c 127.0.0.1 -p {port} -t 1 -b 1M --queue-timeout 5"
        ));
        if output.status.code() != Some(3) || begun.elapsed() > GENEROUS {
            break output;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(stock.wait().expect("it ends").success());
}
