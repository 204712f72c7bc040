//! What a server opens: its TCP, UDP and SCTP port.

use super::net::{bind_device, with_zone};
use super::{Family, ServerConfig, SessionError};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;

/// The addresses that a server binds, best first: dual-stack, then IPv4 where there is no IPv6.
pub fn server_addresses(cfg: &ServerConfig) -> Vec<SocketAddr> {
    let v4 = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), cfg.port);
    let v6 = SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), cfg.port);
    match (cfg.bind, cfg.family) {
        (Some(ip), _) => vec![with_zone(ip, cfg.port, cfg.bind_dev.as_deref())],
        (None, Some(Family::V4)) => vec![v4],
        (None, Some(Family::V6)) => vec![v6],
        (None, None) => vec![v6, v4],
    }
}

/// What a server may have on its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entrance {
    /// MPTCP where the kernel has it: plain TCP connections of such a listener are plain from the kernel's accept on.
    Tcp,
    Udp,
    Sctp,
}

impl Entrance {
    fn socket(self, domain: Domain) -> io::Result<Socket> {
        match self {
            Entrance::Tcp => crate::sock::mptcp_socket(domain),
            Entrance::Udp => Socket::new(domain, Type::DGRAM, None),
            Entrance::Sctp => {
                let sctp = Protocol::from(libc::IPPROTO_SCTP);
                Socket::new(domain, Type::STREAM, Some(sctp))
            }
        }
    }
}

/// A socket on one of the server's addresses.
pub fn server_socket(cfg: &ServerConfig, entrance: Entrance) -> Result<Socket, SessionError> {
    let mut last = None;
    for addr in server_addresses(cfg) {
        let bound = match made(cfg, addr, entrance) {
            Ok(socket) => {
                bind_device(&socket, cfg.bind_dev.as_deref())?;
                socket.bind(&SockAddr::from(addr)).map(|()| socket)
            }
            Err(source) => Err(source),
        };
        match bound {
            Ok(socket) => return Ok(socket),
            Err(source) => {
                let absent = source.raw_os_error() == Some(97); // EAFNOSUPPORT: no IPv6 in this kernel
                let unassigned = source.kind() == io::ErrorKind::AddrNotAvailable;
                last = Some(SessionError::Bind {
                    addr: addr.to_string(),
                    source,
                });
                if !(absent || unassigned) {
                    break;
                }
            }
        }
    }
    Err(last.unwrap_or(SessionError::Option("no address to listen on".to_owned())))
}

fn made(cfg: &ServerConfig, addr: SocketAddr, entrance: Entrance) -> io::Result<Socket> {
    let socket = entrance.socket(Domain::for_address(addr))?;
    if addr.is_ipv6() {
        let only = cfg.family == Some(Family::V6);
        socket.set_only_v6(only)?;
    }
    // TCP: connections of the last server may still be in TIME_WAIT. UDP: the connected sockets of the
    // streams share the port.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

pub fn listen(cfg: &ServerConfig) -> Result<TcpListener, SessionError> {
    let socket = server_socket(cfg, Entrance::Tcp)?;
    let local = |source| SessionError::Local {
        what: "cannot listen",
        source,
    };
    // 128 streams each way may knock at once.
    socket.listen(512).map_err(local)?;
    TcpListener::from_std(socket.into()).map_err(local)
}
