//! The data streams of a server's test come in.

use super::door::Hello;
use super::hub::Arrival;
use super::knock::{self, Expected};
use super::serve::Session;
use super::{SessionError, Stop, streams};
use crate::sock::{self, SockError};
use crate::wire::{code, hello};
use nettest_report::report::Role;
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
        match expected {
            Expected::Tcp(mut awaiting, turn) => {
                let sockets = self.tcp_streams(&mut awaiting.arrivals, stop).await?;
                drop(turn);
                for (index, socket) in sockets.iter().enumerate() {
                    self.set_up(index, socket)?;
                }
                Ok(sockets)
            }
            Expected::Udp(mut expecting) => self.udp_streams(&mut expecting.hellos, stop).await,
        }
    }

    /// The options of one stream. Set after accept, so that the shared listener stays as it is (field report 067). The
    /// MSS cannot be: but the client's SYN carried it, and it binds both directions.
    fn set_up(&mut self, index: usize, socket: &Socket) -> Result<(), SessionError> {
        let accepted = self.accepted;
        let options = streams::options(
            &accepted.params,
            index,
            Role::Server,
            accepted.settings.patience.send,
        );
        if options.window.is_none() {
            accepted.settings.narrow.free(socket);
        }
        sock::apply_options(socket, &options).map_err(|error| {
            self.link.machine.refuse(code_of(&error), 0);
            SessionError::from(error)
        })?;
        Ok(())
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
                            let label = self.accepted.params.flow_label;
                            let socket = door.stream(local, from, label).inspect_err(|_| {
                                let code = match label {
                                    Some(_) => code::SET_FLOW_LABEL,
                                    None => code::STREAM_ACCEPT,
                                };
                                self.link.machine.refuse(code, 0);
                            })?;
                            // Before the answer, so that this is marked like the data (field report 066).
                            self.set_up(made.len(), &socket)?;
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

/// What goes after SERVER_ERROR, as iperf3 numbers it.
pub(super) fn code_of(error: &SockError) -> i32 {
    match error {
        SockError::Congestion { .. } => code::CONGESTION,
        SockError::Window { .. } => code::SET_BUF,
        SockError::Tos { .. } => code::SET_TOS,
        SockError::NoDelay { .. } => code::SET_NODELAY,
        SockError::Mss { .. } => code::SET_MSS,
        SockError::FqRate { .. } => code::SET_PACING,
        SockError::DontFragment { .. } => code::SET_DONT_FRAGMENT,
        SockError::SendTimeout { .. } => code::SET_USER_TIMEOUT,
        SockError::FlowLabel { .. } | SockError::FlowLabelV4 { .. } => code::SET_FLOW_LABEL,
        SockError::NoSctp { .. } => code::NO_SCTP,
        SockError::SctpBind { .. } => code::SCTP_BINDX,
        SockError::SctpStreams { .. } => code::SCTP_STREAMS,
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
