//! The client opens its data streams, one by one, as servers expect them.

use super::{ClientConfig, SessionError, net, streams};
use crate::sock;
use crate::wire::cookie::Cookie;
use crate::wire::hello::{self, Heard};
use nettest_report::params::Protocol;
use nettest_report::report::Flow;
use socket2::{SockAddr, Socket, Type};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, UdpSocket};
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

/// `control`: both ends of the control connection. `all_there` resolves when the server says that it has all
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
        sockets.push(match params.protocol {
            Protocol::Tcp => tcp(cfg, cookie, server).await?,
            Protocol::Udp => {
                let receives = streams::flow_of(params, index) == Flow::ServerToClient;
                udp(cfg, local, server, receives, &all_there).await?
            }
        });
    }
    Ok(sockets)
}

async fn tcp(
    cfg: &ClientConfig,
    cookie: &Cookie,
    server: SocketAddr,
) -> Result<Socket, SessionError> {
    let socket = net::client_socket(cfg, server, Type::STREAM)?;
    sock::apply_options(&socket, &streams::options(&cfg.params, true))?;
    let failed = |source| SessionError::StreamConnect {
        addr: server.to_string(),
        source,
    };
    let connect = async {
        let mut stream = TcpSocket::from_std_stream(socket.into())
            .connect(server)
            .await?;
        stream.write_all(cookie.bytes()).await?;
        stream.into_std()
    };
    match timeout(CONNECT, connect).await {
        Ok(stream) => stream.map(Socket::from).map_err(failed),
        Err(_) => Err(failed(std::io::ErrorKind::TimedOut.into())),
    }
}

async fn udp(
    cfg: &ClientConfig,
    local: SocketAddr,
    server: SocketAddr,
    receives: bool,
    all_there: &impl Fn() -> bool,
) -> Result<Socket, SessionError> {
    let socket = net::client_socket(cfg, server, Type::DGRAM)?;
    let failed = |source| SessionError::StreamConnect {
        addr: server.to_string(),
        source,
    };
    sock::apply_options(&socket, &streams::options(&cfg.params, true))?;
    if cfg.bind.is_none() {
        // Servers of ours take hellos only from the control connection's address.
        let mut from = local;
        from.set_port(0);
        socket.bind(&SockAddr::from(from)).map_err(failed)?;
    }
    socket.connect(&SockAddr::from(server)).map_err(failed)?;
    let socket = UdpSocket::from_std(socket.into()).map_err(failed)?;
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
