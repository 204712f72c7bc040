//! A port for the local server.

use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};

const TRIES: u32 = 20;

/// A port of the loopback address that is free for TCP and for UDP: a UDP test needs both. Somebody else may
/// still take it before the server does; the server then says so.
pub fn free_port() -> io::Result<u16> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..TRIES {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = tcp.local_addr()?.port();
        match UdpSocket::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_can_be_bound_for_both() {
        let port = free_port().unwrap();
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    }
}
