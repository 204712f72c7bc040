//! A client and a server that play the datagrams that they are told to, and know what they played.

use crate::raw::{COOKIE, Raw};
use crate::run::{engine, wait};
use crate::uninterrupted::uninterrupted;
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::process::{Child, Output};
use std::time::{Duration, Instant};

const HELLO: &[u8; 4] = b"9876";
const REPLY: &[u8; 4] = b"6789";
const PATIENCE: Duration = Duration::from_secs(20);

/// Bits of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Bits32,
    Bits64,
}

/// A datagram as iperf3 lays it out: seconds, microseconds, number, payload.
pub fn datagram(number: u64, length: usize, width: Width, sent: Duration) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    let seconds = u32::try_from(sent.as_secs()).expect("a short test");
    bytes.extend(seconds.to_be_bytes());
    bytes.extend(sent.subsec_micros().to_be_bytes());
    match width {
        Width::Bits32 => bytes.extend((number as u32).to_be_bytes()),
        Width::Bits64 => bytes.extend(number.to_be_bytes()),
    }
    bytes.resize(length, 0x5a);
    bytes
}

/// One sending end of a stream. It waits for the receiver before its buffer is full, so that nothing is lost but what
/// the script loses.
pub struct Player {
    socket: UdpSocket,
    pub peer: SocketAddr,
    since_look: usize,
}

impl Player {
    fn new(socket: UdpSocket, peer: SocketAddr) -> Player {
        Player {
            socket,
            peer,
            since_look: 0,
        }
    }

    pub fn play(&mut self, bytes: &[u8]) {
        self.socket
            .send_to(bytes, self.peer)
            .expect("loopback takes it");
        self.since_look += 1;
        if self.since_look == 64 {
            self.settle();
        }
    }

    /// Waits until the receiver has read everything.
    pub fn settle(&mut self) {
        self.since_look = 0;
        let own = self.socket.local_addr().expect("its address").port();
        let begun = Instant::now();
        while waiting(self.peer.port(), own) {
            assert!(
                begun.elapsed() < PATIENCE,
                "the engine does not read its datagrams"
            );
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

/// Whether the socket at `local`, connected to `remote`, has unread bytes.
fn waiting(local: u16, remote: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/udp").expect("the kernel's table");
    table.lines().skip(1).any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = |field: &str| u16::from_str_radix(field.rsplit(':').next()?, 16).ok();
        port(fields[1]) == Some(local)
            && port(fields[2]) == Some(remote)
            && !fields[4].ends_with(":00000000")
    })
}

/// A whole forward session with a server of ours: its results.
pub fn send_to_server(
    port: u16,
    length: usize,
    width: Width,
    sent: u64,
    play: impl FnOnce(&mut Player),
) -> Value {
    let wide = if width == Width::Bits64 {
        r#","udp_counters_64bit":1"#
    } else {
        ""
    };
    let params = format!(
        r#"{{"udp":true,"omit":0,"time":60,"parallel":1,"len":{length},"bandwidth":1000000{wide},"client_version":"3.12"}}"#
    );
    let mut raw = Raw::start_test(port, &params);
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let peer = SocketAddr::from(([127, 0, 0, 1], port));
    socket.send_to(HELLO, peer).expect("sends");
    let mut reply = [0; 64];
    let (count, _) = uninterrupted(|| socket.recv_from(&mut reply)).expect("an answer");
    assert_eq!(&reply[..count], REPLY);
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    let mut player = Player::new(socket, peer);
    play(&mut player);
    player.settle();
    raw.send(&[4]);
    assert_eq!(raw.state(), 13);
    let bytes = sent * length as u64;
    raw.send_json(&format!(
        r#"{{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{{"id":1,"bytes":{bytes},"retransmits":-1,"jitter":0,"errors":0,"omitted_errors":0,"packets":{sent},"omitted_packets":0,"start_time":0,"end_time":1}}]}}"#
    ));
    let theirs = raw.json();
    assert_eq!(raw.state(), 14);
    raw.send(&[16]);
    // A server that has closed takes the next test.
    raw.rest();
    theirs
}

/// A server that a client of ours runs a reverse UDP test with, up to where data may flow.
pub struct ScriptedServer {
    client: Child,
    raw: Raw,
    pub player: Player,
}

impl ScriptedServer {
    pub fn start(flags: &str) -> ScriptedServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let udp = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
        udp.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let client = engine(&format!("-c 127.0.0.1 -p {port} -u {flags}")).spawn();
        let client = client.expect("the client starts");
        let mut raw = Raw::accept(&listener);
        assert_eq!(raw.exactly(COOKIE.len()).last(), Some(&0));
        raw.send(&[9]);
        raw.json();
        raw.send(&[10]);
        let (_, peer) = uninterrupted(|| udp.recv_from(&mut [0; 64])).expect("a hello");
        udp.send_to(REPLY, peer).expect("sends");
        raw.send(&[1, 2]);
        ScriptedServer {
            client,
            raw,
            player: Player::new(udp, peer),
        }
    }

    /// Receives what the client sends until it ends the test: the arrival times.
    pub fn arrivals(&mut self) -> Vec<Instant> {
        let socket = &self.player.socket;
        socket
            .set_read_timeout(Some(Duration::from_millis(500)))
            .expect("a timeout");
        let mut buffer = vec![0; 65_536];
        let mut arrivals = Vec::new();
        while uninterrupted(|| socket.recv(&mut buffer)).is_ok() {
            arrivals.push(Instant::now());
        }
        arrivals
    }

    /// The end of the test, which the client says: its results, and what it printed. `streams`: the fields of this
    /// end's stream besides its id.
    pub fn finish(mut self, stream: &str) -> (Value, Output) {
        assert_eq!(self.raw.state(), 4);
        self.raw.send(&[13]);
        let results = self.raw.json();
        self.raw.send_json(&format!(
            r#"{{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{{"id":1,{stream}}}]}}"#
        ));
        self.raw.send(&[14]);
        assert_eq!(self.raw.state(), 16);
        (results, wait(self.client))
    }
}
