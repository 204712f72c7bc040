//! A stream's totals: this end's for the other end, and both ends' for the report.

use super::track::Track;
use crate::stats::Snapshot;
use crate::wire::results::{Omitted, StreamExtra, StreamResult};
use nettest_report::params::Protocol;
use nettest_report::report::{StreamEnd, TcpEnd, Totals};

impl Track {
    /// This end's figures, for the other end.
    pub fn result(&mut self, seconds: f64) -> StreamResult {
        self.settle_mark();
        self.sample();
        let now = self.snapshot();
        let counted = now.since(&self.base);
        let packets = |s: &Snapshot| match (self.protocol, self.sender) {
            (Protocol::Tcp | Protocol::Sctp, _) => 0,
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
        let tcp = self
            .protocol
            .is_reliable()
            .then(|| match (self.sender, peer) {
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
}
