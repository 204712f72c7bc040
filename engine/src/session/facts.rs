//! What a report says before any data: who, where, when.

use super::streams::Opened;
use crate::host;
use crate::wire::cookie::Cookie;
use nettest_report::params::{Protocol, TestParams};
use nettest_report::report::{Report, Role, Start};
use socket2::SockRef;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// A report of nothing yet.
pub fn blank(role: Role, params: &TestParams, peer_host: String, peer_port: u16) -> Report {
    Report {
        role,
        params: params.clone(),
        start: Start {
            system_info: host::system_info(),
            time_unix_micros: jiff::Timestamp::now().as_microsecond(),
            peer_host,
            peer_port,
            ..Start::default()
        },
        intervals: Vec::new(),
        end: None,
        error: None,
        server_output: None,
        host: host::facts(None),
        peer_host: None,
    }
}

/// The control connection is there.
pub fn note_control(report: &mut Report, cookie: &Cookie, control: &TcpStream, peer: SocketAddr) {
    report.start.cookie = cookie.to_string();
    report.start.tcp_mss = match report.params.protocol {
        Protocol::Tcp => SockRef::from(control).tcp_mss().ok().filter(|mss| *mss > 0),
        Protocol::Udp => None,
    };
    report.host = host::facts(Some(peer.ip()));
}

/// The streams are there.
pub fn note_streams(report: &mut Report, opened: &mut Opened, block_size: u32) {
    report.start.connected = std::mem::take(&mut opened.connected);
    report.start.block_size = block_size;
    report.start.sndbuf_actual = opened.granted.sndbuf;
    report.start.rcvbuf_actual = opened.granted.rcvbuf;
}

/// Random bytes from the standard library's hash keys, which the system seeds: nothing is opened or read.
pub fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    for chunk in bytes.chunks_mut(8) {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        let word = hasher.finish().to_ne_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cookies_are_the_same() {
        let made: std::collections::HashSet<[u8; 36]> = (0..1000).map(|_| entropy()).collect();
        assert_eq!(made.len(), 1000);
    }
}
