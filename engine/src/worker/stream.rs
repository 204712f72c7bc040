//! A data thread and the handle that the control side holds.

use super::RunControl;
use crate::sock::{self, Granted, TcpInfo};
use crate::stats::{Snapshot, StreamCounters};
use crate::workload::{self, Lane};
use nettest_report::params::Protocol;
use socket2::Socket;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a data thread does with its socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    Send,
    Receive,
}

/// Everything one data thread owns.
#[derive(Debug)]
pub struct StreamTask {
    /// Connected. UDP: to the address of the control connection's peer.
    pub socket: Socket,
    pub duty: Duty,
    pub protocol: Protocol,
    /// Bytes of a write or datagram.
    pub block_size: usize,
    /// Bits per second; `None`: unlimited. Senders only.
    pub bitrate: Option<u64>,
    /// Blocks back to back when paced; 0 and 1: one.
    pub burst: u32,
    /// Sequence numbers of 64 bits in UDP.
    pub udp_64bit: bool,
    /// A host CPU id out of the allowed set, to pin this thread.
    pub cpu: Option<usize>,
}

/// A blocked system call ends after this, to look whether the test was stopped. Wakes an idle thread 20 times a
/// second, a busy one never.
const TICK: Duration = Duration::from_millis(50);

/// A running (or ended) stream. Its socket lives until the handle is dropped or joined: keep it until the peer has
/// the results, closing it earlier could reset what is still on the way.
#[derive(Debug)]
pub struct StreamHandle {
    socket: Arc<Socket>,
    counters: Arc<StreamCounters>,
    control: Arc<RunControl>,
    protocol: Protocol,
    duty: Duty,
    /// Taken by `join`.
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// What a stream ended with.
#[derive(Debug)]
pub struct StreamOutcome {
    pub snapshot: Snapshot,
    /// Why it ended before it was told to. A peer that closes is no error.
    pub error: Option<io::Error>,
    pub granted: Granted,
}

/// Starts the thread; it waits for [`RunControl::start`]. Errors: the socket's options, the size of a block, the
/// CPU, or no thread to be had.
pub fn spawn(task: StreamTask, control: Arc<RunControl>) -> io::Result<StreamHandle> {
    let StreamTask {
        socket,
        duty,
        protocol,
        block_size,
        bitrate,
        burst,
        udp_64bit,
        cpu,
    } = task;
    workload::check_block(protocol, block_size, udp_64bit)?;
    socket.set_nonblocking(false)?;
    socket.set_read_timeout(Some(TICK))?;
    socket.set_write_timeout(Some(TICK))?;
    if protocol == Protocol::Udp && duty == Duty::Receive {
        sock::accept_merged(&socket);
    }
    let socket = Arc::new(socket);
    let counters = Arc::new(StreamCounters::default());
    let name = format!("data-{}", std::os::fd::AsRawFd::as_raw_fd(&*socket));
    let thread = std::thread::Builder::new().name(name).spawn({
        let (socket, counters, control) = (socket.clone(), counters.clone(), control.clone());
        move || {
            let ended = cpu
                .map_or(Ok(()), |cpu| sock::set_affinity(&[cpu]))
                .and_then(|()| {
                    sock::precise_timers();
                    let lane = Lane::new(&socket, &control, &counters, block_size);
                    workload::run(
                        lane,
                        protocol,
                        duty,
                        workload::Pace { bitrate, burst },
                        udp_64bit,
                    )
                });
            control.progress();
            ended
        }
    })?;
    Ok(StreamHandle {
        socket,
        counters,
        control,
        protocol,
        duty,
        thread: Some(thread),
    })
}

impl StreamHandle {
    /// The figures now, at any time.
    pub fn snapshot(&self) -> Snapshot {
        let udp_receiver = self.protocol == Protocol::Udp && self.duty == Duty::Receive;
        let dropped = if udp_receiver {
            sock::socket_drops(&self.socket)
        } else {
            None
        };
        let snapshot = self.counters.snapshot();
        // The average may be above what the dropped messages carried: they are a part of the loss in any case.
        let datagrams = |messages| self.counters.datagrams_in(messages).min(snapshot.lost);
        let socket_drops = dropped.map(|messages| {
            if messages == 0 {
                0
            } else {
                datagrams(messages)
            }
        });
        Snapshot {
            socket_drops,
            ..snapshot
        }
    }

    /// A sender's totals when the budget came into force, for an exact `-O` with `-n` or `-k`.
    pub fn marked(&self) -> Option<Snapshot> {
        self.counters.marked()
    }

    /// Datagrams that were not counted as data: too short, or with an absurd number.
    pub fn malformed(&self) -> u64 {
        self.counters.malformed()
    }

    pub fn tcp_info(&self) -> Option<TcpInfo> {
        match self.protocol {
            Protocol::Tcp => sock::tcp_info(&self.socket),
            Protocol::Udp => None,
        }
    }

    /// Bytes that the peer has not acknowledged (TCP).
    pub fn unacked(&self) -> Option<u32> {
        match self.protocol {
            Protocol::Tcp => sock::unacked(&self.socket),
            Protocol::Udp => None,
        }
    }

    /// The peer reads on to the end of what was written, while this end still sees how much of it arrives.
    pub fn end_output(&self) -> io::Result<()> {
        self.socket.shutdown(std::net::Shutdown::Write)
    }

    pub fn granted(&self) -> Granted {
        sock::granted(&self.socket)
    }

    /// The thread has ended: told to, budget used up, peer closed, or an error (see [`StreamHandle::join`]).
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// When the first and the latest data moved, for the divisor of a rate.
    pub fn first_last(&self) -> (Option<Instant>, Option<Instant>) {
        let (first, last) = self.counters.first_last();
        let instant = |ns: u64| self.control.instant(ns);
        (first.and_then(instant), last.and_then(instant))
    }

    /// Waits for the thread's end (stop it first) and closes the socket.
    pub fn join(mut self) -> StreamOutcome {
        let granted = self.granted();
        let error = match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended.err(),
            Some(Err(_)) => Some(io::Error::other(
                "the data thread panicked: a defect of nettest-engine",
            )),
            None => None,
        };
        StreamOutcome {
            snapshot: self.snapshot(),
            error,
            granted,
        }
    }
}
