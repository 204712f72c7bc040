//! Field reports 075, 076, 078 and 088, E3: one bad client never blocks another.

use crate::process::threads;
use crate::raw::{COOKIE, Raw};
use crate::run::{Server, finish, signal, text};
use std::time::{Duration, Instant};

/// A clean test of two megabytes, which must come through quickly.
fn clean_test(port: u16) -> Duration {
    let begun = Instant::now();
    let output = finish(&format!("-c 127.0.0.1 -p {port} -n 2M"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    begun.elapsed()
}

/// The handshakes are bounded, the oldest goes first. A thousand sockets, since the test has its own limits.
#[test]
fn report_075_idle_sockets_block_nobody() {
    for count in [1, 1000] {
        let server = Server::start("");
        let mut idle: Vec<Raw> = (0..count).map(|_| Raw::connect(server.port)).collect();
        let took = clean_test(server.port);
        assert!(took < Duration::from_secs(3), "a clean test took {took:?}");
        let begun = Instant::now();
        idle.iter_mut().for_each(|raw| drop(raw.rest()));
        assert!(begun.elapsed() < Duration::from_millis(7500));
    }
}

/// Past four that have said nothing for a while, an address's oldest go; others' are not touched. Sooner than by the
/// deadline of the handshake, which the rest keep.
#[test]
fn silent_connections_of_one_address_are_few() {
    let server = Server::start("");
    let mut other = Raw::connect_from("127.0.0.2", server.port);
    let mut silent: Vec<Raw> = (0..10).map(|_| Raw::connect(server.port)).collect();
    std::thread::sleep(Duration::from_millis(700));
    let mut next = Raw::connect(server.port);
    let mut dropped = Vec::new();
    for (number, raw) in silent.iter_mut().enumerate() {
        if raw.is_closed_within(Duration::from_millis(200)) {
            dropped.push(number);
        }
    }
    assert_eq!(dropped, [0, 1, 2, 3, 4, 5, 6]);
    for raw in [&mut other, &mut next] {
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.0.shutdown(std::net::Shutdown::Both).expect("it ends");
    }
}

/// A client that stops after its cookie, in its length, half way in its parameters: closed by the deadline, and
/// nobody waits for it.
#[test]
fn report_076_clients_that_stop_in_the_handshake_block_nobody() {
    let server = Server::start("");
    let whole = [
        COOKIE.as_slice(),
        &20u32.to_be_bytes(),
        br#"{"tcp":true,"time":1"#,
    ]
    .concat();
    let mut stopped: Vec<Raw> = [1, 20, 36, 37, 39, 41, 51, 61]
        .map(|sent| {
            let mut raw = Raw::connect(server.port);
            raw.send(&whole[..sent]);
            raw
        })
        .into();
    let begun = Instant::now();
    let took = clean_test(server.port);
    assert!(took < Duration::from_secs(3), "a clean test took {took:?}");
    stopped.iter_mut().for_each(|raw| drop(raw.rest()));
    let after = begun.elapsed();
    assert!(after < Duration::from_millis(7500), "kept for {after:?}");
}

/// All streams of a test may have come before the server reads the first cookie: none is taken for an idle one.
#[test]
fn a_burst_of_256_streams_loses_none() {
    let server = Server::start("");
    let params =
        r#"{"tcp":true,"time":2,"parallel":128,"bidirectional":true,"len":1000,"bandwidth":8000}"#;
    let mut raw = Raw::start_test(server.port, params);
    signal(&server.child, "STOP");
    let streams: Vec<Raw> = (0..256).map(|_| Raw::stream(server.port, COOKIE)).collect();
    signal(&server.child, "CONT");
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    drop(streams);
}

#[test]
fn hostile_parameters_are_refused_with_their_number() {
    let server = Server::start("");
    let before = threads(&server.child);
    for (params, code) in [
        (r#"{"tcp":true,"time":10,"parallel":100000}"#, 6),
        (r#"{"tcp":true,"time":10,"parallel":0}"#, 6),
        (r#"{"tcp":true,"time":10,"len":2147483648}"#, 7),
        (r#"{"udp":true,"time":10,"len":0}"#, 20),
        (r#"{"tcp":true,"time":"x","parallel":[]}"#, 114),
        (r#"{"tcp":true,"time":90000}"#, 5),
        (r#"{"sctp":true}"#, 18),
        ("[]", 114),
        ("", 114),
    ] {
        let mut raw = Raw::connect(server.port);
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.send_json(params);
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, code, 0, 0, 0, 0], "{params}");
    }
    assert_eq!(
        threads(&server.child),
        before,
        "refused tests start no thread"
    );
    clean_test(server.port);
}

/// A client that stops in a late state gives its slot back within the step's deadline.
#[test]
fn report_088_a_client_gone_silent_in_a_late_state_gives_its_slot_back() {
    let params = r#"{"tcp":true,"time":1,"parallel":1,"len":131072}"#;
    let cases = ["no streams", "no results", "half the results", "no end"];
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || {
                let server = Server::start("");
                let mut raw = Raw::start_test(server.port, params);
                let mut data = None;
                if case != "no streams" {
                    let mut stream = Raw::connect(server.port);
                    stream.send(COOKIE);
                    data = Some(stream);
                    assert_eq!([raw.state(), raw.state()], [1, 2]);
                }
                if ["no results", "half the results"].contains(&case) {
                    raw.send(&[4]);
                    assert_eq!(raw.state(), 13);
                }
                if case == "half the results" {
                    raw.send(&100u32.to_be_bytes());
                    raw.send(b"{");
                }
                let begun = Instant::now();
                raw.rest();
                let after = begun.elapsed();
                assert!(
                    after < Duration::from_millis(13_000),
                    "{case}: closed after {after:?}"
                );
                drop(data);
                clean_test(server.port);
            });
        }
    });
}
