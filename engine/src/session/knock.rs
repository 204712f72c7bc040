//! A new connection to the server's port: its cookie says what it is.

use super::door::Expecting;
use super::hub::{Arrival, Awaiting, Entry, Hub, Occupied};
use super::link::{self, Link};
use super::narrow::Turn;
use super::serve::{self, Accepted};
use super::{Observer, SessionError, Stop, net, sctp, streams};
use crate::wire::cookie::{COOKIE_LEN, Cookie};
use crate::wire::error::WireError;
use crate::wire::iperf2;
use crate::wire::server::{ServerEvent, ServerMachine};
use crate::wire::state::State;
use crate::wire::{HANDSHAKE, code};
use jiff::Timestamp;
use nettest_report::params::{Protocol, TestParams};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// A place among the server's tests, and who hears of the test.
pub struct Slot {
    pub occupied: Occupied,
    pub observer: Box<dyn Observer>,
}

/// What connections want of the listener.
pub enum Ask {
    /// A slot, or the observer for one that a client has already; nothing comes when the server is full.
    Slot {
        held: Option<Occupied>,
        answer: oneshot::Sender<Option<Slot>>,
    },
    /// Somebody was sent away before there was a test; the server's log says why.
    TurnedAway { peer: SocketAddr, why: String },
}

#[derive(Debug, Clone)]
pub struct Knock {
    pub hub: Arc<Hub>,
    pub asks: mpsc::Sender<Ask>,
    pub stop: Stop,
    pub settings: Arc<serve::Settings>,
}

/// Whether a connection became a test.
pub type Outcome = Option<Result<(), SessionError>>;

/// From the first byte to the end of the test, if it is one. `settled` is set once the handshake is over.
pub async fn handle(
    knock: Knock,
    mut stream: TcpStream,
    peer: SocketAddr,
    order: u64,
    settled: Arc<AtomicBool>,
) -> Outcome {
    let mut bytes = [0u8; COOKIE_LEN];
    match timeout(HANDSHAKE, stream.read_exact(&mut bytes)).await {
        Ok(Ok(_)) => {}
        // Silent, closed, or a probe of somebody's: no test.
        Ok(Err(_)) | Err(_) => return None,
    }
    let cookie = Cookie::from_wire(bytes);
    if cookie.is_probe() {
        let answer = if knock.hub.is_full() {
            State::AccessDenied
        } else {
            State::ParamExchange
        };
        say(stream, answer).await;
        return None;
    }
    let stream = match knock.hub.route(&cookie, Arrival { order, stream }) {
        Ok(()) => {
            settled.store(true, Ordering::Release);
            return None;
        }
        Err(arrival) => arrival.stream,
    };
    if iperf2::speaks(&bytes) {
        knock.turn_away(peer, iperf2::ADVICE.to_owned()).await;
        return None;
    }
    let token = knock.hub.capacity.run_token.as_ref();
    let stranger = token.is_some_and(|token| !cookie.belongs_to(token));
    if stranger || net::tune_control(&stream, &knock.settings.patience).is_err() {
        say(stream, State::AccessDenied).await;
        return None;
    }
    knock.settings.narrow.free(&socket2::SockRef::from(&stream));
    let mut stream = stream;
    let held = if cookie.waits() && knock.hub.capacity.queue > 0 {
        match knock.hub.enter(peer.ip()) {
            Entry::Slot(occupied) => Some(occupied),
            Entry::Place(place) => {
                settled.store(true, Ordering::Release);
                Some(place.stand(&mut stream, knock.stop.clone()).await?)
            }
            Entry::Full => {
                say(stream, State::AccessDenied).await;
                return None;
            }
        }
    } else if knock.hub.is_full() {
        say(stream, State::AccessDenied).await;
        return None;
    } else {
        None
    };
    let epoch = Instant::now();
    let link = Link::new(stream, ServerMachine::new(epoch.elapsed()), epoch);
    negotiate(knock, link, peer, cookie, held, settled).await
}

/// One byte, then a close that lets it arrive.
pub(super) async fn say(mut stream: TcpStream, state: State) {
    let words = async {
        stream.write_all(&[state.byte()]).await?;
        stream.shutdown().await?;
        let mut sink = [0u8; 256];
        while stream.read(&mut sink).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    let _ = timeout(Duration::from_secs(1), words).await;
}

/// Parameters, the right to test, a slot, and then the test.
async fn negotiate(
    knock: Knock,
    mut link: Link<ServerMachine>,
    peer: SocketAddr,
    cookie: Cookie,
    held: Option<Occupied>,
    settled: Arc<AtomicBool>,
) -> Outcome {
    let params = match link.event().await {
        ServerEvent::Params(params) => *params,
        ServerEvent::Failed(WireError::Params(error)) => {
            knock.turn_away(peer, error.to_string()).await;
            link.farewell().await;
            return None;
        }
        _ => {
            link.farewell().await;
            return None;
        }
    };
    settled.store(true, Ordering::Release);
    let token = link.machine.extras().authtoken.clone();
    if let Err((code, why)) = admit(&knock, token, &params, peer).await {
        link.machine.refuse(code, 0);
        drop(held);
        knock.turn_away(peer, why).await;
        link.farewell().await;
        return None;
    }
    let Some(Slot {
        occupied,
        mut observer,
    }) = slot(&knock, held).await
    else {
        link.machine.deny();
        link.farewell().await;
        return None;
    };
    observer.accepted(peer);
    let mut stop = knock.stop.clone();
    let expected = tokio::select! {
        expected = expect(&knock, &params, peer, cookie) => expected,
        // The wait for a turn may be long: a client that goes away gives its slot back, and a server that ends waits for
        // nobody.
        () = link.gone() => {
            let (peer, during) = (peer.to_string(), TURN_OF_ADDRESS);
            Err((code::STREAM_ACCEPT, SessionError::ControlClosed { peer, during }))
        }
        cause = stop.asked() => {
            link.machine.terminate();
            Err((code::STREAM_ACCEPT, SessionError::Interrupted(cause.describe())))
        }
    };
    let accepted = Accepted {
        peer,
        cookie,
        params,
        settings: knock.settings.clone(),
        stop: knock.stop,
    };
    let (report, outcome) = match expected {
        Ok(expected) => serve::run(accepted, &mut link, expected, observer.as_mut()).await,
        Err((code, error)) => {
            link.machine.refuse(code, 0);
            serve::failed_early(&accepted, error)
        }
    };
    observer.finished(&report);
    // Free before the close: who sees the close may come again at once.
    drop(occupied);
    link.farewell().await;
    Some(outcome)
}

impl Knock {
    async fn turn_away(&self, peer: SocketAddr, why: String) {
        // The listener is gone only when the server is.
        let _ = self.asks.send(Ask::TurnedAway { peer, why }).await;
    }
}

/// Who may test, and what: before there is a slot, so that the refused use up nothing, not even a one-off server.
async fn admit(
    knock: &Knock,
    token: Option<String>,
    params: &TestParams,
    peer: SocketAddr,
) -> Result<(), (i32, String)> {
    let settings = &knock.settings;
    if let Some(gate) = settings.gate.clone() {
        // It reads a file and takes milliseconds of a CPU: the tests that run do not wait for it.
        let asked =
            tokio::task::spawn_blocking(move || gate.admit(token.as_deref(), Timestamp::now()));
        match asked.await {
            Ok(Ok(_)) => {}
            Ok(Err(refused)) => return Err((code::LOGIN, refused.describe().to_owned())),
            Err(error) => return Err((code::LOGIN, error.to_string())),
        }
    }
    settings.limits.check(params).map_err(|excess| {
        let why = excess.explain(peer.to_string());
        (excess.code(), why.to_string())
    })?;
    if params.protocol == Protocol::Sctp {
        let listens = settings.sctp.listen(&knock.hub);
        listens.map_err(|error| (sctp::code_of(&error), error.to_string()))?;
    }
    Ok(())
}

async fn slot(knock: &Knock, held: Option<Occupied>) -> Option<Slot> {
    let (answer, granted) = oneshot::channel();
    knock.asks.send(Ask::Slot { held, answer }).await.ok()?;
    granted.await.ok().flatten()
}

/// Where the data streams will come from.
#[derive(Debug)]
pub enum Expected {
    Tcp(Awaiting, Option<Turn>),
    Udp(Expecting),
}

/// A test of the same address that opens its UDP streams has no longer than its own deadlines.
const OF_ADDRESS: Duration = Duration::from_secs(20);
const TURN_OF_ADDRESS: &str = "the wait for an earlier test of its address";

async fn expect(
    knock: &Knock,
    params: &TestParams,
    peer: SocketAddr,
    cookie: Cookie,
) -> Result<Expected, (i32, SessionError)> {
    let peer_name = || peer.to_string();
    match params.protocol {
        Protocol::Tcp | Protocol::Sctp => {
            let awaiting =
                knock
                    .hub
                    .await_streams(cookie, peer.ip(), streams::stream_count(params));
            let Some(awaiting) = awaiting else {
                let what = "its cookie is another test's".to_owned();
                return Err((
                    code::RECV_PARAMS,
                    SessionError::Protocol {
                        peer: peer_name(),
                        what,
                    },
                ));
            };
            let turn = knock.settings.narrow.turn(params.window).await;
            Ok(Expected::Tcp(awaiting, turn))
        }
        Protocol::Udp => match timeout(OF_ADDRESS, knock.hub.door.expect(peer.ip())).await {
            Ok(Ok(expecting)) => Ok(Expected::Udp(expecting)),
            Ok(Err(error)) => Err((code::STREAM_LISTEN, error)),
            Err(_) => Err((
                code::STREAM_ACCEPT,
                SessionError::Deadline {
                    peer: peer_name(),
                    during: TURN_OF_ADDRESS,
                    seconds: OF_ADDRESS.as_secs(),
                },
            )),
        },
    }
}

/// What ended a session.
pub fn explain(event: ServerEvent, peer: &str, link: &mut Link<ServerMachine>) -> SessionError {
    match event {
        ServerEvent::Failed(error) => link::explain(error, peer, link.broken.take()),
        other => SessionError::Protocol {
            peer: peer.to_owned(),
            what: format!("{other:?} came out of turn"),
        },
    }
}
