//! Field reports 031, 032 and E14: the datagrams that open a UDP stream.

use crate::raw::{COOKIE, Raw};
use crate::run::{Server, engine, finish, text, wait};
use crate::uninterrupted::uninterrupted;
use std::net::{TcpListener, UdpSocket};
use std::process::Output;
use std::time::{Duration, Instant};

const HELLO: &[u8; 4] = b"9876";
const REPLY: &[u8; 4] = b"6789";
const RESULTS: &str = r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":1000,"retransmits":-1,"jitter":0,"errors":0,"packets":1,"start_time":0,"end_time":1}]}"#;

/// Our client against a scripted server; `door` answers the hellos.
fn against(flags: &str, door: impl FnOnce(&UdpSocket)) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let udp = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
    udp.set_read_timeout(Some(Duration::from_secs(15)))
        .expect("a timeout");
    let client = engine(&format!("-c 127.0.0.1 -p {port} -u {flags}")).spawn();
    let client = client.expect("the client starts");
    let mut raw = Raw::accept(&listener);
    assert_eq!(raw.exactly(37).last(), Some(&0));
    raw.send(&[9]);
    assert_eq!(raw.json()["udp"], true);
    raw.send(&[10]);
    door(&udp);
    raw.send(&[1, 2]);
    if uninterrupted(|| raw.0.peek(&mut [0])).is_ok_and(|n| n == 1) && raw.state() == 4 {
        raw.send(&[13]);
        raw.json();
        raw.send_json(RESULTS);
        raw.send(&[14]);
        assert_eq!(raw.state(), 16);
    }
    wait(client)
}

#[test]
fn report_031_lost_hellos_are_repeated() {
    let output = against("-t 1 -b 1M", |udp| {
        let mut datagram = [0; 2000];
        // Two are lost on the way, the third arrives.
        let peers: Vec<_> = (0..3)
            .map(|_| uninterrupted(|| udp.recv_from(&mut datagram)).expect("a hello"))
            .collect();
        assert_eq!(&datagram[..4], HELLO);
        assert!(
            peers
                .iter()
                .all(|(length, peer)| *length == 4 && *peer == peers[0].1)
        );
        udp.send_to(REPLY, peers[0].1).expect("sends");
    });
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// The server's word that the test starts stands for an answer that was lost.
#[test]
fn a_lost_answer_is_made_up_for_by_the_start() {
    let output = against("-t 1 -b 1M", |udp| {
        uninterrupted(|| udp.recv_from(&mut [0; 2000])).expect("a hello");
    });
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn report_032_data_that_overtakes_the_answer_is_no_failure() {
    let output = against("-t 1 -b 1M -R", |udp| {
        let (_, peer) = uninterrupted(|| udp.recv_from(&mut [0; 2000])).expect("a hello");
        for sequence in 1..=3u32 {
            let mut datagram = [0; 1000];
            datagram[8..12].copy_from_slice(&sequence.to_be_bytes());
            udp.send_to(&datagram, peer).expect("sends");
        }
        udp.send_to(REPLY, peer).expect("sends");
    });
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_legacy_answer_opens_the_stream() {
    let output = against("-t 1 -b 1M", |udp| {
        let (_, peer) = uninterrupted(|| udp.recv_from(&mut [0; 2000])).expect("a hello");
        udp.send_to(&[0xb1, 0x68, 0xde, 0x3a], peer).expect("sends");
    });
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn report_031_no_answer_at_all_is_an_error_that_names_the_port() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let _udp = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
    let begun = Instant::now();
    let client = engine(&format!("-c 127.0.0.1 -p {port} -u -t 1")).spawn();
    let mut raw = Raw::accept(&listener);
    raw.exactly(37);
    raw.send(&[9]);
    raw.json();
    raw.send(&[10]);
    let output = wait(client.expect("the client starts"));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.contains("UDP hello") && said.contains(&port.to_string()),
        "{said}"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
}

/// E14: a stranger gets nothing, the control peer's address an answer, in kind and as often as it asks.
#[test]
fn hellos_are_answered_only_to_the_control_peers_address() {
    let server = Server::start("");
    let params =
        r#"{"udp":true,"time":1,"parallel":2,"reverse":true,"len":1000,"bandwidth":1000000}"#;
    let mut raw = Raw::start_test(server.port, params);
    let stranger = UdpSocket::bind("127.0.0.2:0").expect("another address");
    let own = UdpSocket::bind("127.0.0.1:0").expect("the client's address");
    for socket in [&stranger, &own] {
        socket
            .connect(("127.0.0.1", server.port))
            .expect("connects");
    }
    let patience = |socket: &UdpSocket, time| socket.set_read_timeout(Some(time));
    patience(&stranger, Duration::from_millis(700)).expect("a timeout");
    patience(&own, Duration::from_secs(10)).expect("a timeout");
    let mut answer = [0; 2000];
    stranger.send(HELLO).expect("sends");
    assert!(
        uninterrupted(|| stranger.recv(&mut answer)).is_err(),
        "a stranger was answered"
    );
    for (hello, reply) in [(HELLO, REPLY), (HELLO, REPLY)] {
        own.send(hello).expect("sends");
        let length = uninterrupted(|| own.recv(&mut answer)).expect("an answer");
        assert_eq!(&answer[..length], reply);
    }
    let old = UdpSocket::bind("127.0.0.1:0").expect("a second stream");
    old.connect(("127.0.0.1", server.port)).expect("connects");
    old.set_read_timeout(Some(Duration::from_secs(5)))
        .expect("a timeout");
    old.send(&123_456_789u32.to_le_bytes()).expect("sends");
    let length = uninterrupted(|| old.recv(&mut answer)).expect("an answer");
    assert_eq!(&answer[..length], 987_654_321u32.to_le_bytes());
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    // Data flows to the client, none to the stranger; and it stops at the time, whatever the client does.
    assert!(uninterrupted(|| old.recv(&mut answer)).is_ok());
    std::thread::sleep(Duration::from_millis(1500));
    old.set_nonblocking(true).expect("non-blocking");
    while uninterrupted(|| old.recv(&mut answer)).is_ok() {}
    std::thread::sleep(Duration::from_millis(500));
    assert!(
        uninterrupted(|| old.recv(&mut answer)).is_err(),
        "data after the end of the test's time"
    );
    assert!(
        uninterrupted(|| stranger.recv(&mut answer)).is_err(),
        "a stranger got data"
    );
    drop(raw);
    let again = finish(&format!("-c 127.0.0.1 -p {} -u -t 1", server.port));
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(COOKIE.len(), 37);
}
