//! E6, live: each byte in each state, both roles. A byte that has no business there ends that session alone, a legal
//! one followed by silence ends it by the deadline. The machines are tried exhaustively beside their code.

use crate::process::{threads, until};
use crate::raw::{COOKIE, Raw, cookie};
use crate::run::{Server, engine, finish, text, wait};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const PARAMS: &str = r#"{"tcp":true,"time":30,"parallel":1,"len":16384,"bandwidth":1000000}"#;
const RESULTS: &str = r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":0,"retransmits":-1,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#;
/// What the server says to a byte that it does not expect.
const UNEXPECTED: [u8; 9] = [0xfe, 0, 0, 0, 110, 0, 0, 0, 0];
/// The longest deadline (15 s without a sign of life), the last words, and some for a busy machine.
const ENDED: Duration = Duration::from_secs(20);
/// Every state there is, its neighbours, and the corners.
const SAMPLE: [u8; 20] = [
    0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0x7b, 0x7f, 0x80, 0xfe, 0xff,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum At {
    Streams,
    Running,
    Results,
    Done,
}

/// A raw client in that state, and its data stream.
fn client_at(port: u16, at: At, cookie: &[u8; 37]) -> (Raw, Option<Raw>) {
    if at == At::Streams {
        let mut raw = Raw::knock(port, cookie);
        raw.send_json(PARAMS);
        assert_eq!(raw.state(), 10);
        return (raw, None);
    }
    let (mut raw, stream) = Raw::running(port, cookie, PARAMS);
    if at != At::Running {
        raw.send(&[4]);
        assert_eq!(raw.state(), 13);
    }
    if at == At::Done {
        raw.send_json(RESULTS);
        raw.json();
        assert_eq!(raw.state(), 14);
    }
    (raw, Some(stream))
}

/// So many sessions side by side: each takes the time in which the data threads look at their orders.
const BATCH: usize = 32;

#[test]
fn every_byte_in_every_state_of_the_server_ends_that_session_alone() {
    std::thread::scope(|scope| {
        for at in [At::Streams, At::Running, At::Done] {
            scope.spawn(move || every_byte(at));
        }
    });
}

fn every_byte(at: At) {
    let server = Server::start("--max-tests 40");
    let before = threads(&server.child);
    let bytes: Vec<u8> = (0..=255).collect();
    for batch in bytes.chunks(BATCH) {
        let mut told: Vec<_> = batch
            .iter()
            .map(|&byte| {
                let own = cookie(usize::from(byte));
                let (mut raw, stream) = client_at(server.port, at, &own);
                raw.send(&[byte]);
                (byte, raw, stream)
            })
            .collect();
        for (byte, raw, _stream) in &mut told {
            let byte = *byte;
            // TEST_END goes on to the results, whose deadline is tried apart.
            if (at, byte) == (At::Running, 4) {
                assert_eq!(raw.state(), 13);
                continue;
            }
            let said = raw.try_rest();
            let said = said.unwrap_or_else(|e| panic!("{byte} at {at:?}: {e}"));
            // CLIENT_TERMINATE, and IPERF_DONE where it is due, need no answer.
            let silent = byte == 12 || (at, byte) == (At::Done, 16);
            let right: &[u8] = if silent { &[] } else { &UNEXPECTED };
            assert_eq!(said, right, "{byte} at {at:?}");
        }
    }
    let clean = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stderr));
    until(Duration::from_secs(5), "the threads are gone", || {
        threads(&server.child) <= before
    });
}

/// Where the server waits for a block, a byte is the begin of its length: with silence after it, the deadline ends it.
#[test]
fn a_byte_and_silence_where_a_block_is_due_meet_the_deadline() {
    let server = Server::start("--max-tests 32");
    let mut waiting = Vec::new();
    for (number, byte) in SAMPLE.into_iter().enumerate() {
        // One address may have four of them.
        let mut raw = Raw::connect_from(&format!("127.0.0.{}", number + 2), server.port);
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.send(&[byte]);
        waiting.push(("parameters", 114, raw));
        let (mut raw, _) = client_at(server.port, At::Results, &cookie(usize::from(byte)));
        raw.send(&[byte]);
        waiting.push(("results", 117, raw));
    }
    let begun = Instant::now();
    for (what, code, mut raw) in waiting {
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, code, 0, 0, 0, 0], "{what}");
    }
    assert!(begun.elapsed() < ENDED, "{:?}", begun.elapsed());
    let clean = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(clean.status.code(), Some(0), "{}", text(&clean.stderr));
}

/// What a scripted server has done when it says the byte, and is silent from then on.
const STEPS: [&str; 7] = [
    "the handshake",
    "the parameters",
    "the streams",
    "the start",
    "the test",
    "the end",
    "the results",
];

/// Our client against a server that goes so far.
fn server_at(step: usize, byte: u8) {
    let case = format!("{byte} after {}", STEPS[step]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    // The test itself is 1 s, or lasts until the byte.
    let time = if step == 4 { "-t 60" } else { "-n 64K" };
    let client = engine(&format!("-c 127.0.0.1 -p {port} {time} -b 10M -J")).spawn();
    let client = client.expect("the client starts");
    let mut raw = Raw::accept(&listener);
    raw.exactly(37);
    let mut reader = None;
    let mut read = |mut stream: TcpStream| {
        reader = Some(std::thread::spawn(move || {
            std::io::copy(&mut stream, &mut std::io::sink())
        }));
    };
    if step > 0 {
        raw.send(&[9]);
        raw.json();
    }
    if step > 1 {
        raw.send(&[10]);
        read(listener.accept().expect("a stream").0);
    }
    if step > 2 {
        raw.send(&[1]);
    }
    if step > 3 {
        raw.send(&[2]);
    }
    if step > 4 {
        assert_eq!(raw.state(), 4, "{case}");
    }
    if step > 5 {
        raw.send(&[13]);
        raw.json();
        raw.send_json(RESULTS);
    }
    let begun = Instant::now();
    raw.offer(&[byte]);
    let output = wait(client);
    let took = begun.elapsed();
    // DISPLAY_RESULTS after the results is a success; TEST_RUNNING after TEST_START begins a test of no more words.
    let done = step == 6 && byte == 14;
    let expected = if done {
        0
    } else {
        output.status.code().unwrap_or(-1).max(1)
    };
    assert_eq!(output.status.code(), Some(expected), "{case}");
    assert!(took < ENDED, "{case}: {took:?}");
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{case}: {e}"));
    assert_eq!(document["error"].is_string(), !done, "{case}");
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), usize::from(!done), "{case}: {said}");
    drop(raw);
    if let Some(reader) = reader {
        let _ = reader.join().expect("it reads");
    }
}

#[test]
fn bytes_in_every_state_of_the_client_end_it_in_time_with_one_document() {
    std::thread::scope(|scope| {
        for step in 0..STEPS.len() {
            for byte in SAMPLE {
                scope.spawn(move || server_at(step, byte));
            }
        }
    });
}
