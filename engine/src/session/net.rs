//! Names, control connections and listeners.

use super::{ClientConfig, Family, Keepalive, Patience, SessionError};
use crate::sock;
use socket2::{Domain, SockAddr, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::time::{Duration, Instant};
use tokio::net::{TcpSocket, TcpStream};

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
pub fn tune_control(stream: &TcpStream, patience: &Patience) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let Keepalive {
        idle,
        interval,
        count,
    } = patience.keepalive;
    let socket = SockRef::from(stream);
    let idle = idle.unwrap_or(KEEPALIVE_IDLE);
    let interval = interval.unwrap_or(KEEPALIVE_INTERVAL);
    let count = count.unwrap_or(KEEPALIVE_PROBES);
    socket.set_tcp_keepalive(
        &TcpKeepalive::new()
            .with_time(idle)
            .with_interval(interval)
            .with_retries(count),
    )?;
    // With a user timeout the kernel gives up by it, whatever the number of probes (tcp(7)).
    let probed = (idle + interval * count).max(UNACKED);
    socket.set_tcp_user_timeout(Some(patience.send.unwrap_or(probed)))
}

/// All addresses of the server, those of the asked family only.
pub async fn resolve(cfg: &ClientConfig) -> Result<Vec<SocketAddr>, SessionError> {
    let ClientConfig {
        host, port, family, ..
    } = cfg;
    if let Some(addr) = literal(host, *port, cfg.bind_dev.as_deref())? {
        if lacks_zone(&addr) {
            return Err(SessionError::NameNotResolved {
                host: host.clone(),
                why: format!("a link-local address needs its interface, as in {host}%eth0"),
            });
        }
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

/// A link-local address is one of an interface, and this one does not say of which (field report 062).
fn lacks_zone(addr: &SocketAddr) -> bool {
    match addr {
        SocketAddr::V6(v6) => v6.ip().is_unicast_link_local() && v6.scope_id() == 0,
        SocketAddr::V4(_) => false,
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
fn literal(host: &str, port: u16, dev: Option<&str>) -> Result<Option<SocketAddr>, SessionError> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(Some(with_zone(ip, port, dev)));
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
        .or_else(|| sock::index_of(zone))
        .ok_or_else(|| SessionError::NameNotResolved {
            host: host.to_owned(),
            why: format!("there is no interface '{zone}'"),
        })?;
    Ok(Some(SocketAddr::V6(SocketAddrV6::new(ip, port, 0, index))))
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
    prepare(&socket, cfg, to, 0)?;
    Ok(socket)
}

/// Binds a fresh socket for `to` as the configuration says; `port`: its local port, 0 for any.
pub fn prepare(
    socket: &Socket,
    cfg: &ClientConfig,
    to: SocketAddr,
    port: u16,
) -> Result<(), SessionError> {
    let local = |source| SessionError::Local {
        what: "cannot make a socket",
        source,
    };
    socket.set_nonblocking(true).map_err(local)?;
    bind_device(socket, cfg.bind_dev.as_deref())?;
    let any = match to {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let Some(ip) = cfg.bind.or((port > 0).then_some(any)) else {
        return Ok(());
    };
    let scope = match to {
        SocketAddr::V6(v6) => v6.scope_id(),
        SocketAddr::V4(_) => 0,
    };
    let from = match ip {
        IpAddr::V4(_) => SocketAddr::new(ip, port),
        IpAddr::V6(v6) => SocketAddr::V6(SocketAddrV6::new(v6, port, 0, scope)),
    };
    socket.bind(&SockAddr::from(from)).map_err(|source| {
        if port > 0 {
            let addr = from.to_string();
            return SessionError::Bind { addr, source };
        }
        SessionError::BindAddress {
            addr: ip.to_string(),
            source,
        }
    })
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
    tune_control(&stream, &cfg.patience).map_err(|source| SessionError::Local {
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

/// A link-local address is one interface's (RFC 4007): without its zone nothing can be bound to it.
pub fn with_zone(ip: IpAddr, port: u16, dev: Option<&str>) -> SocketAddr {
    match (ip, dev.and_then(sock::index_of)) {
        (IpAddr::V6(v6), Some(zone)) if v6.is_unicast_link_local() => {
            SocketAddr::V6(SocketAddrV6::new(v6, port, 0, zone))
        }
        _ => SocketAddr::new(ip, port),
    }
}

/// Whatever comes in by another interface is not for this socket.
pub fn bind_device(socket: &Socket, dev: Option<&str>) -> Result<(), SessionError> {
    let Some(dev) = dev else { return Ok(()) };
    socket
        .bind_device(Some(dev.as_bytes()))
        .map_err(|source| SessionError::BindDevice {
            dev: dev.to_owned(),
            source,
        })
}
