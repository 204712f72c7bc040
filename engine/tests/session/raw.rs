//! One side of iperf3's control protocol, a step at a time, written independently of the engine's own.

use crate::uninterrupted::uninterrupted;
use serde_json::Value;
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

pub const COOKIE: &[u8; 37] = b"rawpeerrawpeerrawpeerrawpeerrawpeer2\0";
/// A cookie of its own for each of many tests at once.
pub fn cookie(number: usize) -> [u8; 37] {
    let mut cookie = *COOKIE;
    cookie[..8].copy_from_slice(format!("{number:08}").as_bytes());
    cookie
}

/// No step of these tests waits longer for the engine.
const PATIENCE: Duration = Duration::from_secs(25);

pub struct Raw(pub TcpStream);

impl Raw {
    pub fn connect(port: u16) -> Raw {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        Raw::of(stream)
    }

    /// From another address of this machine.
    pub fn connect_from(local: &str, port: u16) -> Raw {
        let from: IpAddr = local.parse().expect("an address");
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let local = SocketAddr::new(from, 0);
        socket.bind(&local.into()).expect("it is this machine's");
        let server = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
        socket.connect(&server.into()).expect("the server listens");
        Raw::of(socket.into())
    }

    /// Whether the engine has closed it without a word.
    pub fn is_closed_within(&mut self, time: Duration) -> bool {
        self.0.set_read_timeout(Some(time)).expect("a read timeout");
        let closed = matches!(uninterrupted(|| self.0.read(&mut [0])), Ok(0));
        self.0
            .set_read_timeout(Some(PATIENCE))
            .expect("a read timeout");
        closed
    }

    /// The next client of a scripted server.
    pub fn accept(listener: &TcpListener) -> Raw {
        let (stream, _) = listener.accept().expect("a client comes");
        Raw::of(stream)
    }

    fn of(stream: TcpStream) -> Raw {
        // Else each short write waits for the engine's delayed acknowledgement.
        stream.set_nodelay(true).expect("no delay");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a read timeout");
        Raw(stream)
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the engine reads");
    }

    /// As much as the engine takes: it may have closed by now, which the next read tells.
    pub fn offer(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    pub fn send_json(&mut self, json: &str) {
        let length = u32::try_from(json.len()).expect("a short text");
        self.send(&length.to_be_bytes());
        self.send(json.as_bytes());
    }

    pub fn exactly(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0
            .read_exact(&mut bytes)
            .expect("the engine says so much");
        bytes
    }

    pub fn state(&mut self) -> i8 {
        self.exactly(1)[0] as i8
    }

    pub fn json(&mut self) -> Value {
        let length = self.exactly(4);
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        let bytes = self.exactly(length as usize);
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// Everything until the engine closes. A reset is a close, too.
    pub fn rest(&mut self) -> Vec<u8> {
        self.try_rest()
            .unwrap_or_else(|e| panic!("the engine neither spoke nor closed: {e}"))
    }

    /// The same, where the caller knows better what was to be closed.
    pub fn try_rest(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut piece = [0; 256];
        loop {
            match uninterrupted(|| self.0.read(&mut piece)) {
                Ok(0) => return Ok(bytes),
                Ok(n) => bytes.extend_from_slice(&piece[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => return Ok(bytes),
                Err(e) => return Err(e),
            }
        }
    }

    /// As a client: up to PARAM_EXCHANGE.
    pub fn knock(port: u16, cookie: &[u8; 37]) -> Raw {
        let mut raw = Raw::connect(port);
        raw.send(cookie);
        assert_eq!(raw.state(), 9);
        raw
    }

    /// As a client: a data connection.
    pub fn stream(port: u16, cookie: &[u8; 37]) -> Raw {
        let mut raw = Raw::connect(port);
        raw.send(cookie);
        raw
    }

    /// As a client with one TCP stream: up to TEST_RUNNING. The stream has to be kept.
    pub fn running(port: u16, cookie: &[u8; 37], params: &str) -> (Raw, Raw) {
        let mut raw = Raw::knock(port, cookie);
        raw.send_json(params);
        assert_eq!(raw.state(), 10);
        let stream = Raw::stream(port, cookie);
        assert_eq!([raw.state(), raw.state()], [1, 2]);
        (raw, stream)
    }

    /// As a client: up to CREATE_STREAMS.
    pub fn start_test(port: u16, params: &str) -> Raw {
        let mut raw = Raw::connect(port);
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.send_json(params);
        assert_eq!(raw.state(), 10);
        raw
    }
}
