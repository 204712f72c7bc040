//! One stream as its end measures it.

use super::tcp_series::{TcpSeries, cwnd_bytes};
use crate::sock::{Granted, TcpInfo};
use crate::stats::Snapshot;
use crate::worker::StreamHandle;
use nettest_report::params::{Limit, Protocol, TestParams};
use nettest_report::report::{Flow, StreamInterval, TcpSample};
use std::time::{Duration, Instant};

/// What runs, or what is left of it.
#[derive(Debug)]
enum Thread {
    Running(StreamHandle),
    /// Joined: last figures, times, error.
    Ended(Box<Ended>),
}

#[derive(Debug)]
struct Ended {
    snapshot: Snapshot,
    times: (Option<Instant>, Option<Instant>),
    error: Option<std::io::Error>,
    granted: Granted,
    complete: bool,
}

#[derive(Debug)]
pub struct Track {
    /// iperf3's stream id.
    pub id: i32,
    /// The descriptor, as iperf3's rows show it.
    pub socket: i32,
    pub flow: Flow,
    pub sender: bool,
    pub(super) protocol: Protocol,
    paced_udp: bool,
    thread: Thread,
    /// Where the counted part begins.
    pub(super) base: Snapshot,
    /// Where the present row begins.
    row: Snapshot,
    /// Losses shown in rows so far; late arrivals may take some back.
    pub(super) shown_lost: u64,
    /// The stream notes the exact begin of the counted part itself.
    awaits_mark: bool,
    /// Written, but never acknowledged.
    undelivered: u64,
    ended_output: bool,
    /// When the peer had what was sent, as far as its acknowledgements tell.
    delivered: Option<Instant>,
    pub(super) tcp: TcpSeries,
}

/// An acknowledgement may come so much later than the data for the peer's own reasons (delayed acknowledgements), and
/// the kernel dates it to its tick.
const LATE_ACK: Duration = Duration::from_millis(50);
const TICK: Duration = Duration::from_millis(4);

impl Track {
    pub fn new(
        id: i32,
        socket: i32,
        flow: Flow,
        sender: bool,
        params: &TestParams,
        handle: StreamHandle,
    ) -> Self {
        let mut track = Track {
            id,
            socket,
            flow,
            sender,
            protocol: params.protocol,
            paced_udp: params.protocol == Protocol::Udp
                && params.bitrate.is_some()
                && matches!(params.limit, Limit::Time(time) if !time.is_zero()),
            thread: Thread::Running(handle),
            base: Snapshot::default(),
            row: Snapshot::default(),
            shown_lost: 0,
            awaits_mark: false,
            undelivered: 0,
            ended_output: false,
            delivered: None,
            tcp: TcpSeries::default(),
        };
        // Retransmits of the handshake are not the test's.
        track.tcp.last = track.tcp_info();
        track.tcp.restart();
        track
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut now = match &self.thread {
            Thread::Running(handle) => handle.snapshot(),
            Thread::Ended(ended) => ended.snapshot,
        };
        now.bytes = now.bytes.saturating_sub(self.undelivered);
        now
    }

    /// What the peer has not acknowledged by now is not counted as sent.
    pub fn write_off(&mut self) {
        // Of SCTP only the chunks are known, and their sizes are not.
        if self.protocol == Protocol::Tcp {
            self.undelivered = self.unacked_data();
        }
    }

    /// What was sent has arrived, or will not.
    pub fn note_delivery(&mut self, now: Instant) {
        let Thread::Running(handle) = &self.thread else {
            return;
        };
        let Some(info) = self.tcp_info() else {
            return;
        };
        // Of less than two full segments only the acknowledgement can be late (RFC 5681 section 4.2), and that is no time
        // of the data: a peer that reads now and then delays it by up to 200 ms.
        if handle.backlog() < 2 * u64::from(info.snd_mss) {
            return;
        }
        let way = Duration::from_micros(info.min_rtt_us.unwrap_or(0).into());
        let since = Duration::from_millis(info.last_ack_ms.into()) + way + TICK;
        self.delivered = now.checked_sub(since);
    }

    /// When a sender's data ended that was over at `end` by its writes: what the kernel took at once and delivered long
    /// after is the network's throughput only in the time that it took there (field report 007).
    pub fn delivered_by(&self, end: Instant) -> Instant {
        self.delivered
            .filter(|delivered| *delivered > end + LATE_ACK)
            .unwrap_or(end)
    }

    /// The kernel goes on delivering what was written off: what arrived since then counts again, so that a peer
    /// never has received more than was sent.
    pub fn settle_delivery(&mut self) {
        if self.undelivered > 0 {
            self.undelivered = self.undelivered.min(self.unacked_data());
        }
    }

    /// Without the end of the stream, which takes one number, too.
    pub fn unacked_data(&self) -> u64 {
        u64::from(self.unacked().saturating_sub(u32::from(self.ended_output)))
    }

    /// The peer's receiver sees the end of the stream as soon as it has read everything. Not of SCTP, which knows no
    /// half-closed association.
    pub fn end_output(&mut self) -> bool {
        if let Thread::Running(handle) = &self.thread
            && self.protocol == Protocol::Tcp
            && !self.ended_output
        {
            self.ended_output = handle.end_output().is_ok();
        }
        self.ended_output
    }

    /// Close, as far as the peer sees; a stream that still delivers is closed later.
    pub fn close_for_peer(&mut self) {
        match &self.thread {
            Thread::Running(handle) if self.undelivered > 0 => {
                self.ended_output |= handle.end_output().is_ok();
            }
            _ => self.close(),
        }
    }

    /// The smoothed round-trip time of a TCP sender; zero: not known.
    pub fn round_trip(&self) -> Duration {
        self.tcp_info().map_or(Duration::ZERO, |info| {
            Duration::from_micros(info.rtt_us.into())
        })
    }

    /// The peer's free window as it last told; it grows while the peer's program reads.
    pub fn peer_window(&self) -> u32 {
        self.tcp_info().and_then(|info| info.snd_wnd).unwrap_or(0)
    }

    fn tcp_info(&self) -> Option<TcpInfo> {
        match &self.thread {
            Thread::Running(handle) if self.sender => handle.tcp_info(),
            _ => None,
        }
    }

    pub fn first_last(&self) -> (Option<Instant>, Option<Instant>) {
        match &self.thread {
            Thread::Running(handle) => handle.first_last(),
            Thread::Ended(ended) => ended.times,
        }
    }

    pub fn granted(&self) -> Granted {
        match &self.thread {
            Thread::Running(handle) => handle.granted(),
            Thread::Ended(ended) => ended.granted.clone(),
        }
    }

    pub fn unacked(&self) -> u32 {
        match &self.thread {
            Thread::Running(handle) if self.sender => handle.unacked().unwrap_or(0),
            _ => 0,
        }
    }

    pub fn has_tcp_info(&self) -> bool {
        self.tcp.last.is_some()
    }

    pub fn is_finished(&self) -> bool {
        match &self.thread {
            Thread::Running(handle) => handle.is_finished(),
            Thread::Ended(_) => true,
        }
    }

    /// The peer sees the end of a file that was sent as a whole.
    pub fn end_file(&mut self) {
        match &self.thread {
            Thread::Running(handle) if !self.ended_output && handle.is_complete() => {
                self.ended_output = handle.end_output().is_ok();
            }
            _ => {}
        }
    }

    /// A sender's file was sent to its end.
    pub fn is_complete(&self) -> bool {
        match &self.thread {
            Thread::Running(handle) => handle.is_complete(),
            Thread::Ended(ended) => ended.complete,
        }
    }

    pub fn bytes_so_far(&self) -> u64 {
        self.snapshot().bytes
    }

    /// Counted bytes, and counted datagrams or blocks, so far.
    pub fn counted(&self) -> Snapshot {
        self.snapshot().since(&self.base)
    }

    /// TCP moves only while the peer reads; a UDP sender's count says nothing.
    pub fn shows_life(&self) -> bool {
        self.protocol.is_reliable() || !self.sender
    }

    /// What came so far does not count.
    pub fn rebase(&mut self, budget: bool) {
        self.base = self.snapshot();
        // The peer reads after the omitted part what the kernel still holds of it, and its time ends when all of that is
        // delivered. A budget counts writes.
        if self.protocol == Protocol::Tcp && !budget {
            self.base.bytes = self.base.bytes.saturating_sub(self.unacked_data());
        }
        self.row = self.base;
        self.shown_lost = self.base.lost;
        self.awaits_mark = (budget && self.sender) || self.paced_udp;
        if let Some(info) = self.tcp_info() {
            self.tcp.last = Some(info);
        }
        self.tcp.restart();
    }

    /// The stream's own mark of where the counted part began, as soon as it is there.
    pub(super) fn settle_mark(&mut self) {
        if !self.awaits_mark {
            return;
        }
        let Thread::Running(handle) = &self.thread else {
            return;
        };
        if let Some(mark) = handle.marked() {
            self.base = Snapshot {
                socket_drops: self.base.socket_drops,
                ..mark
            };
            self.row = self.base;
            self.shown_lost = self.base.lost;
            self.awaits_mark = false;
        }
    }

    pub fn moved_since_row(&mut self) -> bool {
        self.settle_mark();
        let now = self.snapshot();
        now.bytes != self.row.bytes || now.highest_seq != self.row.highest_seq
    }

    pub fn row(&mut self, start: f64, end: f64, omitted: bool) -> StreamInterval {
        self.settle_mark();
        // A mark that comes after a row would take back what the row has shown.
        self.awaits_mark &= !self.paced_udp;
        let now = self.snapshot();
        let part = now.since(&self.row);
        self.row = now;
        let info = self.tcp_info();
        let mut retransmits = None;
        if let Some(info) = info {
            let before = self.tcp.row.unwrap_or(0);
            retransmits = Some(u64::from(info.total_retrans.saturating_sub(before)));
            self.tcp.row = Some(info.total_retrans);
            self.tcp.add(info);
        }
        StreamInterval {
            socket: self.socket,
            flow: self.flow,
            sender: self.sender,
            start,
            end,
            bytes: part.bytes,
            omitted,
            tcp: info.map(|info| TcpSample {
                snd_cwnd_bytes: cwnd_bytes(&info),
                snd_wnd_bytes: info.snd_wnd.map(u64::from),
                rtt_us: info.rtt_us,
                rttvar_us: info.rttvar_us,
                pmtu: info.pmtu,
                reorder: info
                    .reord_seen
                    .map(u64::from)
                    .and_then(|n| u32::try_from(n).ok()),
            }),
            retransmits,
            udp: (self.protocol == Protocol::Udp).then(|| self.udp_row(&now, &part)),
        }
    }

    /// A last look at tcp_info when no row has taken one.
    pub(super) fn sample(&mut self) {
        if let Some(info) = self.tcp_info() {
            if self.tcp.samples == 0 {
                self.tcp.add(info);
            }
            self.tcp.last = Some(info);
        }
    }

    /// The error of a thread that ended with one; then the thread is joined, and its socket closed.
    pub fn take_error(&mut self) -> Option<std::io::Error> {
        match &mut self.thread {
            Thread::Ended(ended) => ended.error.take(),
            Thread::Running(_) => None,
        }
    }

    /// Join the thread, if it has ended, and close the socket.
    pub fn close(&mut self) {
        if !self.is_finished() {
            return;
        }
        self.sample();
        let ended = Thread::Ended(Box::new(Ended {
            snapshot: self.snapshot(),
            times: self.first_last(),
            error: None,
            granted: self.granted(),
            complete: self.is_complete(),
        }));
        if let Thread::Running(handle) = std::mem::replace(&mut self.thread, ended) {
            let outcome = handle.join();
            if let Thread::Ended(ended) = &mut self.thread {
                ended.snapshot = outcome.snapshot;
                ended.error = outcome.error;
            }
        }
    }
}
