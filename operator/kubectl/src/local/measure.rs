//! Starts the two engines and reads what the client says. The only effects of a local run.
//!
//! Neither child outlives a run: both are killed and reaped before it returns. Should this program itself be
//! killed, nothing of ours can act any more: the client ends with the test it is at, and the server when no client
//! has come for a while.

use crate::local::{Engine, port::free_port};
use nettest_api::Reason;
use nettest_core::argv::{self, Invocation, Targets};
use nettest_core::token::RunToken;
use nettest_core::valid::{Lane, RunUid, ValidTest};
use nettest_report::digest::{Digest, FailureReason, Outcome};
use nettest_report::event::{Event, Measurement};
use std::cell::Cell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const SERVER_START: Duration = Duration::from_secs(10);
/// Should this program be killed, nobody ends its server: it does so itself when no client comes for so long,
/// pause between two repeats apart.
const IDLE: Duration = Duration::from_secs(30);
const PROBE_PAUSE: Duration = Duration::from_millis(50);
/// A dying server's sockets are gone a moment before it is.
const SERVER_END: Duration = Duration::from_millis(300);
/// How much of a program's complaints is kept.
const MAX_WORDS: u64 = 16 * 1024;
/// A measurement line is the iperf3 document of one repeat; more than this is no line of ours.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// What a client said.
#[derive(Debug)]
pub struct Measured {
    pub digest: Digest,
    pub measurements: Vec<Measurement>,
}

#[derive(Debug, Error)]
pub enum LocalError {
    #[error("no port of 127.0.0.1 is free: {0}")]
    NoPort(io::Error),
    #[error("no random numbers from the system: {0}")]
    NoRandom(io::Error),
    #[error("{program} cannot be started: {error}")]
    NotStarted { program: String, error: io::Error },
    #[error("the server ended before the test ({status}){words}")]
    ServerEnded { status: ExitStatus, words: Words },
    #[error("the server ended during the test ({status}){words}")]
    ServerDied { status: ExitStatus, words: Words },
    #[error("the server did not accept tests within {} s", SERVER_START.as_secs())]
    ServerSilent,
    #[error("the client's output cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("the client ended without a result ({status}){words}")]
    NoDigest { status: ExitStatus, words: Words },
    #[error(
        "interrupted: both ends were stopped with {done} of {asked} repeats done; a run that was cut short has no result"
    )]
    Interrupted { done: u32, asked: u32 },
    #[error(
        "the test did not end within {} s (limits.runTimeout)",
        .0.as_secs()
    )]
    RunTimeout(Duration),
}

impl LocalError {
    /// The API's reason.
    pub fn reason(&self) -> Reason {
        match self {
            LocalError::Interrupted { .. } => Reason::Interrupted,
            LocalError::RunTimeout(_) => Reason::RunTimeout,
            LocalError::NoPort(_) => Reason::PortConflict,
            LocalError::NoRandom(_)
            | LocalError::NotStarted { .. }
            | LocalError::ServerEnded { .. }
            | LocalError::ServerDied { .. }
            | LocalError::ServerSilent
            | LocalError::Unreadable(_)
            | LocalError::NoDigest { .. } => Reason::EngineCrashed,
        }
    }
}

/// What a program wrote to its standard error.
#[derive(Debug, Default)]
pub struct Words(String);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            words => write!(f, ": {words}"),
        }
    }
}

/// Runs one test to its end, or until `stop`. `on_event` sees the events as they come. Both engines have ended
/// and are reaped when this returns.
pub async fn measure(
    engine: &Engine,
    test: &ValidTest,
    run: &RunUid,
    on_event: &mut dyn FnMut(&Event),
    stop: impl Future<Output = ()>,
) -> Result<Measured, LocalError> {
    let mut children = Children::default();
    let done = Cell::new(0);
    let mut counted = |event: &Event| {
        if matches!(event, Event::Measurement(_)) {
            done.set(done.get() + 1);
        }
        on_event(event);
    };
    let ended = tokio::select! {
        ended = drive(engine, test, run, &mut counted, &mut children) => ended,
        () = stop => Err(LocalError::Interrupted { done: done.get(), asked: test.repeats.count }),
    };
    let Children { server, client } = children;
    for mut child in [client, server].into_iter().flatten() {
        // One that has ended by itself cannot be killed, which is as well.
        let _ = child.kill().await;
    }
    ended
}

/// What runs; each is killed when dropped, too.
#[derive(Debug, Default)]
struct Children {
    server: Option<Child>,
    client: Option<Child>,
}

async fn drive(
    engine: &Engine,
    test: &ValidTest,
    run: &RunUid,
    on_event: &mut dyn FnMut(&Event),
    children: &mut Children,
) -> Result<Measured, LocalError> {
    let port = free_port().map_err(LocalError::NoPort)?;
    let token = random_token().map_err(LocalError::NoRandom)?;
    let mut call = Invocation {
        run: run.clone(),
        attempt: 1,
        port,
        digest_file: None,
        // By env, as in pods: others on this machine can read argument lists.
        token: None,
        bind: Some(LOCALHOST),
        // Exclusive ends are refused before: nothing on this machine grants CPUs.
        require_exclusive: false,
        idle_timeout: Some(test.repeats.pause.saturating_add(IDLE)),
    };
    let server = start(engine, &argv::server_args(test, &call), &token)?;
    let server = children.server.insert(server);
    let server_words = await_server(engine, server, port).await?;

    call.bind = None;
    let lane = test.lanes().first().copied().unwrap_or(Lane::PODS);
    let targets: Targets = test
        .variants
        .iter()
        .map(|variant| (variant.path, SocketAddr::new(LOCALHOST, port)))
        .collect();
    let client = start(
        engine,
        &argv::client_args(test, lane, &targets, &call),
        &token,
    )?;
    let client = children.client.insert(client);
    let stdout = client.stdout.take();
    let stderr = words(client.stderr.take());
    let to_the_end = async {
        let (said, words) = tokio::join!(read_events(stdout, on_event), stderr);
        (said, words, client.wait().await)
    };
    let limit = test.limits.run_timeout;
    let (said, words, status) = timeout(limit, to_the_end)
        .await
        .map_err(|_| LocalError::RunTimeout(limit))?;
    let (digest, measurements) = said.map_err(LocalError::Unreadable)?;
    // A client whose server is gone calls it unreachable: the effect, not the cause.
    let unreachable = digest.as_ref().is_none_or(|digest| {
        digest.outcome != Outcome::Complete && digest.reason == Some(FailureReason::PeerUnreachable)
    });
    if unreachable && let Ok(ended) = timeout(SERVER_END, server.wait()).await {
        let status = ended.map_err(LocalError::Unreadable)?;
        let words = timeout(SERVER_END, server_words).await;
        let words = words.ok().and_then(Result::ok).unwrap_or_default();
        return Err(LocalError::ServerDied { status, words });
    }
    match digest {
        Some(digest) => Ok(Measured {
            digest,
            measurements,
        }),
        None => {
            let status = status.map_err(LocalError::Unreadable)?;
            Err(LocalError::NoDigest { status, words })
        }
    }
}

fn random_token() -> io::Result<RunToken> {
    Ok(RunToken::from_random(super::random()?))
}

fn start(engine: &Engine, args: &[String], token: &RunToken) -> Result<Child, LocalError> {
    Command::new(engine.path())
        .args(args)
        .env(argv::TOKEN_ENV, token.as_str())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| LocalError::NotStarted {
            program: engine.path().display().to_string(),
            error,
        })
}

/// Until the probe says that the server accepts tests, or the server has ended. What the server says from then
/// on is collected on the side.
async fn await_server(
    engine: &Engine,
    server: &mut Child,
    port: u16,
) -> Result<JoinHandle<Words>, LocalError> {
    // Nobody needs what a server prints, but a full pipe would stop it.
    if let Some(mut stdout) = server.stdout.take() {
        tokio::spawn(async move { tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await });
    }
    let mut stderr = tokio::spawn(words(server.stderr.take()));
    let accepts = async {
        while !probe(engine, port).await? {
            sleep(PROBE_PAUSE).await;
        }
        Ok::<_, LocalError>(())
    };
    tokio::select! {
        ended = server.wait() => {
            let status = ended.map_err(LocalError::Unreadable)?;
            let words = (&mut stderr).await.unwrap_or_default();
            Err(LocalError::ServerEnded { status, words })
        }
        accepted = timeout(SERVER_START, accepts) => {
            accepted.map_err(|_| LocalError::ServerSilent)??;
            Ok(stderr)
        }
    }
}

async fn probe(engine: &Engine, port: u16) -> Result<bool, LocalError> {
    Command::new(engine.path())
        .args(argv::probe_args(port))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status()
        .await
        .map(|status| status.success())
        .map_err(|error| LocalError::NotStarted {
            program: engine.path().display().to_string(),
            error,
        })
}

async fn words(from: Option<impl AsyncRead + Unpin>) -> Words {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What cannot be read is not said; the rest of a long complaint must still be drained.
        let _ = (&mut from).take(MAX_WORDS).read_to_end(&mut bytes).await;
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    Words(String::from_utf8_lossy(&bytes).into_owned())
}

async fn read_events(
    from: Option<impl AsyncRead + Unpin>,
    on_event: &mut dyn FnMut(&Event),
) -> io::Result<(Option<Digest>, Vec<Measurement>)> {
    let mut digest = None;
    let mut measurements = Vec::new();
    let Some(from) = from else {
        return Ok((digest, measurements));
    };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut from)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .await?
            == 0
        {
            return Ok((digest, measurements));
        }
        let Some(event) = Event::parse(&String::from_utf8_lossy(&line)) else {
            continue;
        };
        on_event(&event);
        match event {
            Event::Interval(_) => {}
            Event::Measurement(measurement) => measurements.push(measurement),
            Event::Digest(last) => digest = Some(last),
        }
    }
}
