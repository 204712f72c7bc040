//! A new connection to the server's port: its cookie says what it is.

use super::door::Expecting;
use super::hub::{Arrival, Awaiting, Hub, Occupied};
use super::link::{self, Link};
use super::serve::{self, Accepted};
use super::{Observer, SessionError, Stop, net, streams};
use crate::wire::cookie::{COOKIE_LEN, Cookie};
use crate::wire::server::{ServerEvent, ServerMachine};
use crate::wire::state::State;
use crate::wire::{HANDSHAKE, code};
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

/// Asks the listener for a slot; nothing comes when the server is full.
pub type SlotRequest = oneshot::Sender<Option<Slot>>;

#[derive(Debug, Clone)]
pub struct Knock {
    pub hub: Arc<Hub>,
    pub slots: mpsc::Sender<SlotRequest>,
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
    let epoch = Instant::now();
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
    let stranger = knock
        .hub
        .run_token
        .as_ref()
        .is_some_and(|token| !cookie.belongs_to(token));
    if stranger || knock.hub.is_full() {
        say(stream, State::AccessDenied).await;
        return None;
    }
    if net::tune_control(&stream).is_err() {
        return None;
    }
    let link = Link::new(stream, ServerMachine::new(epoch.elapsed()), epoch);
    negotiate(knock, link, peer, cookie, settled).await
}

/// One byte, then a close that lets it arrive.
async fn say(mut stream: TcpStream, state: State) {
    let words = async {
        stream.write_all(&[state.byte()]).await?;
        stream.shutdown().await?;
        let mut sink = [0u8; 256];
        while stream.read(&mut sink).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    let _ = timeout(Duration::from_secs(1), words).await;
}

/// Parameters, a slot, and then the test.
async fn negotiate(
    knock: Knock,
    mut link: Link<ServerMachine>,
    peer: SocketAddr,
    cookie: Cookie,
    settled: Arc<AtomicBool>,
) -> Outcome {
    let params = match link.event().await {
        ServerEvent::Params(params) => *params,
        _ => {
            link.farewell().await;
            return None;
        }
    };
    settled.store(true, Ordering::Release);
    let Some(Slot {
        occupied,
        mut observer,
    }) = slot(&knock).await
    else {
        link.machine.deny();
        link.farewell().await;
        return None;
    };
    observer.accepted(peer);
    let expected = expect(&knock, &params, peer, cookie).await;
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

async fn slot(knock: &Knock) -> Option<Slot> {
    let (answer, granted) = oneshot::channel();
    knock.slots.send(answer).await.ok()?;
    granted.await.ok().flatten()
}

/// Where the data streams will come from.
#[derive(Debug)]
pub enum Expected {
    Tcp(Awaiting),
    Udp(Expecting),
}

/// A test of the same address that opens its UDP streams has no longer than its own deadlines.
const TURN: Duration = Duration::from_secs(20);

async fn expect(
    knock: &Knock,
    params: &TestParams,
    peer: SocketAddr,
    cookie: Cookie,
) -> Result<Expected, (i32, SessionError)> {
    let peer_name = || peer.to_string();
    match params.protocol {
        Protocol::Tcp => {
            let awaiting = knock
                .hub
                .await_streams(cookie, streams::stream_count(params));
            awaiting.map(Expected::Tcp).ok_or_else(|| {
                let what = "its cookie is another test's".to_owned();
                (
                    code::RECV_PARAMS,
                    SessionError::Protocol {
                        peer: peer_name(),
                        what,
                    },
                )
            })
        }
        Protocol::Udp => match timeout(TURN, knock.hub.door.expect(peer.ip())).await {
            Ok(Ok(expecting)) => Ok(Expected::Udp(expecting)),
            Ok(Err(error)) => Err((code::STREAM_LISTEN, error)),
            Err(_) => {
                let during = "the wait for an earlier test of its address";
                Err((
                    code::STREAM_ACCEPT,
                    SessionError::Deadline {
                        peer: peer_name(),
                        during,
                        seconds: TURN.as_secs(),
                    },
                ))
            }
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
