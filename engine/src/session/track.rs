//! One stream as its end measures it.

use crate::sock::{Granted, TcpInfo};
use crate::stats::Snapshot;
use crate::wire::results::{Omitted, StreamExtra, StreamResult};
use crate::worker::StreamHandle;
use nettest_report::params::Protocol;
use nettest_report::report::{
    Flow, StreamEnd, StreamInterval, TcpEnd, TcpSample, Totals, UdpEnd, UdpInterval,
};
use std::time::Instant;

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
}

#[derive(Debug)]
pub struct Track {
    /// iperf3's stream id.
    pub id: i32,
    /// The descriptor, as iperf3's rows show it.
    pub socket: i32,
    pub flow: Flow,
    pub sender: bool,
    protocol: Protocol,
    thread: Thread,
    /// Where the counted part begins.
    base: Snapshot,
    /// Where the present row begins.
    row: Snapshot,
    /// Losses shown in rows so far; late arrivals may take some back.
    shown_lost: u64,
    /// The sender notes the exact begin of the counted part itself.
    awaits_mark: bool,
    /// Written, but never acknowledged.
    undelivered: u64,
    tcp: TcpSeries,
}

/// tcp_info over the time of a sending stream.
#[derive(Debug, Default)]
struct TcpSeries {
    /// Retransmits before the counted part, and before the present row.
    base: Option<u32>,
    row: Option<u32>,
    last: Option<TcpInfo>,
    max_cwnd: u64,
    max_wnd: Option<u64>,
    min_rtt: Option<u32>,
    max_rtt: u32,
    rtt_sum: u64,
    samples: u64,
}

impl TcpSeries {
    fn add(&mut self, info: TcpInfo) {
        self.last = Some(info);
        self.max_cwnd = self.max_cwnd.max(cwnd_bytes(&info));
        self.max_wnd = self.max_wnd.max(info.snd_wnd.map(u64::from));
        self.min_rtt = Some(self.min_rtt.map_or(info.rtt_us, |min| min.min(info.rtt_us)));
        self.max_rtt = self.max_rtt.max(info.rtt_us);
        self.rtt_sum += u64::from(info.rtt_us);
        self.samples += 1;
    }

    /// The series starts anew; retransmits so far do not count.
    fn restart(&mut self) {
        let seen = self.last.map(|info| info.total_retrans);
        *self = TcpSeries {
            base: seen,
            row: seen,
            last: self.last,
            ..TcpSeries::default()
        };
    }

    fn retransmits(&self) -> Option<u64> {
        let now = self.last?.total_retrans;
        Some(u64::from(now.saturating_sub(self.base.unwrap_or(0))))
    }

    fn end(&self) -> TcpEnd {
        let seen = self.samples > 0;
        TcpEnd {
            retransmits: self.retransmits(),
            max_snd_cwnd: seen.then_some(self.max_cwnd),
            max_snd_wnd: self.max_wnd,
            max_rtt_us: seen.then_some(self.max_rtt),
            min_rtt_us: self.min_rtt,
            mean_rtt_us: self
                .rtt_sum
                .checked_div(self.samples)
                .and_then(|mean| u32::try_from(mean).ok()),
            reorder: self.last.and_then(|info| info.reord_seen),
        }
    }
}

fn cwnd_bytes(info: &TcpInfo) -> u64 {
    u64::from(info.snd_cwnd) * u64::from(info.snd_mss)
}

impl Track {
    pub fn new(
        id: i32,
        socket: i32,
        flow: Flow,
        sender: bool,
        protocol: Protocol,
        handle: StreamHandle,
    ) -> Self {
        let mut track = Track {
            id,
            socket,
            flow,
            sender,
            protocol,
            thread: Thread::Running(handle),
            base: Snapshot::default(),
            row: Snapshot::default(),
            shown_lost: 0,
            awaits_mark: false,
            undelivered: 0,
            tcp: TcpSeries::default(),
        };
        // Retransmits of the handshake are not the test's.
        track.tcp.last = track.tcp_info();
        track.tcp.restart();
        track
    }

    fn snapshot(&self) -> Snapshot {
        let mut now = match &self.thread {
            Thread::Running(handle) => handle.snapshot(),
            Thread::Ended(ended) => ended.snapshot,
        };
        now.bytes = now.bytes.saturating_sub(self.undelivered);
        now
    }

    /// What the peer has not acknowledged by now is not counted as sent.
    pub fn write_off(&mut self) {
        self.undelivered = u64::from(self.unacked());
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

    pub fn bytes_so_far(&self) -> u64 {
        self.snapshot().bytes
    }

    /// Counted bytes, and counted datagrams or blocks, so far.
    pub fn counted(&self) -> Snapshot {
        self.snapshot().since(&self.base)
    }

    /// TCP moves only while the peer reads; a UDP sender's count says nothing.
    pub fn shows_life(&self) -> bool {
        self.protocol == Protocol::Tcp || !self.sender
    }

    /// What came so far does not count.
    pub fn rebase(&mut self, budget: bool) {
        self.base = self.snapshot();
        self.row = self.base;
        self.shown_lost = self.base.lost;
        self.awaits_mark = budget && self.sender;
        if let Some(info) = self.tcp_info() {
            self.tcp.last = Some(info);
        }
        self.tcp.restart();
    }

    /// The sender's own mark of where the counted part began, as soon as it is there.
    fn settle_mark(&mut self) {
        if !self.awaits_mark {
            return;
        }
        let Thread::Running(handle) = &self.thread else {
            return;
        };
        if let Some(mark) = handle.marked() {
            self.base.bytes = mark.bytes;
            self.base.packets = mark.packets;
            self.row = self.base;
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

    fn udp_row(&mut self, now: &Snapshot, part: &Snapshot) -> UdpInterval {
        if self.sender {
            return UdpInterval {
                packets: part.packets,
                ..UdpInterval::default()
            };
        }
        // A datagram that comes a row late takes a loss back that was shown: later losses make up for it, no
        // row goes below zero (field report 027).
        let lost = now
            .lost
            .saturating_sub(self.shown_lost)
            .min(part.highest_seq);
        self.shown_lost += lost;
        UdpInterval {
            packets: part.highest_seq,
            lost: Some(lost),
            jitter_seconds: Some(now.jitter_ns as f64 / 1e9),
            out_of_order: Some(part.out_of_order),
        }
    }

    /// This end's figures, for the other end.
    pub fn result(&mut self, seconds: f64) -> StreamResult {
        self.settle_mark();
        self.sample();
        let now = self.snapshot();
        let counted = now.since(&self.base);
        let packets = |s: &Snapshot| match (self.protocol, self.sender) {
            (Protocol::Tcp, _) => 0,
            (Protocol::Udp, true) => s.packets,
            (Protocol::Udp, false) => s.highest_seq,
        };
        let receives_udp = self.protocol == Protocol::Udp && !self.sender;
        let errors = |s: &Snapshot| {
            if receives_udp {
                i64::try_from(s.lost).unwrap_or(i64::MAX)
            } else {
                0
            }
        };
        StreamResult {
            id: self.id,
            bytes: counted.bytes,
            retransmits: if self.sender {
                self.tcp.retransmits()
            } else {
                None
            },
            jitter_seconds: if receives_udp {
                now.jitter_ns as f64 / 1e9
            } else {
                0.0
            },
            // The peer takes the omitted part off; late arrivals must not make that negative.
            errors: errors(&self.base) + i64::try_from(counted.lost).unwrap_or(0),
            omitted: Some(Omitted {
                errors: errors(&self.base),
                packets: packets(&self.base),
            }),
            packets: packets(&now),
            start_seconds: Some(0.0),
            end_seconds: Some(seconds),
            extra: receives_udp.then_some(StreamExtra {
                out_of_order: counted.out_of_order,
                duplicates: counted.duplicates,
                socket_drops: counted.socket_drops,
            }),
        }
    }

    /// A last look at tcp_info when no row has taken one.
    fn sample(&mut self) {
        if let Some(info) = self.tcp_info() {
            if self.tcp.samples == 0 {
                self.tcp.add(info);
            }
            self.tcp.last = Some(info);
        }
    }

    /// Both ends' figures. `omit`: part of the test was omitted.
    pub fn end(
        &mut self,
        seconds: f64,
        peer: Option<&StreamResult>,
        has_retransmits: Option<bool>,
        omit: bool,
    ) -> StreamEnd {
        self.settle_mark();
        self.sample();
        let counted = self.counted();
        let own = Totals {
            start: 0.0,
            end: seconds,
            bytes: Some(counted.bytes),
        };
        let theirs = Totals {
            start: 0.0,
            end: peer
                .and_then(|peer| peer.end_seconds)
                .filter(|end| *end > 0.0)
                .unwrap_or(seconds),
            bytes: peer.map(|peer| peer.bytes),
        };
        let (sent, received) = if self.sender {
            (own, theirs)
        } else {
            (theirs, own)
        };
        let tcp = (self.protocol == Protocol::Tcp).then(|| match (self.sender, peer) {
            (true, _) => self.tcp.end(),
            (false, Some(peer)) if has_retransmits == Some(true) => TcpEnd {
                retransmits: peer.retransmits,
                ..TcpEnd::default()
            },
            (false, _) => TcpEnd::default(),
        });
        let udp = (self.protocol == Protocol::Udp).then(|| {
            if self.sender {
                self.udp_end_as_sender(&counted, peer, omit)
            } else {
                self.udp_end_as_receiver(&counted, peer)
            }
        });
        StreamEnd {
            socket: self.socket,
            id: self.id,
            flow: self.flow,
            sender: self.sender,
            sent,
            received,
            tcp,
            udp,
        }
    }

    fn udp_end_as_receiver(&self, counted: &Snapshot, peer: Option<&StreamResult>) -> UdpEnd {
        // The last datagrams may be among the lost, and only the sender knows that they were sent. Numbers run
        // from the very start, so the omitted part does not matter here.
        let tail = peer.map_or(0, |peer| {
            peer.packets.saturating_sub(self.snapshot().highest_seq)
        });
        UdpEnd {
            // A peer that does not tell its omitted part has omitted what we have.
            packets_sent: peer.map(|peer| {
                let omitted = peer
                    .omitted
                    .map_or(self.base.highest_seq, |omitted| omitted.packets);
                peer.packets.saturating_sub(omitted)
            }),
            packets_received: Some(counted.highest_seq + tail),
            lost: Some(counted.lost.min(counted.highest_seq) + tail),
            out_of_order: Some(counted.out_of_order),
            duplicates: Some(counted.duplicates),
            jitter_seconds: Some(counted.jitter_ns as f64 / 1e9),
            socket_drops: counted.socket_drops,
        }
    }

    fn udp_end_as_sender(
        &self,
        counted: &Snapshot,
        peer: Option<&StreamResult>,
        omit: bool,
    ) -> UdpEnd {
        let Some(peer) = peer else {
            return UdpEnd {
                packets_sent: Some(counted.packets),
                ..UdpEnd::default()
            };
        };
        let tail = self.snapshot().packets.saturating_sub(peer.packets);
        // Negative from peers that take duplicates for late arrivals: then nothing is known to be lost.
        let natural = |errors: i64| u64::try_from(errors.max(0)).unwrap_or(0);
        let lost = match peer.omitted {
            Some(omitted) => Some(natural(peer.errors.saturating_sub(omitted.errors))),
            // Peers before 3.14 count the omitted part in: without one, or without losses, that is known.
            None if !omit || peer.errors == 0 => Some(natural(peer.errors)),
            None => None,
        };
        let omitted = peer
            .omitted
            .map_or(self.base.packets, |omitted| omitted.packets);
        UdpEnd {
            packets_sent: Some(counted.packets),
            packets_received: Some(peer.packets.saturating_sub(omitted) + tail),
            lost: lost.map(|lost| lost + tail),
            out_of_order: peer.extra.map(|extra| extra.out_of_order),
            duplicates: peer.extra.map(|extra| extra.duplicates),
            jitter_seconds: Some(peer.jitter_seconds),
            socket_drops: peer.extra.and_then(|extra| extra.socket_drops),
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
