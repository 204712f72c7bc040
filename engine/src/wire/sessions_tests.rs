//! Whole sessions of the two machines on a virtual clock, and every way to break them; [`deadlines`]: silence;
//! [`ours`]: what only our own peers say.

#[path = "deadline_tests.rs"]
mod deadlines;
#[path = "ours_tests.rs"]
mod ours;

use super::client::{ClientEvent, ClientMachine};
use super::cookie::{COOKIE_LEN, Cookie};
use super::error::WireError;
use super::results::{Results, StreamResult};
use super::server::{ServerEvent, ServerMachine};
use super::state::State;
use super::*;
use nettest_report::params::{Direction, Limit, Protocol, TestParams};
use std::time::Duration;

const T0: Duration = Duration::from_secs(100);

fn seconds(n: u64) -> Duration {
    T0 + Duration::from_secs(n)
}

fn client(params: &TestParams) -> ClientMachine {
    let block = params.block_size.unwrap_or(TestParams::TCP_BLOCK);
    ClientMachine::new(&Cookie::random([7; 36]), params::encode(params, block), T0)
}

fn own_results(bytes: u64) -> Results {
    Results {
        streams: vec![StreamResult {
            id: 1,
            bytes,
            ..StreamResult::default()
        }],
        ..Results::default()
    }
}

/// Move all bytes, cut into pieces of `piece`, until both are quiet.
fn exchange(client: &mut ClientMachine, server: &mut ServerMachine, piece: usize) {
    loop {
        let up = client.take_output();
        let down = server.take_output();
        if up.is_empty() && down.is_empty() {
            return;
        }
        up.chunks(piece).for_each(|bytes| server.feed(bytes));
        down.chunks(piece).for_each(|bytes| client.feed(bytes, T0));
    }
}

#[test]
fn whole_sessions_end_with_the_figures_of_both_ends() {
    for protocol in [Protocol::Tcp, Protocol::Udp] {
        for direction in [
            Direction::Forward,
            Direction::Reverse,
            Direction::Bidirectional,
        ] {
            for piece in [1, 3, 1000] {
                let params = TestParams {
                    protocol,
                    direction,
                    streams: 4,
                    block_size: Some(1000),
                    ..TestParams::default()
                };
                let mut c = client(&params);
                let cookie = c.take_output();
                assert_eq!(cookie.len(), COOKIE_LEN);
                let mut s = ServerMachine::new(T0);
                exchange(&mut c, &mut s, piece);
                let Some(ServerEvent::Params(got)) = s.next_event() else {
                    panic!("no parameters")
                };
                assert_eq!(*got, params);
                s.accept(&got, T0);
                exchange(&mut c, &mut s, piece);
                assert_eq!(c.next_event(), Some(ClientEvent::OpenStreams));
                c.streams_open(T0);
                (0..4).for_each(|_| s.stream_arrived(T0));
                s.start(T0);
                exchange(&mut c, &mut s, piece);
                assert_eq!(c.next_event(), Some(ClientEvent::TestStart));
                assert_eq!(c.next_event(), Some(ClientEvent::TestRunning));
                c.end_test(T0);
                exchange(&mut c, &mut s, piece);
                assert_eq!(s.next_event(), Some(ServerEvent::TestEnd));
                s.exchange(T0);
                exchange(&mut c, &mut s, piece);
                assert_eq!(c.next_event(), Some(ClientEvent::ResultsWanted));
                c.send_results(&own_results(11), T0);
                exchange(&mut c, &mut s, piece);
                let Some(ServerEvent::PeerResults(theirs)) = s.next_event() else {
                    panic!("no results")
                };
                assert_eq!(theirs.streams[0].bytes, 11);
                s.send_results(&own_results(22), T0);
                exchange(&mut c, &mut s, piece);
                let Some(ClientEvent::PeerResults(theirs)) = c.next_event() else {
                    panic!("no results")
                };
                assert_eq!(theirs.streams[0].bytes, 22);
                assert_eq!(c.next_event(), Some(ClientEvent::Done));
                assert_eq!(s.next_event(), Some(ServerEvent::Done));
                assert_eq!((c.deadline(), s.deadline()), (None, None));
            }
        }
    }
}

/// The client in each of its phases, with the bytes that bring it there.
fn clients() -> Vec<(&'static str, ClientMachine)> {
    let params = TestParams::default();
    let mut made = Vec::new();
    for (stop_after, name) in [
        "handshake",
        "params",
        "streams",
        "starting",
        "running",
        "ending",
        "own results",
        "results",
        "display",
    ]
    .into_iter()
    .enumerate()
    {
        let mut c = client(&params);
        let steps: [&dyn Fn(&mut ClientMachine); 8] = [
            &|c| c.feed(&[9], T0),
            &|c| c.feed(&[10], T0),
            &|c| {
                c.streams_open(T0);
                c.feed(&[1], T0);
            },
            &|c| c.feed(&[2], T0),
            &|c| c.end_test(T0),
            &|c| c.feed(&[13], T0),
            &|c| c.send_results(&own_results(1), T0),
            &|c| c.feed(&frame::framed(&results::encode(&own_results(2))), T0),
        ];
        steps[..stop_after].iter().for_each(|step| step(&mut c));
        while c.next_event().is_some() {}
        c.take_output();
        made.push((name, c));
    }
    made
}

/// The server in each of its phases.
fn servers(params: &TestParams) -> Vec<(&'static str, ServerMachine)> {
    let block = params::encode(params, params.block_size.unwrap_or(1000));
    let mut made = Vec::new();
    for (stop_after, name) in [
        "params",
        "deciding",
        "streams",
        "running",
        "ending",
        "results",
        "own results",
        "done",
    ]
    .into_iter()
    .enumerate()
    {
        let mut s = ServerMachine::new(T0);
        let steps: [&dyn Fn(&mut ServerMachine); 7] = [
            &|s| s.feed(&frame::framed(&block)),
            &|s| s.accept(params, T0),
            &|s| s.start(T0),
            &|s| s.feed(&[4]),
            &|s| s.exchange(T0),
            &|s| s.feed(&frame::framed(&results::encode(&own_results(1)))),
            &|s| s.send_results(&own_results(2), T0),
        ];
        steps[..stop_after].iter().for_each(|step| step(&mut s));
        while s.next_event().is_some() {}
        s.take_output();
        made.push((name, s));
    }
    made
}

/// E6: each byte in each state: handled, or closed with an error; a machine left waiting has a deadline, or
/// waits for its own driver.
#[test]
fn every_byte_in_every_phase_of_the_client_is_handled_or_ends_it() {
    for byte in 0..=255u8 {
        for (name, mut c) in clients() {
            let own_turn = ["running", "own results", "streams"].contains(&name);
            c.feed(&[byte], T0);
            let events: Vec<ClientEvent> = std::iter::from_fn(|| c.next_event()).collect();
            let failed = events.iter().any(|e| matches!(e, ClientEvent::Failed(_)));
            match State::of(byte) {
                _ if name == "results" && byte == 0 => assert!(!failed),
                // A first length byte of 1 or more is at least 16 MiB, only the later ones can tell.
                _ if name == "results" => assert!(!failed && c.deadline().is_some()),
                Some(State::AccessDenied | State::ServerTerminate) => {
                    assert!(failed, "{byte} in {name}")
                }
                Some(State::ServerError) => {
                    assert!(!failed && c.deadline().is_some());
                    c.feed(&[0, 0, 0, 6, 0, 0, 0, 0], T0);
                    assert_eq!(
                        c.next_event(),
                        Some(ClientEvent::Failed(WireError::Server { code: 6, errno: 0 }))
                    );
                }
                _ if failed => assert_eq!(c.deadline(), None),
                _ => {
                    let waits = c.deadline().is_some() || !events.is_empty() || own_turn;
                    assert!(waits, "{byte} in {name}: {events:?}");
                }
            }
        }
    }
}

#[test]
fn every_byte_in_every_phase_of_the_server_is_handled_or_ends_it() {
    let params = TestParams::default();
    for byte in 0..=255u8 {
        for (name, mut s) in servers(&params) {
            let own_turn = ["deciding", "ending", "own results"].contains(&name);
            s.feed(&[byte]);
            let events: Vec<ServerEvent> = std::iter::from_fn(|| s.next_event()).collect();
            let legal = match name {
                "running" => byte == 4,
                "done" => byte == 16,
                _ => false,
            };
            let reads_states = ["streams", "running", "ending", "done"].contains(&name);
            if reads_states && !legal {
                assert!(
                    matches!(events[..], [ServerEvent::Failed(_)]),
                    "{byte} in {name}: {events:?}"
                );
                assert!(s.is_over());
                let said = s.take_output();
                if byte == State::ClientTerminate.byte() {
                    assert!(said.is_empty());
                } else {
                    assert_eq!(said, [0xfe, 0, 0, 0, 110, 0, 0, 0, 0], "{byte} in {name}");
                }
            } else {
                assert!(
                    s.is_over() || s.deadline().is_some() || own_turn || !events.is_empty(),
                    "{byte} in {name}"
                );
            }
        }
    }
}

/// Field report 077 through the whole machine.
#[test]
fn lengths_that_lie_end_the_session_or_meet_the_deadline() {
    for announced in [8193u32, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, u32::MAX] {
        let mut s = ServerMachine::new(T0);
        s.take_output();
        s.feed(&announced.to_be_bytes());
        assert!(matches!(
            s.next_event(),
            Some(ServerEvent::Failed(WireError::TooLong(_)))
        ));
        assert_eq!(s.take_output(), [0xfe, 0, 0, 0, 114, 0, 0, 0, 0]);
    }
    for announced in [0u32, 1, 8191, 8192] {
        for sent in [0, announced / 2, announced] {
            let mut s = ServerMachine::new(T0);
            s.feed(&announced.to_be_bytes());
            s.feed(&vec![b' '; sent as usize]);
            s.tick(seconds(5));
            assert!(
                matches!(s.next_event(), Some(ServerEvent::Failed(_))),
                "{sent} of {announced}"
            );
        }
    }
}

#[test]
fn a_close_in_any_phase_ends_the_session() {
    let params = TestParams::default();
    for (name, mut s) in servers(&params) {
        s.closed();
        match name {
            "done" => assert_eq!(s.next_event(), Some(ServerEvent::Done)),
            _ => assert!(
                matches!(
                    s.next_event(),
                    Some(ServerEvent::Failed(WireError::Closed { .. }))
                ),
                "{name}"
            ),
        }
    }
    for (name, mut c) in clients() {
        c.closed();
        assert!(
            matches!(
                c.next_event(),
                Some(ClientEvent::Failed(WireError::Closed { .. }))
            ),
            "{name}"
        );
    }
}

#[test]
fn signals_travel() {
    for (_, mut c) in clients() {
        c.terminate();
        assert_eq!(c.take_output(), [12]);
        c.terminate();
        assert!(c.take_output().is_empty());
    }
    for (_, mut s) in servers(&TestParams::default()) {
        s.terminate();
        assert_eq!(s.take_output(), [11]);
    }
}

/// What comes after the end is not looked at, and does not pile up.
#[test]
fn a_machine_that_is_over_takes_nothing_more() {
    let mut s = ServerMachine::new(T0);
    s.deny();
    s.take_output();
    for _ in 0..1000 {
        s.feed(&[0xaa; 1000]);
    }
    assert_eq!(s.next_event(), None);
    assert!(s.take_output().is_empty());
}
