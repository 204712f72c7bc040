//! Field reports 079 and 089: what a server holds after many tests, half of them broken, and what it does about
//! datagrams that are too short.

use crate::process::{cpu_time, descriptors, resident, threads, until};
use crate::raw::{COOKIE, Raw, cookie};
use crate::run::{Server, finish, signal, text};
use crate::uninterrupted::uninterrupted;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const RESULTS: &str = r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":0,"retransmits":-1,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#;
const PARAMS: &str = r#"{"tcp":true,"time":5,"parallel":1,"len":16384,"bandwidth":1000000}"#;

/// One short session; how it goes wrong, if it does, is by its number.
fn session(port: u16, number: usize) {
    let own = cookie(number);
    if number % 8 == 1 {
        return drop(Raw::stream(port, &own));
    }
    if number % 8 == 3 {
        let mut raw = Raw::knock(port, &own);
        return raw.send_json("{");
    }
    let mut raw = Raw::knock(port, &own);
    raw.send_json(PARAMS);
    assert_eq!(raw.state(), 10);
    if number % 8 == 5 {
        return;
    }
    let stream = Raw::stream(port, &own);
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    if number % 8 == 7 {
        return;
    }
    raw.send(&[4]);
    assert_eq!(raw.state(), 13);
    raw.send_json(RESULTS);
    raw.json();
    assert_eq!(raw.state(), 14);
    raw.send(&[16]);
    drop(stream);
    raw.rest();
}

/// `make soak` sets the number; without it, what a minute has room for.
fn sessions() -> usize {
    let asked = std::env::var("SOAK_SESSIONS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(500)
}

#[test]
fn report_089_many_sessions_half_of_them_broken_leave_nothing_behind() {
    const SIDE_BY_SIDE: usize = 8;
    let server = Server::start("--max-tests 32");
    let port = server.port;
    let run = |range: std::ops::Range<usize>| {
        std::thread::scope(|scope| {
            for lane in 0..SIDE_BY_SIDE {
                let mine = range.clone().filter(move |n| n / 8 % SIDE_BY_SIDE == lane);
                scope.spawn(move || mine.for_each(|number| session(port, number)));
            }
        });
    };
    let held = || (descriptors(&server.child), threads(&server.child));
    let idle = held();
    let settled = || {
        until(Duration::from_secs(15), "as at the begin", || {
            let (descriptors, threads) = held();
            descriptors <= idle.0 && threads <= idle.1
        });
    };
    // The first make the allocator's arenas.
    run(0..128);
    settled();
    let before = resident(&server.child);
    run(128..128 + sessions());
    settled();
    let grown = resident(&server.child).saturating_sub(before);
    assert!(grown < 2048, "{grown} KiB after {} sessions", sessions());
    let clean = finish(&format!("-c 127.0.0.1 -p {port} -n 1M"));
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stderr));
}

/// A block size below the header is refused; datagrams of 0 to 15 bytes on a stream are no data, cost no CPU, and
/// the server still hears SIGTERM.
#[test]
fn report_079_short_datagrams_neither_spin_nor_deafen_the_server() {
    let mut server = Server::start("");
    for len in 0..16 {
        let mut raw = Raw::knock(server.port, COOKIE);
        raw.send_json(&format!(r#"{{"udp":true,"time":30,"len":{len}}}"#));
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, 20, 0, 0, 0, 0], "len {len}");
    }
    let mut raw = Raw::start_test(server.port, r#"{"udp":true,"time":30,"len":16}"#);
    let stream = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    stream
        .connect(("127.0.0.1", server.port))
        .expect("connects");
    let patience = Some(Duration::from_secs(10));
    stream.set_read_timeout(patience).expect("a timeout");
    stream.send(b"9876").expect("sends");
    uninterrupted(|| stream.recv(&mut [0; 16])).expect("an answer");
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    let (begun, before) = (Instant::now(), cpu_time(&server.child));
    for _ in 0..10 {
        for length in 0..16 {
            stream.send(&[0xff; 16][..length]).expect("sends");
        }
    }
    std::thread::sleep(Duration::from_millis(2500));
    let (passed, spent) = (begun.elapsed(), cpu_time(&server.child) - before);
    assert!(spent < passed / 20, "{spent:?} of {passed:?}");
    signal(&server.child, "TERM");
    let begun = Instant::now();
    assert_eq!(raw.state(), 11);
    let (_, said) = server.stop();
    assert!(begun.elapsed() < Duration::from_secs(3), "{said}");
    // None of the short ones is a datagram of the test.
    assert!(said.contains("0.00 Bytes"), "{said}");
}
