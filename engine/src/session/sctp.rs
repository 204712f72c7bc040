//! The server's SCTP port. It is opened with the first test that wants it; each association begins with the cookie of
//! its test, as a TCP data connection does.

use super::background::Background;
use super::hub::{Arrival, Hub};
use super::knock::say;
use super::listen::{self, Entrance};
use super::{ServerConfig, SessionError};
use crate::sock;
use crate::wire::cookie::{COOKIE_LEN, Cookie};
use crate::wire::state::State;
use crate::wire::{HANDSHAKE, code};
use socket2::Domain;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Associations that have not yet said whose they are.
const MAX_HANDSHAKES: usize = super::hub::MAX_HANDSHAKES;

#[derive(Debug)]
pub struct SctpDoor {
    cfg: ServerConfig,
    listens: Mutex<Option<Background>>,
}

impl SctpDoor {
    pub fn new(cfg: &ServerConfig, port: u16) -> Self {
        SctpDoor {
            cfg: ServerConfig {
                port,
                ..cfg.clone()
            },
            listens: Mutex::default(),
        }
    }

    /// Errors: the kernel has no SCTP, or the port is taken.
    pub fn listen(&self, hub: &Arc<Hub>) -> Result<(), SessionError> {
        let mut listens = self.listens.lock().unwrap_or_else(PoisonError::into_inner);
        if listens.is_some() {
            return Ok(());
        }
        sock::sctp_socket(Domain::IPV4)?;
        let socket = listen::server_socket(&self.cfg, Entrance::Sctp)?;
        let failed = |source| SessionError::Local {
            what: "cannot open the SCTP port",
            source,
        };
        socket.listen(512).map_err(failed)?;
        // A one-to-one socket is used with the calls of a TCP one.
        let listener = TcpListener::from_std(socket.into()).map_err(failed)?;
        *listens = Some(Background::start(welcome(listener, Arc::downgrade(hub))));
        Ok(())
    }
}

/// What goes after SERVER_ERROR when the port could not be opened.
pub fn code_of(error: &SessionError) -> i32 {
    match error {
        SessionError::Bind { .. } | SessionError::Local { .. } => code::STREAM_LISTEN,
        _ => code::NO_SCTP,
    }
}

async fn welcome(listener: TcpListener, hub: std::sync::Weak<Hub>) {
    let places = Arc::new(Semaphore::new(MAX_HANDSHAKES));
    let mut order = 0;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            continue;
        };
        let (Some(hub), Ok(place)) = (hub.upgrade(), places.clone().try_acquire_owned()) else {
            continue;
        };
        order += 1;
        tokio::spawn(async move {
            handshake(&hub, stream, order).await;
            drop(place);
        });
    }
}

async fn handshake(hub: &Hub, mut stream: TcpStream, order: u64) {
    let mut bytes = [0u8; COOKIE_LEN];
    if !matches!(
        timeout(HANDSHAKE, stream.read_exact(&mut bytes)).await,
        Ok(Ok(_))
    ) {
        return;
    }
    if let Err(stranger) = hub.route(&Cookie::from_wire(bytes), Arrival { order, stream }) {
        say(stranger.stream, State::AccessDenied).await;
    }
}
