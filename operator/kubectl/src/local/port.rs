//! A port for the local server.

use std::io;
use std::net::{IpAddr, TcpListener, UdpSocket};

const TRIES: u32 = 20;

/// A port of this address that is free for TCP and for UDP: a UDP test needs both. Somebody else may still take it
/// before the server does; the server then says so.
pub fn free_port(of: IpAddr) -> io::Result<u16> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..TRIES {
        let tcp = TcpListener::bind((of, 0))?;
        let port = tcp.local_addr()?.port();
        match UdpSocket::bind((of, port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn it_can_be_bound_for_both() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let port = free_port(loopback).unwrap();
        TcpListener::bind((loopback, port)).unwrap();
        UdpSocket::bind((loopback, port)).unwrap();
    }
}
