//! A data thread and the handle that the control side holds.

use super::{FastPaths, RunControl};
use crate::sock::{self, Granted, Offer, TcpInfo};
use crate::stats::{Snapshot, StreamCounters};
use crate::workload::{self, Lane, Payload};
use nettest_report::params::Protocol;
use socket2::Socket;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    pub load: Load,
    /// What a byte stream sends, or where a receiver writes what arrives.
    pub file: Option<File>,
    /// A host CPU id out of the allowed set, to pin this thread.
    pub cpu: Option<usize>,
}

/// What a stream carries and how: the same for all streams of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    pub protocol: Protocol,
    /// Bytes of a write or datagram.
    pub block_size: usize,
    /// Bits per second; `None`: unlimited. Senders only.
    pub bitrate: Option<u64>,
    /// The kernel keeps a rate (`--fq-rate`).
    pub kernel_paced: bool,
    /// Blocks back to back when paced; 0 and 1: one.
    pub burst: u32,
    /// Sequence numbers of 64 bits in UDP.
    pub udp_64bit: bool,
    pub payload: Payload,
    /// Senders of byte streams write from the page cache (splice or sendfile).
    pub zerocopy: bool,
    /// Receivers throw the data away in the kernel.
    pub skip_rx_copy: bool,
    /// UDP: segmentation and merging by the kernel are required. Without it they are used where they are to be had.
    pub gsro: bool,
    /// All of these are wishes (`--fast`): what is not to be had is left out.
    pub fast: bool,
}

/// A blocked system call ends after this, to look whether the test was stopped. Wakes an idle thread 20 times a
/// second, a busy one never.
const TICK: Duration = Duration::from_millis(50);

/// Buffers are on the heap, and what is left takes some KiB; std's 2 MiB for each of 256 streams would be half a GiB of
/// address space, which is what `RLIMIT_AS` counts. The rest is for an unoptimised build and for the unwinding of a panic.
const STACK: usize = 256 << 10;

/// A running (or ended) stream. Its socket lives until the handle is dropped or joined: keep it until the peer has
/// the results, closing it earlier could reset what is still on the way.
#[derive(Debug)]
pub struct StreamHandle {
    socket: Arc<Socket>,
    counters: Arc<StreamCounters>,
    control: Arc<RunControl>,
    protocol: Protocol,
    duty: Duty,
    fast_paths: FastPaths,
    /// Set before the control is told, which is a moment before the thread is gone.
    over: Arc<AtomicBool>,
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
        mut load,
        file,
        cpu,
    } = task;
    let protocol = load.protocol;
    workload::check_block(&load)?;
    socket.set_nonblocking(false)?;
    socket.set_read_timeout(Some(TICK))?;
    socket.set_write_timeout(Some(TICK))?;
    let refused = match protocol {
        Protocol::Udp => offload(&socket, duty, &load)?,
        Protocol::Tcp | Protocol::Sctp => None,
    };
    let granted = sock::granted(&socket);
    let mut fast_paths = FastPaths::settle(&mut load, duty, &granted, file.as_ref());
    fast_paths.declined = fast_paths.declined.or(refused);
    let socket = Arc::new(socket);
    let counters = Arc::new(StreamCounters::default());
    let over = Arc::new(AtomicBool::new(false));
    let name = format!("data-{}", std::os::fd::AsRawFd::as_raw_fd(&*socket));
    let thread = std::thread::Builder::new()
        .name(name)
        .stack_size(STACK)
        .spawn({
            let (socket, counters, control) = (socket.clone(), counters.clone(), control.clone());
            let over = over.clone();
            move || {
                let ended = cpu
                    .map_or(Ok(()), |cpu| sock::set_affinity(&[cpu]))
                    .and_then(|()| {
                        sock::timer_slack(slack_ns(&load));
                        let lane = Lane::new(&socket, &control, &counters, load.block_size);
                        workload::run(lane, &load, duty, file)
                    });
                over.store(true, Ordering::Release);
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
        fast_paths,
        over,
        thread: Some(thread),
    })
}

/// How late a paced sender may wake: an eighth of the gap between its chunks, which its deadlines make good. The kernel
/// then wakes several at once, and of fifty clients each needs a tenth less CPU.
fn slack_ns(load: &Load) -> u64 {
    const OF_A_GAP: u64 = 8;
    let bits = (load.block_size as u64)
        .saturating_mul(u64::from(load.burst.max(1)))
        .saturating_mul(8_000_000_000);
    match load.bitrate {
        Some(rate) if rate > 0 => bits / rate / OF_A_GAP,
        Some(_) | None => 0,
    }
}

/// Asks the kernel to cut or merge datagrams. Some(why): it refuses, and the test only wished for it. Errors: the test
/// requires it.
fn offload(socket: &Socket, duty: Duty, load: &Load) -> io::Result<Option<String>> {
    let (offer, what) = match duty {
        Duty::Send => (
            sock::offer_segments(socket, load.block_size),
            "UDP segmentation (UDP_SEGMENT)",
        ),
        Duty::Receive => (
            sock::offer_merged(socket, load.block_size),
            "UDP receive offload (UDP_GRO)",
        ),
    };
    match offer {
        Offer::Refused(source) if load.fast => {
            Ok(Some(format!("this kernel refuses {what}: {source}")))
        }
        Offer::Refused(source) if load.gsro => {
            let why = format!("this kernel refuses {what}: {source}; leave out --gsro");
            Err(io::Error::new(source.kind(), why))
        }
        Offer::InForce | Offer::TooLarge | Offer::Refused(_) => Ok(None),
    }
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
        let socket_drops = dropped.map(|messages| self.counters.datagrams_in(messages));
        Snapshot {
            socket_drops,
            ..snapshot
        }
    }

    /// The stream's own totals where its counted part begins, for an exact `-O`: a sender's when the budget came into
    /// force, and those of paced datagrams.
    pub fn marked(&self) -> Option<Snapshot> {
        self.counters.marked()
    }

    /// A sender's file was sent to its end.
    pub fn is_complete(&self) -> bool {
        self.counters.is_complete()
    }

    /// Datagrams that were not counted as data: too short, or with an absurd number.
    pub fn malformed(&self) -> u64 {
        self.counters.malformed()
    }

    pub fn tcp_info(&self) -> Option<TcpInfo> {
        match self.protocol {
            Protocol::Tcp => sock::tcp_info(&self.socket),
            Protocol::Udp | Protocol::Sctp => None,
        }
    }

    /// Bytes (TCP) or chunks (SCTP) that the peer has not acknowledged.
    pub fn unacked(&self) -> Option<u32> {
        match self.protocol {
            Protocol::Tcp => sock::unacked(&self.socket),
            Protocol::Sctp => sock::sctp_waiting(&self.socket),
            Protocol::Udp => None,
        }
    }

    /// What a sender's peer had not acknowledged when the writing ended; 0 before.
    pub fn backlog(&self) -> u64 {
        self.counters.backlog()
    }

    /// The peer reads on to the end of what was written, while this end still sees how much of it arrives.
    pub fn end_output(&self) -> io::Result<()> {
        self.socket.shutdown(std::net::Shutdown::Write)
    }

    pub fn fast_paths(&self) -> &FastPaths {
        &self.fast_paths
    }

    pub fn granted(&self) -> Granted {
        sock::granted(&self.socket)
    }

    /// The thread has ended: told to, budget used up, peer closed, or an error (see [`StreamHandle::join`]).
    pub fn is_finished(&self) -> bool {
        // A thread that panicked did not say so.
        self.over.load(Ordering::Acquire)
            || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::tests::load;

    #[test]
    fn a_sleep_may_end_late_by_a_small_part_of_the_gap() {
        let slack = |bitrate, block_size, burst| {
            slack_ns(&Load {
                bitrate,
                block_size,
                burst,
                ..load(Protocol::Udp, block_size)
            })
        };
        assert_eq!(slack(None, 1400, 1), 0);
        assert_eq!(slack(Some(0), 1400, 1), 0);
        assert_eq!(slack(Some(20_000_000), 1400, 0), 70_000);
        assert_eq!(slack(Some(1_000_000_000), 1400, 1), 1400);
        assert_eq!(slack(Some(1_000_000_000), 1400, 10), 14_000);
        assert!(slack(Some(1), usize::MAX, u32::MAX) > 0);
    }
}
