//! Field reports 075 to 080, E3 to E5: one bad client never blocks another.

use crate::raw::{COOKIE, Raw};
use crate::run::{Server, finish, text};
use std::time::{Duration, Instant};

/// A clean test of two megabytes, which must come through quickly.
fn clean_test(port: u16) -> Duration {
    let begun = Instant::now();
    let output = finish(&format!("-c 127.0.0.1 -p {port} -n 2M"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    begun.elapsed()
}

fn threads(server: &Server) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.child.id()));
    tasks.expect("the server lives").count()
}

#[test]
fn silent_clients_block_nobody_and_are_closed_within_the_deadline() {
    let server = Server::start("");
    let begun = Instant::now();
    let mut silent = [
        Raw::connect(server.port),
        Raw::connect(server.port),
        Raw::connect(server.port),
    ];
    silent[1].send(COOKIE);
    silent[2].send(&COOKIE[..20]);
    let took = clean_test(server.port);
    assert!(took < Duration::from_secs(3), "a clean test took {took:?}");
    for (index, raw) in silent.iter_mut().enumerate() {
        raw.rest();
        let after = begun.elapsed();
        assert!(
            after < Duration::from_millis(7500),
            "silent client {index} was kept {after:?}"
        );
    }
}

/// Field report 075: the handshakes are bounded, the oldest goes first.
#[test]
fn three_hundred_idle_sockets_block_nobody() {
    let server = Server::start("");
    let mut idle: Vec<Raw> = (0..300).map(|_| Raw::connect(server.port)).collect();
    let took = clean_test(server.port);
    assert!(took < Duration::from_secs(3), "a clean test took {took:?}");
    let begun = Instant::now();
    idle.iter_mut().for_each(|raw| drop(raw.rest()));
    assert!(begun.elapsed() < Duration::from_millis(7500));
}

#[test]
fn lengths_that_lie_are_refused_and_cost_nothing() {
    let server = Server::start("");
    let before = threads(&server);
    for length in [8193u32, (1 << 31) - 1, 1 << 31, u32::MAX] {
        let mut raw = Raw::connect(server.port);
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.send(&length.to_be_bytes());
        assert_eq!(
            raw.rest(),
            [0xfe, 0, 0, 0, 114, 0, 0, 0, 0],
            "length {length}"
        );
    }
    assert_eq!(threads(&server), before);
    clean_test(server.port);
}

#[test]
fn hostile_parameters_are_refused_with_their_number() {
    let server = Server::start("");
    let before = threads(&server);
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
    assert_eq!(threads(&server), before, "refused tests start no thread");
    clean_test(server.port);
}

/// Field report 088: a client that stops in a late state gives its slot back within the step's deadline.
#[test]
fn a_client_that_stops_half_way_gives_its_slot_back() {
    let params = r#"{"tcp":true,"time":1,"parallel":1,"len":131072}"#;
    let cases = ["no streams", "no results", "no end"];
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
                if case == "no results" {
                    raw.send(&[4]);
                    assert_eq!(raw.state(), 13);
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

/// E6, live: a byte that has no business there ends that session alone.
#[test]
fn an_unexpected_state_is_answered_with_an_error() {
    let server = Server::start("");
    let params = r#"{"tcp":true,"time":1,"parallel":1,"len":131072}"#;
    for byte in [0u8, 2, 4, 13, 77, 0xff] {
        let mut raw = Raw::start_test(server.port, params);
        raw.send(&[byte]);
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, 110, 0, 0, 0, 0], "byte {byte}");
    }
    clean_test(server.port);
}
