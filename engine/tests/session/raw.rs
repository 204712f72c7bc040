//! One side of iperf3's control protocol, a step at a time, written independently of the engine's own.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

pub const COOKIE: &[u8; 37] = b"rawpeerrawpeerrawpeerrawpeerrawpeer2\0";
/// No step of these tests waits longer for the engine.
const PATIENCE: Duration = Duration::from_secs(25);

pub struct Raw(pub TcpStream);

impl Raw {
    pub fn connect(port: u16) -> Raw {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        Raw::of(stream)
    }

    /// The next client of a scripted server.
    pub fn accept(listener: &TcpListener) -> Raw {
        let (stream, _) = listener.accept().expect("a client comes");
        Raw::of(stream)
    }

    fn of(stream: TcpStream) -> Raw {
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a read timeout");
        Raw(stream)
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the engine reads");
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
        let mut bytes = Vec::new();
        let mut piece = [0; 256];
        loop {
            match self.0.read(&mut piece) {
                Ok(0) => return bytes,
                Ok(n) => bytes.extend_from_slice(&piece[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => return bytes,
                Err(e) => panic!("the engine neither spoke nor closed: {e}"),
            }
        }
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
