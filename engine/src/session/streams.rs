//! From connected sockets to running data threads, the same at both ends.

use super::files::TestFile;
use super::track::Track;
use super::{SessionError, granted, net};
use crate::sock;
use crate::worker::{self, Duty, Load, RunControl, StreamTask};
use crate::workload::Payload;
use nettest_report::params::{Limit, Protocol, TestParams};
use nettest_report::report::{Connected, Flow, Role, SocketFacts};
use socket2::Socket;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// What starts and stops the threads. Senders and receivers apart: at the end of a test senders stop first, and
/// receivers once the peer's have, too.
#[derive(Debug)]
pub struct Controls {
    pub send: Arc<RunControl>,
    pub receive: Arc<RunControl>,
    /// Rung when a stream ends or the budget is used up.
    pub progress: Arc<Notify>,
    limit: Limit,
}

impl Controls {
    pub fn new(limit: Limit) -> Self {
        let progress = Arc::new(Notify::new());
        let ring = || -> Arc<dyn Fn() + Send + Sync> {
            let progress = progress.clone();
            Arc::new(move || progress.notify_one())
        };
        Controls {
            send: RunControl::new(ring()),
            receive: RunControl::new(ring()),
            progress,
            limit,
        }
    }

    pub fn has_budget(&self) -> bool {
        matches!(self.limit, Limit::Bytes(_) | Limit::Blocks(_))
    }

    /// Whether `track` ended before its time. A sender ends by itself only when the whole budget is written, or all of
    /// its file.
    pub fn ended_early(&self, track: &Track) -> bool {
        // In this order: the budget is used up before the thread ends.
        let done = || self.send.budget_exhausted() || track.is_complete();
        track.is_finished() && !(track.sender && done())
    }

    /// From here on bytes or blocks count.
    pub fn set_budget(&self) {
        match self.limit {
            Limit::Bytes(n) => self.send.set_budget(Some(n), None),
            Limit::Blocks(n) => self.send.set_budget(None, Some(n)),
            Limit::Time(_) => {}
        }
    }

    /// Receivers first, so that nothing waits for them.
    pub fn start(&self) {
        self.receive.start();
        self.send.start();
    }

    pub fn stop(&self) {
        self.send.stop();
        self.receive.stop();
    }
}

/// Threads end when nobody is left to tell them: a driver that returns early leaves nothing behind.
impl Drop for Controls {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Streams of a test, both flows.
pub fn stream_count(params: &TestParams) -> usize {
    usize::from(params.streams) * Flow::of(params.direction).len()
}

/// The flow of the `index`th stream: in a bidirectional test the first half goes from client to server.
pub fn flow_of(params: &TestParams, index: usize) -> Flow {
    let flows = Flow::of(params.direction);
    flows[(index / usize::from(params.streams.max(1))).min(flows.len() - 1)]
}

/// iperf3's ids: 1, 3, 4, 5 … (2 never occurs, a quirk of its list that both ends share).
fn id_of(index: usize) -> i32 {
    match index {
        0 => 1,
        n => i32::try_from(n).unwrap_or(i32::MAX - 2) + 2,
    }
}

/// Block size in bytes that both ends know.
pub fn block_size(params: &TestParams) -> u32 {
    params.block_size.unwrap_or(match params.protocol {
        Protocol::Tcp => TestParams::TCP_BLOCK,
        Protocol::Udp => TestParams::UDP_BLOCK,
        Protocol::Sctp => TestParams::SCTP_BLOCK,
    })
}

/// What the streams were connected to, and what this end's kernel granted them.
#[derive(Debug)]
pub struct Opened {
    pub tracks: Vec<Track>,
    pub connected: Vec<Connected>,
    pub granted: SocketFacts,
    /// Why wishes of `--fast` were not to be had, each once.
    pub declined: Vec<String>,
}

/// One thread a socket, in the order of the streams; they wait for [`Controls::start`]. `cpus`: pinned to
/// these in turn. `file`: what they send, or where they write.
pub fn spawn(
    sockets: Vec<Socket>,
    params: &TestParams,
    role: Role,
    controls: &Controls,
    cpus: &[usize],
    mut file: Option<&mut TestFile>,
) -> Result<Opened, SessionError> {
    if let Limit::Time(time) = params.limit
        && !time.is_zero()
    {
        controls.send.time(params.omit, time);
        controls.receive.time(params.omit, time);
    }
    let load = Load {
        protocol: params.protocol,
        block_size: block_size(params) as usize,
        bitrate: params.bitrate,
        kernel_paced: params.fq_rate.is_some(),
        burst: params.burst,
        udp_64bit: params.udp_counters_64bit,
        payload: if params.repeating_payload {
            Payload::Digits
        } else {
            Payload::Random
        },
        zerocopy: params.zerocopy,
        skip_rx_copy: params.skip_rx_copy,
        gsro: params.gsro,
        fast: params.fast,
    };
    let mut tracks = Vec::new();
    let mut connected = Vec::new();
    let mut granted = Vec::new();
    let mut declined = Vec::new();
    for (index, socket) in sockets.into_iter().enumerate() {
        let (id, flow) = (id_of(index), flow_of(params, index));
        let failed = |source| SessionError::Stream { id, source };
        let fd = socket.as_raw_fd();
        connected.push(addresses(&socket).map_err(failed)?);
        let sender = flow.sends(role);
        let task = StreamTask {
            socket,
            duty: if sender { Duty::Send } else { Duty::Receive },
            load: load.clone(),
            file: file.as_deref_mut().map(TestFile::open).transpose()?,
            cpu: if cpus.is_empty() {
                None
            } else {
                cpus.get(index % cpus.len()).copied()
            },
        };
        let control = if sender {
            &controls.send
        } else {
            &controls.receive
        };
        let handle = worker::spawn(task, control.clone()).map_err(|source| SessionError::Local {
            what: "unable to start the thread of a data stream; the limits of processes and memory count threads, too",
            source,
        })?;
        let paths = handle.fast_paths().clone();
        declined.extend(paths.declined.clone().filter(|why| !declined.contains(why)));
        granted.push((sender, handle.granted(), paths));
        tracks.push(Track::new(id, fd, flow, sender, params, handle));
    }
    Ok(Opened {
        tracks,
        connected,
        granted: granted::together(granted),
        declined,
    })
}

fn addresses(socket: &Socket) -> std::io::Result<Connected> {
    let of = |addr: socket2::SockAddr| -> SocketAddr {
        addr.as_socket()
            .map_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0)), net::canonical)
    };
    let (local, remote) = (of(socket.local_addr()?), of(socket.peer_addr()?));
    Ok(Connected {
        socket: socket.as_raw_fd(),
        local_host: local.ip().to_string(),
        local_port: local.port(),
        remote_host: remote.ip().to_string(),
        remote_port: remote.port(),
    })
}

/// The CPUs to pin to, by their index in the allowed set, so that a container's CPU mask is kept.
pub fn pinned(indexes: &[u32]) -> Result<Vec<usize>, SessionError> {
    if indexes.is_empty() {
        return Ok(Vec::new());
    }
    let allowed = sock::allowed_cpus().map_err(|source| SessionError::Local {
        what: "cannot read the allowed CPUs",
        source,
    })?;
    let cpu = |index: &u32| {
        allowed.get(*index as usize).copied().ok_or_else(|| {
            SessionError::Option(format!(
                "-A: there is no CPU {index}; this process may use {} CPUs, which are counted from 0",
                allowed.len()
            ))
        })
    };
    indexes.iter().map(cpu).collect()
}

/// The options that the parameters ask of the `index`th data socket of this end.
pub fn options(
    params: &TestParams,
    index: usize,
    role: Role,
    send_timeout: Option<Duration>,
) -> sock::SocketOptions {
    sock::SocketOptions {
        window: params.window,
        // Only before a connection.
        mss: params.mss.filter(|_| role == Role::Client),
        no_delay: params.no_delay,
        congestion: params.congestion.clone(),
        tos: params.tos,
        fq_rate: params
            .fq_rate
            .filter(|_| flow_of(params, index).sends(role)),
        dont_fragment: params.dont_fragment,
        send_timeout,
        streams: params.streams.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_report::params::Direction;

    #[test]
    fn ids_skip_two_as_iperf3_does() {
        assert_eq!((0..5).map(id_of).collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
    }

    #[test]
    fn a_bidirectional_test_has_the_clients_senders_first() {
        let params = TestParams {
            direction: Direction::Bidirectional,
            streams: 2,
            ..TestParams::default()
        };
        let flows: Vec<Flow> = (0..stream_count(&params))
            .map(|i| flow_of(&params, i))
            .collect();
        use Flow::{ClientToServer as Up, ServerToClient as Down};
        assert_eq!(flows, [Up, Up, Down, Down]);
        let reverse = TestParams {
            direction: Direction::Reverse,
            ..params
        };
        assert_eq!(flow_of(&reverse, 1), Down);
    }
}
