//! What a UDP stream's counts mean: rows, and the totals from both ends.

use super::track::Track;
use crate::stats::Snapshot;
use crate::wire::results::StreamResult;
use nettest_report::report::{UdpEnd, UdpInterval};

impl Track {
    pub(super) fn udp_row(&mut self, now: &Snapshot, part: &Snapshot) -> UdpInterval {
        if self.sender {
            return UdpInterval {
                packets: part.packets,
                ..UdpInterval::default()
            };
        }
        let lost = newly_lost(now.lost, self.shown_lost, part.highest_seq);
        self.shown_lost += lost;
        UdpInterval {
            packets: part.highest_seq,
            lost: Some(lost),
            jitter_seconds: Some(now.jitter_ns as f64 / 1e9),
            out_of_order: Some(part.out_of_order),
        }
    }

    pub(super) fn udp_end_as_receiver(
        &self,
        counted: &Snapshot,
        peer: Option<&StreamResult>,
    ) -> UdpEnd {
        // The last datagrams may be among the lost, and only the sender knows that they were sent. Numbers run
        // from the very start, so the omitted part does not matter here.
        let tail = peer.map_or(0, |peer| {
            peer.packets.saturating_sub(self.snapshot().highest_seq)
        });
        let lost = counted.lost.min(counted.highest_seq) + tail;
        UdpEnd {
            // A peer that does not tell its omitted part has omitted what we have.
            packets_sent: peer.map(|peer| {
                let omitted = peer
                    .omitted
                    .map_or(self.base.highest_seq, |omitted| omitted.packets);
                peer.packets.saturating_sub(omitted)
            }),
            packets_received: Some(counted.highest_seq + tail),
            lost: Some(lost),
            out_of_order: Some(counted.out_of_order),
            duplicates: Some(counted.duplicates),
            jitter_seconds: Some(counted.jitter_ns as f64 / 1e9),
            socket_drops: counted.socket_drops.map(|drops| drops.min(lost)),
        }
    }

    pub(super) fn udp_end_as_sender(
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
        let lost = lost.map(|lost| lost + tail);
        let drops = peer.extra.and_then(|extra| extra.socket_drops);
        UdpEnd {
            packets_sent: Some(counted.packets),
            packets_received: Some(peer.packets.saturating_sub(omitted) + tail),
            lost,
            out_of_order: peer.extra.map(|extra| extra.out_of_order),
            duplicates: peer.extra.map(|extra| extra.duplicates),
            jitter_seconds: Some(peer.jitter_seconds),
            // What the buffer dropped is a part of the loss; where datagrams came merged it is an average.
            socket_drops: drops.map(|drops| drops.min(lost.unwrap_or(drops))),
        }
    }
}

/// The losses of a row: of all `lost` so far, of which rows have shown `shown`. A datagram that comes a row late takes a
/// loss back that was shown: later losses make up for it, no row goes below zero or above its datagrams (field report
/// 027).
fn newly_lost(lost: u64, shown: u64, datagrams: u64) -> u64 {
    lost.saturating_sub(shown).min(datagrams)
}

#[cfg(test)]
mod tests {
    use super::newly_lost;

    #[test]
    fn report_027_late_datagrams_take_no_row_below_zero() {
        let mut shown = 0;
        let mut rows = Vec::new();
        for (lost, datagrams) in [(5, 10), (3, 10), (6, 10), (6, 10), (30, 10), (30, 20)] {
            rows.push(newly_lost(lost, shown, datagrams));
            shown += rows[rows.len() - 1];
        }
        assert_eq!(rows, [5, 0, 1, 0, 10, 14]);
        assert_eq!(shown, 30, "none is forgotten");
    }
}
