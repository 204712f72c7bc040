//! The data streams of a server's test come in.

use super::door::Hello;
use super::hub::Arrival;
use super::knock::{self, Expected};
use super::serve::Session;
use super::{SessionError, Stop, streams};
use crate::sock;
use crate::wire::{code, hello};
use socket2::Socket;
use std::net::SocketAddr;
use std::time::Duration;

const REPEATED: Duration = Duration::from_millis(100);

impl Session<'_> {
    /// All data streams, in order.
    pub(super) async fn streams(
        &mut self,
        expected: Expected,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let sockets = match expected {
            Expected::Tcp(mut awaiting) => self.tcp_streams(&mut awaiting.arrivals, stop).await?,
            Expected::Udp(mut expecting) => self.udp_streams(&mut expecting.hellos, stop).await?,
        };
        let options = streams::options(&self.accepted.params, false);
        for socket in &sockets {
            // Set after accept, so that the shared listener stays as it is (field report 067). The MSS cannot
            // be: but the client's SYN carried it, and it binds both directions.
            sock::apply_options(socket, &options).map_err(|error| {
                let code = match error {
                    sock::SockError::Congestion { .. } => code::CONGESTION,
                    sock::SockError::Window { .. } => code::SET_BUF,
                    sock::SockError::Tos { .. } => code::SET_TOS,
                    sock::SockError::NoDelay { .. } => code::SET_NODELAY,
                    sock::SockError::Mss { .. } => code::SET_MSS,
                };
                self.link.machine.refuse(code, 0);
                SessionError::from(error)
            })?;
        }
        Ok(sockets)
    }

    async fn tcp_streams(
        &mut self,
        arrivals: &mut tokio::sync::mpsc::Receiver<Arrival>,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let count = streams::stream_count(&self.accepted.params);
        let mut arrived: Vec<Arrival> = Vec::new();
        while arrived.len() < count {
            tokio::select! {
                Some(arrival) = arrivals.recv() => {
                    self.link.machine.stream_arrived(self.link.now());
                    arrived.push(arrival);
                }
                event = self.link.event() => return Err(knock::explain(event, &self.peer, self.link)),
                cause = stop.asked() => return Err(self.terminated(cause)),
            }
        }
        // The handshakes run side by side; the streams' order is that of the connections.
        arrived.sort_by_key(|arrival| arrival.order);
        arrived
            .into_iter()
            .map(|arrival| arrival.stream.into_std().map(Socket::from))
            .collect::<Result<_, _>>()
            .map_err(|source| SessionError::Local {
                what: "cannot take over a data connection",
                source,
            })
    }

    async fn udp_streams(
        &mut self,
        hellos: &mut tokio::sync::mpsc::Receiver<Hello>,
        stop: &mut Stop,
    ) -> Result<Vec<Socket>, SessionError> {
        let count = streams::stream_count(&self.accepted.params);
        let failed = |source| SessionError::Local {
            what: "cannot open a UDP stream",
            source,
        };
        let local = super::net::canonical(self.link.stream().local_addr().map_err(failed)?);
        let mut made: Vec<(SocketAddr, std::net::UdpSocket)> = Vec::new();
        while made.len() < count {
            tokio::select! {
                Some(Hello { from, answer }) = hellos.recv() => {
                    match made.iter().find(|(peer, _)| *peer == from) {
                        Some((_, socket)) => { let _ = socket.send(&answer); }
                        None => {
                            let door = &self.accepted.settings.door;
                            let socket = door.stream(local, from).map_err(|source| {
                                self.link.machine.refuse(code::STREAM_ACCEPT, source.raw_os_error().unwrap_or(0));
                                failed(source)
                            })?;
                            let socket = std::net::UdpSocket::from(socket);
                            let _ = socket.send(&answer);
                            self.link.machine.stream_arrived(self.link.now());
                            made.push((from, socket));
                        }
                    }
                }
                // A repeated hello says that our answer was lost; it comes to the stream's own socket.
                () = tokio::time::sleep(REPEATED) => answer_again(&made),
                event = self.link.event() => return Err(knock::explain(event, &self.peer, self.link)),
                cause = stop.asked() => return Err(self.terminated(cause)),
            }
        }
        Ok(made
            .into_iter()
            .map(|(_, socket)| Socket::from(socket))
            .collect())
    }
}

fn answer_again(made: &[(SocketAddr, std::net::UdpSocket)]) {
    let mut datagram = [0u8; 64];
    for (_, socket) in made {
        // Bounded; a client that floods its hello gets no more than this.
        for _ in 0..4 {
            let Ok(length) = socket.recv(&mut datagram) else {
                break;
            };
            if let Some(answer) = hello::answer(&datagram[..length]) {
                let _ = socket.send(&answer);
            }
        }
    }
}
