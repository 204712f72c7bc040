//! A control connection: joins a socket, the clock and one of the pure machines.

use crate::wire::client::{ClientEvent, ClientMachine};
use crate::wire::error::WireError;
use crate::wire::server::{ServerEvent, ServerMachine};
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What both machines have in common.
pub trait Machine: Send {
    type Event: Send;
    fn feed(&mut self, bytes: &[u8], now: Duration);
    fn closed(&mut self);
    fn tick(&mut self, now: Duration);
    fn deadline(&self) -> Option<Duration>;
    fn next_event(&mut self) -> Option<Self::Event>;
    fn take_output(&mut self) -> Vec<u8>;
}

impl Machine for ClientMachine {
    type Event = ClientEvent;
    fn feed(&mut self, bytes: &[u8], now: Duration) {
        ClientMachine::feed(self, bytes, now);
    }
    fn closed(&mut self) {
        ClientMachine::closed(self);
    }
    fn tick(&mut self, now: Duration) {
        ClientMachine::tick(self, now);
    }
    fn deadline(&self) -> Option<Duration> {
        ClientMachine::deadline(self)
    }
    fn next_event(&mut self) -> Option<ClientEvent> {
        ClientMachine::next_event(self)
    }
    fn take_output(&mut self) -> Vec<u8> {
        ClientMachine::take_output(self)
    }
}

impl Machine for ServerMachine {
    type Event = ServerEvent;
    fn feed(&mut self, bytes: &[u8], now: Duration) {
        ServerMachine::feed(self, bytes);
        // Whatever the client says is a sign of life.
        ServerMachine::alive(self, now);
    }
    fn closed(&mut self) {
        ServerMachine::closed(self);
    }
    fn tick(&mut self, now: Duration) {
        ServerMachine::tick(self, now);
    }
    fn deadline(&self) -> Option<Duration> {
        ServerMachine::deadline(self)
    }
    fn next_event(&mut self) -> Option<ServerEvent> {
        ServerMachine::next_event(self)
    }
    fn take_output(&mut self) -> Vec<u8> {
        ServerMachine::take_output(self)
    }
}

/// Between looks whether a peer that has said something has closed since.
const LOOK: Duration = Duration::from_millis(250);
/// How long the last words of a connection may take.
const FAREWELL: Duration = Duration::from_secs(1);

pub struct Link<M: Machine> {
    pub machine: M,
    stream: TcpStream,
    epoch: Instant,
    unsent: Vec<u8>,
    sent: usize,
    /// Set when a read or write failed: the machine only knows "closed".
    pub broken: Option<io::Error>,
    gone: bool,
    /// Events that were taken early and handed back.
    early: VecDeque<M::Event>,
}

impl<M: Machine> Link<M> {
    /// `epoch` is the zero of the machine's clock.
    pub fn new(stream: TcpStream, machine: M, epoch: Instant) -> Self {
        Link {
            machine,
            stream,
            epoch,
            unsent: Vec::new(),
            sent: 0,
            broken: None,
            gone: false,
            early: VecDeque::new(),
        }
    }

    pub fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// The next event, however long it takes; the machine's deadlines end it. Safe to cancel: what was read or
    /// written is kept.
    pub async fn event(&mut self) -> M::Event {
        loop {
            self.flush();
            if let Some(event) = self.early.pop_front().or_else(|| self.machine.next_event()) {
                return event;
            }
            let now = self.now();
            let wait = self.machine.deadline().map(|at| at.saturating_sub(now));
            let sleep = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            let wants_write = self.sent < self.unsent.len() && !self.gone;
            let reading = !self.gone;
            tokio::select! {
                ready = self.stream.writable(), if wants_write => self.write(ready),
                ready = self.stream.readable(), if reading => self.read(ready),
                () = sleep => {
                    let now = self.now();
                    self.machine.tick(now);
                }
            }
        }
    }

    /// Resolves when the peer has closed, as far as that is seen without reading: what it says early is kept for later.
    pub async fn gone(&self) {
        let mut byte = [0];
        while self.stream.peek(&mut byte).await.is_ok_and(|n| n > 0) {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// These events come first again, in this order.
    pub fn hand_back(&mut self, events: Vec<M::Event>) {
        self.early.extend(events);
    }

    /// Write what the machine has to say, as far as the socket takes it now.
    pub fn flush(&mut self) {
        self.collect();
        if self.sent < self.unsent.len() && !self.gone {
            self.write(Ok(()));
        }
    }

    /// The last words, then a half-close, so that what is on its way still arrives.
    pub async fn farewell(mut self) {
        self.collect();
        let rest = self.unsent.split_off(self.sent);
        let stream = &mut self.stream;
        let last = async {
            stream.write_all(&rest).await?;
            stream.shutdown().await?;
            // A close with unread input resets the connection and may destroy the last words: read on until
            // the peer closes, too.
            let mut sink = [0u8; 1024];
            while stream.read(&mut sink).await? > 0 {}
            Ok::<(), io::Error>(())
        };
        // The peer may be gone, which is no news here.
        let _ = tokio::time::timeout(FAREWELL, last).await;
    }

    fn collect(&mut self) {
        let more = self.machine.take_output();
        if self.sent == self.unsent.len() {
            self.unsent.clear();
            self.sent = 0;
        }
        self.unsent.extend_from_slice(&more);
    }

    fn write(&mut self, ready: io::Result<()>) {
        match ready.and_then(|()| self.stream.try_write(&self.unsent[self.sent..])) {
            Ok(n) => self.sent += n,
            Err(error) => self.troubled(error),
        }
    }

    fn read(&mut self, ready: io::Result<()>) {
        let mut bytes = [0u8; 16 * 1024];
        match ready.and_then(|()| self.stream.try_read(&mut bytes)) {
            Ok(0) => {
                self.gone = true;
                self.machine.closed();
            }
            Ok(n) => {
                let now = self.now();
                self.machine.feed(&bytes[..n], now);
            }
            Err(error) => self.troubled(error),
        }
    }

    fn troubled(&mut self, error: io::Error) {
        if matches!(
            error.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
        ) {
            return;
        }
        self.broken = Some(error);
        self.gone = true;
        self.machine.closed();
    }
}

/// The session's error for one of the wire's. `busy` says what a denial means.
pub fn explain(error: WireError, peer: &str, broken: Option<io::Error>) -> super::SessionError {
    use super::SessionError as E;
    use crate::wire::code;
    let peer = peer.to_owned();
    match error {
        WireError::Deadline { during, seconds } => E::Deadline {
            peer,
            during,
            seconds,
        },
        WireError::Mute { millis } => E::Mute { peer, millis },
        WireError::Closed { during } => match broken {
            Some(source) => E::Control {
                peer,
                during,
                source,
            },
            None => E::ControlClosed { peer, during },
        },
        WireError::Denied => E::Busy,
        WireError::Server { code, errno } => {
            let mut message = code::meaning(code).to_owned();
            if errno != 0 {
                message.push_str(&format!(": {}", io::Error::from_raw_os_error(errno)));
            }
            message.push_str(&format!(" (error {code})"));
            E::Server {
                code,
                errno,
                message,
            }
        }
        WireError::ServerTerminated => E::ServerTerminated,
        WireError::ClientTerminated => E::ClientTerminated,
        WireError::Params(error) => E::Refusing {
            peer,
            code: error.code(),
            what: error.to_string(),
        },
        WireError::Unexpected { .. } | WireError::TooLong(_) | WireError::BadJson { .. } => {
            E::Protocol {
                peer,
                what: error.to_string(),
            }
        }
    }
}

/// What a client's event that was not due means.
pub fn unexpected(
    event: ClientEvent,
    peer: &str,
    link: &mut Link<ClientMachine>,
) -> super::SessionError {
    match event {
        ClientEvent::Failed(error) => explain(error, peer, link.broken.take()),
        other => super::SessionError::Protocol {
            peer: peer.to_owned(),
            what: format!("{other:?} came out of turn"),
        },
    }
}
