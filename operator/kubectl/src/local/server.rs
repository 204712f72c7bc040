//! The server of a test between two processes of this machine.

use crate::local::child::{self, Words, not_started, words};
use crate::local::{Engine, LocalError, SERVER_START, port::free_port};
use nettest_api::path::IPFamily;
use nettest_core::argv::{self, Invocation};
use nettest_core::token::RunToken;
use nettest_core::valid::ValidTest;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Should this program be killed, nobody ends its server: it does so itself when no client comes for so long,
/// pause between two repeats apart.
const IDLE: Duration = Duration::from_secs(30);
const PROBE_PAUSE: Duration = Duration::from_millis(50);

/// Starts a server into `place`, where it stays whatever becomes of this, and waits until it accepts tests. Where it
/// listens, and what it says from then on.
pub async fn serve(
    engine: &Engine,
    test: &ValidTest,
    call: &Invocation,
    token: &RunToken,
    place: &mut Option<Child>,
) -> Result<(SocketAddr, JoinHandle<Words>), LocalError> {
    let loopback = match test.ip_family {
        Some(IPFamily::IPv6) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        Some(IPFamily::IPv4) | None => IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let port = free_port(loopback).map_err(|error| LocalError::NoPort { loopback, error })?;
    let call = Invocation {
        port,
        bind: Some(loopback),
        idle_timeout: Some(test.repeats.pause.saturating_add(IDLE)),
        ..call.clone()
    };
    let server = child::start(engine, &argv::server_args(test, &call), Some(token))?;
    let address = SocketAddr::new(loopback, port);
    let said = until_it_accepts(engine, place.insert(server), address).await?;
    Ok((address, said))
}

/// Until the probe says that the server accepts tests, or the server has ended.
async fn until_it_accepts(
    engine: &Engine,
    server: &mut Child,
    address: SocketAddr,
) -> Result<JoinHandle<Words>, LocalError> {
    // Nobody needs what a server prints, but a full pipe would stop it.
    if let Some(mut stdout) = server.stdout.take() {
        tokio::spawn(async move { tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await });
    }
    let mut stderr = tokio::spawn(words(server.stderr.take()));
    let accepts = async {
        while !probe(engine, address).await? {
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

async fn probe(engine: &Engine, address: SocketAddr) -> Result<bool, LocalError> {
    Command::new(engine.path())
        .args(probe_args(address))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status()
        .await
        .map(|status| status.success())
        .map_err(|error| not_started(engine, error))
}

/// Without a host the probe asks 127.0.0.1.
fn probe_args(address: SocketAddr) -> Vec<String> {
    let mut args = argv::probe_args(address.port());
    if address.is_ipv6() {
        let at = args.iter().position(|word| word == "--probe");
        args.insert(at.map_or(0, |at| at + 1), address.ip().to_string());
    }
    args
}

#[cfg(test)]
mod tests {
    use super::probe_args;

    #[test]
    fn the_probe_asks_where_the_server_listens() {
        for (address, asked) in [
            ("127.0.0.1:7", "--probe -p 7"),
            ("[::1]:7", "--probe ::1 -p 7"),
        ] {
            assert_eq!(probe_args(address.parse().unwrap()).join(" "), asked);
        }
    }
}
