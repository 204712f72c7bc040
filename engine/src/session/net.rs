//! Names, control connections and listeners.

use super::{ClientConfig, Family, ServerConfig, SessionError};
use socket2::{Domain, SockAddr, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// A peer whose machine is gone is noticed after 3 + 3 × 3 s without a sign, within the 15 s of the design.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(3);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_PROBES: u32 = 3;
/// Unacknowledged control bytes are given up after so long (TCP_USER_TIMEOUT).
const UNACKED: Duration = Duration::from_secs(12);

/// IPv4-mapped addresses of dual-stack sockets as what they are.
pub fn canonical(addr: SocketAddr) -> SocketAddr {
    match addr {
        SocketAddr::V6(v6) => match v6.ip().to_ipv4_mapped() {
            Some(v4) => SocketAddr::new(IpAddr::V4(v4), v6.port()),
            None => addr,
        },
        SocketAddr::V4(_) => addr,
    }
}

/// Small control messages go at once, and a vanished peer is noticed.
pub fn tune_control(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(
        &TcpKeepalive::new()
            .with_time(KEEPALIVE_IDLE)
            .with_interval(KEEPALIVE_INTERVAL)
            .with_retries(KEEPALIVE_PROBES),
    )?;
    socket.set_tcp_user_timeout(Some(UNACKED))
}

/// All addresses of the server, those of the asked family only.
pub async fn resolve(cfg: &ClientConfig) -> Result<Vec<SocketAddr>, SessionError> {
    let ClientConfig {
        host, port, family, ..
    } = cfg;
    if let Some(addr) = literal(host, *port)? {
        let fits = family.is_none_or(|family| family.admits(&addr.ip()));
        return if fits {
            Ok(vec![addr])
        } else {
            Err(no_family(host, *family))
        };
    }
    let unresolved = |why: String| SessionError::NameNotResolved {
        host: host.clone(),
        why,
    };
    let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), *port))
        .await
        .map_err(|e| unresolved(e.to_string()))?
        .collect();
    if found.is_empty() {
        return Err(unresolved("no address".to_owned()));
    }
    let fitting: Vec<SocketAddr> = found
        .into_iter()
        .filter(|addr| family.is_none_or(|family| family.admits(&addr.ip())))
        // A source address settles the family as well.
        .filter(|addr| cfg.bind.is_none_or(|bind| bind.is_ipv4() == addr.is_ipv4()))
        .collect();
    if fitting.is_empty() {
        Err(no_family(host, *family))
    } else {
        Ok(fitting)
    }
}

fn no_family(host: &str, family: Option<Family>) -> SessionError {
    let family = match family {
        Some(Family::V6) => "IPv6",
        Some(Family::V4) => "IPv4",
        None => "fitting",
    };
    SessionError::NoAddressOfFamily {
        host: host.to_owned(),
        family,
    }
}

/// An address, with a zone for link-local ones (`fe80::1%eth0`).
fn literal(host: &str, port: u16) -> Result<Option<SocketAddr>, SessionError> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(Some(SocketAddr::new(ip, port)));
    }
    let Some((address, zone)) = host.split_once('%') else {
        return Ok(None);
    };
    let Ok(ip) = address.parse::<Ipv6Addr>() else {
        return Ok(None);
    };
    let index = zone
        .parse()
        .ok()
        .or_else(|| interface_index(zone))
        .ok_or_else(|| SessionError::NameNotResolved {
            host: host.to_owned(),
            why: format!("there is no interface '{zone}'"),
        })?;
    Ok(Some(SocketAddr::V6(SocketAddrV6::new(ip, port, 0, index))))
}

/// Of this network namespace.
fn interface_index(name: &str) -> Option<u32> {
    // The name must be one path component.
    if name.contains(['/', '.']) {
        return None;
    }
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/ifindex")).ok()?;
    text.trim().parse().ok()
}

/// A fresh socket for `to`, bound as the configuration says.
pub fn client_socket(
    cfg: &ClientConfig,
    to: SocketAddr,
    kind: Type,
) -> Result<Socket, SessionError> {
    let local = |source| SessionError::Local {
        what: "cannot make a socket",
        source,
    };
    let socket = Socket::new(Domain::for_address(to), kind, None).map_err(local)?;
    socket.set_nonblocking(true).map_err(local)?;
    if let Some(dev) = &cfg.bind_dev {
        socket
            .bind_device(Some(dev.as_bytes()))
            .map_err(|source| SessionError::BindDevice {
                dev: dev.clone(),
                source,
            })?;
    }
    if let Some(ip) = cfg.bind {
        let scope = match to {
            SocketAddr::V6(v6) => v6.scope_id(),
            SocketAddr::V4(_) => 0,
        };
        let from = match ip {
            IpAddr::V4(_) => SocketAddr::new(ip, 0),
            IpAddr::V6(v6) => SocketAddr::V6(SocketAddrV6::new(v6, 0, 0, scope)),
        };
        socket
            .bind(&SockAddr::from(from))
            .map_err(|source| SessionError::BindAddress {
                addr: ip.to_string(),
                source,
            })?;
    }
    Ok(socket)
}

/// The control connection, to the first address that answers, within `connect_timeout` in all.
pub async fn connect_control(cfg: &ClientConfig) -> Result<TcpStream, SessionError> {
    let by = cfg.connect_timeout.map(|limit| Instant::now() + limit);
    let attempt = async {
        let mut last = None;
        let addresses = resolve(cfg).await?;
        for (tried, &addr) in addresses.iter().enumerate() {
            let others = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
            match connect_within(cfg, addr, share(by, others)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| no_family(&cfg.host, cfg.family)))
    };
    let Some(limit) = cfg.connect_timeout else {
        return attempt.await;
    };
    match tokio::time::timeout(limit, attempt).await {
        Ok(result) => result,
        Err(_) => Err(SessionError::ConnectTimedOut {
            addr: named(&cfg.host, cfg.port),
            millis: limit.as_millis(),
        }),
    }
}

/// One address's part of the time that is left: one that does not answer must not use up the others'.
fn share(by: Option<Instant>, addresses: u32) -> Option<Duration> {
    by.map(|by| by.saturating_duration_since(Instant::now()) / addresses.max(1))
}

async fn connect_within(
    cfg: &ClientConfig,
    to: SocketAddr,
    limit: Option<Duration>,
) -> Result<TcpStream, SessionError> {
    let Some(limit) = limit else {
        return connect_one(cfg, to).await;
    };
    match tokio::time::timeout(limit, connect_one(cfg, to)).await {
        Ok(result) => result,
        Err(_) => Err(SessionError::ConnectTimedOut {
            addr: to.to_string(),
            millis: (limit.as_secs_f64() * 1000.0).round() as u128,
        }),
    }
}

async fn connect_one(cfg: &ClientConfig, to: SocketAddr) -> Result<TcpStream, SessionError> {
    let socket = client_socket(cfg, to, Type::STREAM)?;
    let begun = Instant::now();
    let stream = TcpSocket::from_std_stream(socket.into()).connect(to).await;
    let stream = stream.map_err(|e| connect_error(to, e, begun.elapsed()))?;
    tune_control(&stream).map_err(|source| SessionError::Local {
        what: "cannot set up the control connection",
        source,
    })?;
    Ok(stream)
}

fn named(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

fn connect_error(to: SocketAddr, source: io::Error, after: Duration) -> SessionError {
    let addr = to.to_string();
    match source.kind() {
        io::ErrorKind::ConnectionRefused => SessionError::Refused { addr },
        io::ErrorKind::TimedOut => SessionError::ConnectTimedOut {
            addr,
            millis: after.as_millis(),
        },
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            SessionError::NoRoute { addr }
        }
        _ => SessionError::Connect { addr, source },
    }
}

/// The addresses that a server binds, best first: dual-stack, then IPv4 where there is no IPv6.
pub fn server_addresses(cfg: &ServerConfig) -> Vec<SocketAddr> {
    let v4 = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), cfg.port);
    let v6 = SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), cfg.port);
    match (cfg.bind, cfg.family) {
        (Some(ip), _) => vec![SocketAddr::new(ip, cfg.port)],
        (None, Some(Family::V4)) => vec![v4],
        (None, Some(Family::V6)) => vec![v6],
        (None, None) => vec![v6, v4],
    }
}

/// A socket of `kind` on one of the server's addresses.
pub fn server_socket(cfg: &ServerConfig, kind: Type) -> Result<Socket, SessionError> {
    let mut last = None;
    for addr in server_addresses(cfg) {
        match bound(cfg, addr, kind) {
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

fn bound(cfg: &ServerConfig, addr: SocketAddr, kind: Type) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(addr), kind, None)?;
    if addr.is_ipv6() {
        let only = cfg.family == Some(Family::V6);
        socket.set_only_v6(only)?;
    }
    // TCP: connections of the last server may still be in TIME_WAIT. UDP: the connected sockets of the
    // streams share the port.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::from(addr))?;
    Ok(socket)
}

pub fn listen(cfg: &ServerConfig) -> Result<TcpListener, SessionError> {
    let socket = server_socket(cfg, Type::STREAM)?;
    let local = |source| SessionError::Local {
        what: "cannot listen",
        source,
    };
    // 128 streams each way may knock at once.
    socket.listen(512).map_err(local)?;
    TcpListener::from_std(socket.into()).map_err(local)
}
