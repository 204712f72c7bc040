//! The server's UDP port. A datagram that opens a stream is taken only from the address of a control connection
//! whose test waits for streams: nothing ever goes to a stranger (E14).

use super::background::Background;
use super::{ServerConfig, SessionError, listen, net};
use crate::sock;
use crate::wire::hello;
use socket2::{Domain, SockAddr, Socket, Type};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;

/// A hello from a waiting test's client: its address, and the answer that is due.
#[derive(Debug, Clone, Copy)]
pub struct Hello {
    pub from: SocketAddr,
    pub answer: [u8; 4],
}

type Turn = tokio::sync::Mutex<()>;

#[derive(Debug, Default)]
struct Guests {
    waiting: HashMap<IpAddr, mpsc::Sender<Hello>>,
    /// Two tests of one address open their streams one after the other: hellos carry no cookie.
    turns: HashMap<IpAddr, Weak<Turn>>,
    /// Opened with the first UDP test.
    listens: Option<Background>,
}

#[derive(Debug)]
pub struct Door {
    cfg: ServerConfig,
    port: u16,
    guests: Mutex<Guests>,
}

/// A test's right to the hellos of its client's address. Ends when dropped.
#[derive(Debug)]
pub struct Expecting {
    pub hellos: mpsc::Receiver<Hello>,
    ip: IpAddr,
    door: Arc<Door>,
    _turn: tokio::sync::OwnedMutexGuard<()>,
}

impl Drop for Expecting {
    fn drop(&mut self) {
        self.door.guests().waiting.remove(&self.ip);
    }
}

impl Door {
    pub fn new(cfg: &ServerConfig, port: u16) -> Arc<Self> {
        Arc::new(Door {
            cfg: ServerConfig {
                port,
                ..cfg.clone()
            },
            port,
            guests: Mutex::default(),
        })
    }

    fn guests(&self) -> std::sync::MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for the turn of `ip`, then hear its hellos.
    pub async fn expect(self: &Arc<Self>, ip: IpAddr) -> Result<Expecting, SessionError> {
        let turn = {
            let mut guests = self.guests();
            guests.turns.retain(|_, turn| turn.strong_count() > 0);
            match guests.turns.get(&ip).and_then(Weak::upgrade) {
                Some(turn) => turn,
                None => {
                    let turn = Arc::new(Turn::default());
                    guests.turns.insert(ip, Arc::downgrade(&turn));
                    turn
                }
            }
        };
        let turn = turn.lock_owned().await;
        self.listen()?;
        let (tx, hellos) = mpsc::channel(256);
        self.guests().waiting.insert(ip, tx);
        Ok(Expecting {
            hellos,
            ip,
            door: self.clone(),
            _turn: turn,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<(), SessionError> {
        let mut guests = self.guests();
        if guests.listens.is_some() {
            return Ok(());
        }
        let failed = |source| SessionError::Local {
            what: "cannot open the UDP port",
            source,
        };
        let socket = listen::server_socket(&self.cfg, listen::Entrance::Udp)?;
        let socket = UdpSocket::from_std(socket.into()).map_err(failed)?;
        let door = Arc::downgrade(self);
        guests.listens = Some(Background::start(async move {
            let mut datagram = [0u8; 64];
            loop {
                match socket.recv_from(&mut datagram).await {
                    Ok((length, from)) => {
                        let Some(door) = door.upgrade() else { return };
                        door.knock(&datagram[..length], from);
                    }
                    // An ICMP error of an earlier datagram: not this socket's affair. Anything else must not
                    // make this loop spin.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
                }
            }
        }));
        Ok(())
    }

    /// A datagram for no stream.
    fn knock(&self, datagram: &[u8], from: SocketAddr) {
        let from = net::canonical(from);
        let Some(answer) = hello::answer(datagram) else {
            return;
        };
        if let Some(test) = self.guests().waiting.get(&from.ip()) {
            // A full queue is a flood; the client repeats its hello.
            let _ = test.try_send(Hello { from, answer });
        }
    }

    /// The socket of one stream: bound to the address that the client's control connection talks to, so that
    /// the answer leaves from there on a host with several (field report #1996 of facts/engine.md), and connected to the
    /// client, so that the kernel prefers it to the door for this client's datagrams.
    pub fn stream(
        &self,
        local: SocketAddr,
        peer: SocketAddr,
        flow_label: Option<u32>,
    ) -> Result<Socket, SessionError> {
        let failed = |source| SessionError::Local {
            what: "cannot open a UDP stream",
            source,
        };
        let socket = Socket::new(Domain::for_address(peer), Type::DGRAM, None).map_err(failed)?;
        let to = match flow_label {
            Some(label) => sock::labelled(&socket, peer, label)?,
            None => SockAddr::from(peer),
        };
        self.join(&socket, local, &to).map_err(failed)?;
        self.forward_strays(&socket, peer).map_err(failed)?;
        Ok(socket)
    }

    fn join(&self, socket: &Socket, local: SocketAddr, peer: &SockAddr) -> std::io::Result<()> {
        socket.set_nonblocking(true)?;
        socket.set_reuse_address(true)?;
        if let Some(dev) = &self.cfg.bind_dev {
            socket.bind_device(Some(dev.as_bytes()))?;
        }
        let mut own = local;
        own.set_port(self.port);
        socket.bind(&SockAddr::from(own))?;
        socket.connect(peer)
    }

    /// Between bind and connect the new socket may have caught others' hellos.
    fn forward_strays(&self, socket: &Socket, peer: SocketAddr) -> std::io::Result<()> {
        let udp = std::net::UdpSocket::from(socket.try_clone()?);
        let mut datagram = [0u8; 64];
        // Bounded: the peer may already send at full speed.
        for _ in 0..1000 {
            match udp.recv_from(&mut datagram) {
                Ok((_, from)) if net::canonical(from) == peer => {}
                Ok((length, from)) => self.knock(&datagram[..length], from),
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }
}
