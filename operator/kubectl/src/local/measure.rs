//! Starts the two engines and reads what the client says. The only effects of a local run.
//!
//! Neither child outlives a run: both are killed and reaped before it returns. Should this program itself be
//! killed, nothing of ours can act any more: the client ends with the test it is at, and the server when no client
//! has come for a while.

use crate::local::child::{self, Words, words};
use crate::local::{Engine, external, server};
use nettest_api::Reason;
use nettest_core::argv::{self, Invocation, Targets};
use nettest_core::token::RunToken;
use nettest_core::valid::{Lane, RunUid, ValidTest, ValidTopology};
use nettest_report::digest::{Digest, FailureReason, Outcome};
use nettest_report::event::{Event, Measurement};
use std::cell::Cell;
use std::io;
use std::net::IpAddr;
use std::process::ExitStatus;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a server may take to accept tests.
pub const SERVER_START: Duration = Duration::from_secs(10);
/// A dying server's sockets are gone a moment before it is.
const SERVER_END: Duration = Duration::from_millis(300);
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
    #[error("no port of {loopback} is free: {error}")]
    NoPort { loopback: IpAddr, error: io::Error },
    #[error("topology.external.host {host} has no address: {why}")]
    NoAddress { host: String, why: String },
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
        "interrupted: the measurement was stopped with {done} of {asked} repeats done; a run that was cut short has no result"
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
            LocalError::NoPort { .. } => Reason::PortConflict,
            LocalError::NoAddress { .. } => Reason::NameNotResolved,
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
        () = stop => Err(LocalError::Interrupted { done: done.get(), asked: asked(test) }),
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

/// Repeats of all variants, those apart that only an unsteady figure asks for.
fn asked(test: &ValidTest) -> u32 {
    let variants = u32::try_from(test.variants.len()).unwrap_or(u32::MAX);
    test.repeats.count.saturating_mul(variants)
}

async fn drive(
    engine: &Engine,
    test: &ValidTest,
    run: &RunUid,
    on_event: &mut dyn FnMut(&Event),
    children: &mut Children,
) -> Result<Measured, LocalError> {
    let call = Invocation {
        run: run.clone(),
        attempt: 1,
        port: argv::PORT,
        digest_file: None,
        token: None,
        bind: None,
        // Exclusive ends are refused before: nothing on this machine grants CPUs.
        require_exclusive: false,
        idle_timeout: None,
    };
    let (address, token, server_words) = match &test.topology {
        // Who answers there knows no token, and admits anyone.
        ValidTopology::External(external) => {
            let address = external::find(external, test.ip_family).await?;
            (address, None, None)
        }
        ValidTopology::Pair { .. } | ValidTopology::Mesh(_) | ValidTopology::Star(_) => {
            let token = random_token().map_err(LocalError::NoRandom)?;
            let place = &mut children.server;
            let (address, words) = server::serve(engine, test, &call, &token, place).await?;
            (address, Some(token), Some(words))
        }
    };
    let paths = test.variants.iter().map(|variant| variant.path);
    let targets: Targets = paths.map(|path| (path, address)).collect();
    let client = child::start(
        engine,
        &argv::client_args(test, Lane::PODS, &targets, &call),
        token.as_ref(),
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
    if unreachable && let (Some(server), Some(said)) = (&mut children.server, server_words) {
        has_not_died(server, said).await?;
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

/// The error when the server is gone.
async fn has_not_died(server: &mut Child, said: JoinHandle<Words>) -> Result<(), LocalError> {
    let Ok(ended) = timeout(SERVER_END, server.wait()).await else {
        return Ok(());
    };
    let status = ended.map_err(LocalError::Unreadable)?;
    let words = timeout(SERVER_END, said).await;
    let words = words.ok().and_then(Result::ok).unwrap_or_default();
    Err(LocalError::ServerDied { status, words })
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
