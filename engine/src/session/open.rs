//! The client opens its data streams, one by one, as servers expect them.

use super::{ClientConfig, Family, SessionError, net, streams};
use crate::sock::{self, SockError, SocketOptions};
use crate::wire::cookie::Cookie;
use crate::wire::hello::{self, Heard};
use nettest_report::params::Protocol;
use nettest_report::report::{Flow, Role};
use socket2::{Domain, SockAddr, Socket, Type};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

/// For one stream, all tries included.
const CONNECT: Duration = Duration::from_secs(10);
/// Waits after each hello: 10 s in all (field report 031). The first is long against any round trip, since a
/// stock server takes a second hello for data.
const HELLO_WAITS: [Duration; 6] = [
    Duration::from_millis(500),
    Duration::from_millis(1000),
    Duration::from_millis(1500),
    Duration::from_millis(2000),
    Duration::from_millis(2500),
    Duration::from_millis(2500),
];
/// How often the server's word that all streams are there is looked at.
const LOOK: Duration = Duration::from_millis(20);
const UNREACHABLE_PAUSE: Duration = Duration::from_millis(100);

/// What the asked streams need of this machine, before anything is sent.
pub fn check(cfg: &ClientConfig) -> Result<(), SessionError> {
    if cfg.params.protocol == Protocol::Sctp {
        sock::sctp_socket(Domain::IPV4)?;
    }
    if let (Protocol::Tcp, Some(name)) = (cfg.params.protocol, &cfg.params.congestion) {
        let asked = sock::SocketOptions {
            congestion: Some(name.clone()),
            ..sock::SocketOptions::default()
        };
        let local = |source| SessionError::Local {
            what: "cannot open a socket",
            source,
        };
        sock::apply_options(
            &Socket::new(Domain::IPV4, Type::STREAM, None).map_err(local)?,
            &asked,
        )?;
    }
    Ok(())
}

/// The control connection. A flow label needs IPv6: a name with addresses of both families is taken for its IPv6 ones.
pub async fn control(cfg: &ClientConfig) -> Result<TcpStream, SessionError> {
    let Some(label) = cfg.params.flow_label else {
        return net::connect_control(cfg).await;
    };
    let mut cfg = cfg.clone();
    cfg.family = cfg.family.or(Some(Family::V6));
    if cfg.family == Some(Family::V4) {
        let peer = "an IPv4 address (-4)".to_owned();
        return Err(SockError::FlowLabelV4 { label, peer }.into());
    }
    match net::connect_control(&cfg).await {
        Err(SessionError::NoAddressOfFamily { host, .. }) => {
            Err(SockError::FlowLabelV4 { label, peer: host }.into())
        }
        other => other,
    }
}

/// `local` and `server`: the ends of the control connection. `all_there` resolves when the server says that it has all
/// streams: a lost answer to the last hello is then no loss.
pub async fn open(
    cfg: &ClientConfig,
    cookie: &Cookie,
    local: SocketAddr,
    server: SocketAddr,
    all_there: impl Fn() -> bool,
) -> Result<Vec<Socket>, SessionError> {
    let params = &cfg.params;
    let mut sockets = Vec::new();
    for index in 0..streams::stream_count(params) {
        let dial = Dial {
            cfg,
            server,
            options: streams::options(params, index, Role::Client, cfg.patience.send),
            port: local_port(cfg, index)?,
        };
        sockets.push(match params.protocol {
            Protocol::Tcp => connected(dial.tcp()?, &dial, cookie).await?,
            Protocol::Sctp => connected(dial.sctp()?, &dial, cookie).await?,
            Protocol::Udp => {
                let receives = streams::flow_of(params, index) == Flow::ServerToClient;
                udp(&dial, local, receives, &all_there).await?
            }
        });
    }
    Ok(sockets)
}

/// `--cport` and the next ones, a stream each.
fn local_port(cfg: &ClientConfig, index: usize) -> Result<u16, SessionError> {
    let Some(first) = cfg.cport else {
        return Ok(0);
    };
    usize::from(first)
        .checked_add(index)
        .and_then(|port| u16::try_from(port).ok())
        .ok_or_else(|| {
            SessionError::Option(format!(
                "--cport {first} leaves no local port for stream {}; choose a lower one",
                index + 1
            ))
        })
}

/// How a stream is opened.
struct Dial<'a> {
    cfg: &'a ClientConfig,
    server: SocketAddr,
    options: SocketOptions,
    /// The local port, 0 for any.
    port: u16,
}

impl Dial<'_> {
    fn tcp(&self) -> Result<Socket, SessionError> {
        let domain = Domain::for_address(self.server);
        let made = if self.cfg.params.mptcp {
            sock::mptcp_socket(domain)
        } else {
            Socket::new(domain, Type::STREAM, None)
        };
        let socket = made.map_err(|source| self.failed(source))?;
        self.reuse(&socket)?;
        net::prepare(&socket, self.cfg, self.server, self.port)?;
        sock::apply_options(&socket, &self.options)?;
        Ok(socket)
    }

    fn sctp(&self) -> Result<Socket, SessionError> {
        let socket = sock::sctp_socket(Domain::for_address(self.server))?;
        self.reuse(&socket)?;
        if self.cfg.sctp_bind.is_empty() {
            net::prepare(&socket, self.cfg, self.server, self.port)?;
        } else {
            socket
                .set_nonblocking(true)
                .map_err(|source| self.failed(source))?;
            sock::bind_sctp(&socket, &self.cfg.sctp_bind, self.port)?;
        }
        if let Some(streams) = self.cfg.sctp_streams {
            sock::ask_sctp_streams(&socket, streams)?;
        }
        sock::apply_options(&socket, &self.options)?;
        Ok(socket)
    }

    fn udp(&self, local: SocketAddr) -> Result<Socket, SessionError> {
        let domain = Domain::for_address(self.server);
        let made = Socket::new(domain, Type::DGRAM, None);
        let socket = made.map_err(|source| self.failed(source))?;
        let mut cfg = self.cfg.clone();
        // Servers of ours take hellos only from the control connection's address.
        cfg.bind = Some(cfg.bind.unwrap_or(local.ip()));
        net::prepare(&socket, &cfg, self.server, self.port)?;
        sock::apply_options(&socket, &self.options)?;
        let to = self.destination(&socket)?;
        socket.connect(&to).map_err(|source| self.failed(source))?;
        Ok(socket)
    }

    /// The same command has to work again at once: its last connections may be in TIME_WAIT. Datagrams know none, and
    /// two sockets on one port would take each other's.
    fn reuse(&self, socket: &Socket) -> Result<(), SessionError> {
        if self.port == 0 {
            return Ok(());
        }
        socket
            .set_reuse_address(true)
            .map_err(|source| self.failed(source))
    }

    /// Where to connect, with the flow label that was asked for.
    fn destination(&self, socket: &Socket) -> Result<SockAddr, SessionError> {
        Ok(match self.cfg.params.flow_label {
            Some(label) => sock::labelled(socket, self.server, label)?,
            None => SockAddr::from(self.server),
        })
    }

    fn failed(&self, source: std::io::Error) -> SessionError {
        let server = self.server;
        let addr = match self.port {
            0 => server.to_string(),
            port => format!("{server} from local port {port}"),
        };
        SessionError::StreamConnect { addr, source }
    }
}

/// Connects a byte stream, and says whose it is.
async fn connected(
    socket: Socket,
    dial: &Dial<'_>,
    cookie: &Cookie,
) -> Result<Socket, SessionError> {
    let failed = |source| dial.failed(source);
    let to = dial.destination(&socket)?;
    let connect = async {
        match socket.connect(&to) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {}
            Err(error) => return Err(error),
        }
        let mut stream = TcpStream::from_std(socket.into())?;
        stream.writable().await?;
        if let Some(error) = stream.take_error()? {
            return Err(error);
        }
        stream.write_all(cookie.bytes()).await?;
        stream.into_std()
    };
    match timeout(CONNECT, connect).await {
        Ok(stream) => stream.map(Socket::from).map_err(failed),
        Err(_) => Err(failed(std::io::ErrorKind::TimedOut.into())),
    }
}

async fn udp(
    dial: &Dial<'_>,
    local: SocketAddr,
    receives: bool,
    all_there: &impl Fn() -> bool,
) -> Result<Socket, SessionError> {
    let failed = |source| dial.failed(source);
    let server = dial.server;
    let socket = UdpSocket::from_std(dial.udp(local)?.into()).map_err(failed)?;
    for wait in HELLO_WAITS {
        if timeout(wait, ask(&socket, receives, all_there))
            .await
            .is_ok()
        {
            return socket.into_std().map(Socket::from).map_err(failed);
        }
    }
    let tries = u32::try_from(HELLO_WAITS.len()).unwrap_or(u32::MAX);
    Err(SessionError::UdpHello {
        peer: server.ip().to_string(),
        port: server.port(),
        tries,
    })
}

/// One hello, and then until the stream is known to be open.
async fn ask(socket: &UdpSocket, receives: bool, all_there: &impl Fn() -> bool) {
    // An error is the echo of an earlier try; what counts is an answer.
    let _ = socket.send(&hello::HELLO).await;
    let mut datagram = [0u8; 64];
    loop {
        // Only a look: early data is the data thread's to count.
        match timeout(LOOK, socket.peek(&mut datagram)).await {
            Ok(Ok(length)) => match hello::hear(&datagram[..length], receives) {
                Heard::EarlyData => return,
                heard => {
                    let _ = socket.try_recv(&mut datagram);
                    if heard == Heard::Reply {
                        return;
                    }
                }
            },
            Ok(Err(_)) => {
                // Port unreachable: the server does not listen yet.
                tokio::time::sleep(UNREACHABLE_PAUSE).await;
                let _ = socket.send(&hello::HELLO).await;
            }
            Err(_) if all_there() => return,
            Err(_) => {}
        }
    }
}
