//! One run: the servers, then the clients, then what they said and what it cost.

use crate::{
    calls::Counter,
    command::{End, Plan, Server},
    peer::Peer,
    place::Place,
    process::{Ended, Process},
    report,
    run::{Calls, Measured},
    watcher,
    work::{Protocol, Work},
};
use anyhow::{Context, Result, anyhow, bail};
use nettest_report::fairness;
use nix::unistd::Pid;
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use tempfile::NamedTempFile;

/// riperf3 once took 10.7 s for a run of 2.
const GENEROUS: Duration = Duration::from_secs(20);
const TO_LISTEN: Duration = Duration::from_secs(5);
/// For a server to end after its client has.
pub const TO_END: Duration = Duration::from_secs(3);

/// A program that takes longer than this for a run of so many seconds is ended.
pub fn allowed(seconds: u32) -> Duration {
    Duration::from_secs(u64::from(seconds)) + GENEROUS
}

/// # Errors
/// Why there is no figure: a program failed, or said what cannot be read.
pub fn run(
    place: &Place,
    peer: &Peer,
    work: &Work,
    plan: &Plan,
    seconds: u32,
    counter: Option<Counter>,
) -> Result<Measured> {
    let allowed = allowed(seconds);
    let mut counted = Vec::new();
    let mut start = |arguments: &[String]| -> Result<Process> {
        let Some(counter) = counter else {
            return Process::start(&peer.program, arguments, allowed);
        };
        let file = NamedTempFile::new()?;
        let (program, arguments) = counter.around(file.path(), &peer.program, arguments);
        counted.push(file);
        Process::start(&program, &arguments, allowed)
    };

    let servers = place.at_server(|| -> Result<Vec<Process>> {
        plan.servers
            .iter()
            .map(|server| start(&server.arguments))
            .collect()
    })??;
    for (server, process) in plan.servers.iter().zip(&servers) {
        wait_until_it_listens(server, process)?;
    }

    let pids: Vec<Pid> = servers.iter().map(Process::pid).collect();
    let stop = AtomicBool::new(false);
    let (clients, begun, watched) = thread::scope(|scope| {
        let watcher = scope.spawn(|| watcher::watch(&pids, &stop));
        let clients = run_clients(place, plan, &mut start);
        stop.store(true, Ordering::Relaxed);
        let watched = watcher
            .join()
            .map_err(|_| anyhow!("the watcher panicked"))?;
        let (clients, begun) = clients?;
        Ok::<_, anyhow::Error>((clients, begun, watched))
    })?;
    for client in &clients {
        if let Some(fault) = client.fault() {
            if client.killed() {
                bail!("client: {fault}");
            }
            let said = report::read(
                peer.kind.dialect(),
                work,
                0.0,
                std::slice::from_ref(&client.out),
                &[],
            );
            bail!("client: {}", said.err().unwrap_or(fault));
        }
    }
    let servers = end(plan.end, servers)?;
    if plan.end == End::ByThemselves
        && let Some(fault) = servers.iter().find_map(Ended::fault)
    {
        bail!("server: {fault}");
    }

    let texts =
        |ended: &[Ended]| -> Vec<String> { ended.iter().map(|one| one.out.clone()).collect() };
    let delivered = report::read(
        peer.kind.dialect(),
        work,
        f64::from(seconds),
        &texts(&clients),
        &texts(&servers),
    )
    .map_err(|fault| anyhow!(fault))?;
    if delivered.bytes == 0 && work.bytes.is_none() {
        bail!("delivered nothing");
    }
    let calls = match counter {
        None => None,
        Some(counter) => {
            let counts: Vec<u64> = counted
                .iter()
                .map(|file| counter.read(file.path()))
                .collect::<Result<_>>()?;
            let (server, client) = counts.split_at(servers.len());
            Some(Calls {
                client: client.iter().sum(),
                server: server.iter().sum(),
            })
        }
    };
    let cpu = |ended: &[Ended]| ended.iter().map(|one| one.cpu.as_secs_f64()).sum();
    let flows = (work.streams * work.clients) as usize;
    let fairness = (delivered.shares.len() == flows)
        .then(|| fairness::jain(&delivered.shares))
        .flatten();
    let last = clients
        .iter()
        .map(|client| client.at)
        .max()
        .unwrap_or(begun);
    Ok(Measured {
        delivered_bytes: delivered.bytes,
        sent_bytes: delivered.sent_bytes,
        own_seconds: delivered.seconds,
        carried_seconds: watched.carried_seconds.filter(|_| work.bytes.is_none()),
        wall_seconds: (last - begun).as_secs_f64(),
        client_cpu_seconds: cpu(&clients),
        server_cpu_seconds: cpu(&servers),
        server_rss_bytes: watched.server_rss_bytes,
        servers: servers.len() as u32,
        clients: clients.len() as u32,
        fairness,
        device_packets: watched.packets,
        calls,
    })
}

/// All clients at once, and the moment before the first.
fn run_clients(
    place: &Place,
    plan: &Plan,
    start: &mut (impl FnMut(&[String]) -> Result<Process> + Send),
) -> Result<(Vec<Ended>, Instant)> {
    let (clients, begun) = place.at_client(|| {
        let begun = Instant::now();
        let clients: Result<Vec<Process>> =
            plan.clients.iter().map(|client| start(client)).collect();
        (clients, begun)
    })?;
    let ended = clients?
        .into_iter()
        .map(Process::wait)
        .collect::<Result<_>>()?;
    Ok((ended, begun))
}

fn end(how: End, servers: Vec<Process>) -> Result<Vec<Ended>> {
    for server in &servers {
        match how {
            End::Told => server.tell_to_end(TO_END),
            End::ByThemselves => server.allow(TO_END),
        }
    }
    servers.into_iter().map(Process::wait).collect()
}

/// The socket is looked up, not dialled: a connection would use up a server of one test.
pub fn wait_until_it_listens(server: &Server, process: &Process) -> Result<()> {
    let deadline = Instant::now() + TO_LISTEN;
    while Instant::now() < deadline {
        let tables = match server.listens {
            Protocol::Tcp => ["tcp", "tcp6"],
            Protocol::Udp => ["udp", "udp6"],
        };
        for table in tables {
            let text = fs::read_to_string(format!("/proc/{}/net/{table}", process.pid()))
                .context("the server is gone")?;
            if listens(&text, server.port, server.listens) {
                return Ok(());
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
    bail!("the server does not listen on port {}", server.port)
}

/// "0: 00000000:1451 00000000:0000 0A …": state 0A is LISTEN; an unconnected UDP socket is in 07.
fn listens(table: &str, port: u16, protocol: Protocol) -> bool {
    let state = match protocol {
        Protocol::Tcp => "0A",
        Protocol::Udp => "07",
    };
    let port = format!(":{port:04X}");
    table.lines().any(|line| {
        let mut columns = line.split_whitespace().skip(1);
        columns.next().is_some_and(|local| local.ends_with(&port)) && columns.nth(1) == Some(state)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_socket_is_found_by_port_and_state() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue\n   \
                     0: 00000000:1451 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1 1\n   \
                     1: 0100007F:1452 0100007F:8888 01 00000000:00000000 00:00000000 00000000 0 0 1 1\n";
        assert!(listens(table, 5201, Protocol::Tcp));
        assert!(!listens(table, 5202, Protocol::Tcp));
        assert!(!listens(table, 5201, Protocol::Udp));
    }
}
