//! The figures of one end of a test: rows, the omitted part, and the totals that the ends exchange. It reads the
//! counters of the data threads and never resets them: every figure is a difference of two snapshots.

use super::track::Track;
use crate::wire::results::{Results, StreamResult};
use nettest_report::params::{Limit, Protocol, TestParams};
use nettest_report::report::{Interval, StreamEnd};
use std::time::{Duration, Instant};

/// All streams of this end. Times are of the monotonic clock.
#[derive(Debug)]
pub struct Meter {
    pub tracks: Vec<Track>,
    /// Zero of the rows: the start of the test, then the end of the omitted part.
    origin: Instant,
    row_from: Instant,
    omitting: bool,
    omit: Duration,
    limit: Limit,
    interval: Duration,
    life: (u64, Instant),
}

impl Meter {
    /// Data starts `now`. `interval` zero: no rows but the last.
    pub fn new(tracks: Vec<Track>, params: &TestParams, interval: Duration, now: Instant) -> Self {
        Meter {
            tracks,
            origin: now,
            row_from: now,
            omitting: !params.omit.is_zero(),
            omit: params.omit,
            limit: params.limit,
            interval,
            life: (0, now),
        }
    }

    pub fn is_omitting(&self) -> bool {
        self.omitting
    }

    pub fn omit_due(&self, now: Instant) -> bool {
        self.omitting && now >= self.origin + self.omit
    }

    /// The omitted part is over: its last row, and what came so far does not count. `budget`: from now on there
    /// is one, and the senders note the exact point themselves.
    pub fn end_omit(&mut self, now: Instant, budget: bool) -> Option<Interval> {
        let row = (!self.interval.is_zero() && now > self.row_from).then(|| self.row(now));
        self.omitting = false;
        self.origin = now;
        self.row_from = now;
        self.tracks
            .iter_mut()
            .for_each(|track| track.rebase(budget));
        row
    }

    /// When the next row, or the end of the omitted part, is due. A row that would end within a tenth of an
    /// interval before the test's end is left to the last row (field reports 034, 058).
    pub fn next_due(&self) -> Option<Instant> {
        let omit_end = self.omitting.then(|| self.origin + self.omit);
        let row = (!self.interval.is_zero()).then(|| {
            let past = self.row_from.duration_since(self.origin).as_secs_f64();
            let step = self.interval.as_secs_f64();
            // The grid is the origin's, so that a late row does not shift the later ones; after a late one the next
            // is at least half an interval long (field report 036).
            let next = ((past / step + 0.5).floor() + 1.0) * step;
            self.origin + Duration::from_secs_f64(next)
        });
        let row = row.filter(|row| {
            let end = if self.omitting {
                omit_end
            } else {
                self.nominal_end()
            };
            end.is_none_or(|end| *row + self.interval.mul_f64(0.1) <= end)
        });
        match (omit_end, row) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    pub fn row_due(&self, now: Instant) -> bool {
        !self.omitting_over(now) && self.next_due().is_some_and(|due| now >= due)
    }

    fn omitting_over(&self, now: Instant) -> bool {
        self.omit_due(now)
    }

    /// When the counted part is over by its time.
    pub fn nominal_end(&self) -> Option<Instant> {
        match self.limit {
            Limit::Time(time) if !time.is_zero() && !self.omitting => Some(self.origin + time),
            Limit::Time(time) if !time.is_zero() => Some(self.origin + self.omit + time),
            Limit::Time(_) | Limit::Bytes(_) | Limit::Blocks(_) => None,
        }
    }

    /// One row a stream, up to `now`.
    pub fn row(&mut self, now: Instant) -> Interval {
        let start = self
            .row_from
            .saturating_duration_since(self.origin)
            .as_secs_f64();
        let end = now.saturating_duration_since(self.origin).as_secs_f64();
        self.row_from = now;
        let omitted = self.omitting;
        Interval {
            streams: self
                .tracks
                .iter_mut()
                .map(|track| track.row(start, end, omitted))
                .collect(),
        }
    }

    /// The last row, once all threads have ended: up to the last data. `None` when nothing is left to tell.
    pub fn last_row(&mut self, stopped: Instant) -> Option<Interval> {
        let end = self.data_end(stopped);
        let length = end.saturating_duration_since(self.row_from);
        let moved = self.tracks.iter_mut().any(Track::moved_since_row);
        if !moved && (length.is_zero() || length < self.interval.mul_f64(0.1)) {
            return None;
        }
        // Data that came within the clock's grain after the last row still needs a row of some length.
        let end = end.max(self.row_from + Duration::from_micros(1));
        Some(self.row(end))
    }

    /// When the counted data ended: its own time for bytes and blocks, the asked time (or, later, the last of
    /// the data) when the time ends the test (field reports 005, 007).
    fn data_end(&self, stopped: Instant) -> Instant {
        let last = self
            .tracks
            .iter()
            .filter_map(|track| track.first_last().1)
            .max();
        self.end_of(last, stopped)
    }

    fn end_of(&self, last: Option<Instant>, stopped: Instant) -> Instant {
        match self.nominal_end() {
            Some(nominal) => last.unwrap_or(self.origin).max(nominal.min(stopped)),
            None => last.filter(|last| *last > self.origin).unwrap_or(stopped),
        }
    }

    /// Seconds of `track`'s own data, for the divisor of its rate.
    fn seconds(&self, track: &Track, stopped: Instant) -> f64 {
        let (first, last) = track.first_last();
        let end = track.delivered_by(self.end_of(last, stopped));
        let begin = match (self.nominal_end(), first) {
            // By bytes or blocks: from the first byte, as long as more than one moment is left to measure.
            (None, Some(first))
                if end.saturating_duration_since(first) > Duration::from_millis(1) =>
            {
                first.max(self.origin)
            }
            _ => self.origin,
        };
        end.saturating_duration_since(begin).as_secs_f64()
    }

    fn all_seconds(&self, stopped: Instant) -> Vec<f64> {
        let seconds = |track| self.seconds(track, stopped);
        self.tracks.iter().map(seconds).collect()
    }

    /// This end's figures for the other.
    pub fn results(&mut self, stopped: Instant) -> Vec<StreamResult> {
        let seconds = self.all_seconds(stopped);
        let tracks = self.tracks.iter_mut().zip(seconds);
        tracks
            .map(|(track, seconds)| track.result(seconds))
            .collect()
    }

    /// Both ends' figures, stream by stream. `theirs` is absent when the test was cut short.
    ///
    /// Where bytes or blocks after an omitted part end the test, only the sender knows which byte is the first that
    /// counts: by the receiver's clock megabytes of it came before, or after. What a sender of ours counts was acknowledged,
    /// and a receiver of ours reads to the end, so that both have the sender's bytes and time.
    pub fn ends(&mut self, theirs: Option<&Results>, stopped: Instant) -> Vec<StreamEnd> {
        let omit = !self.omit.is_zero();
        let budget = !matches!(self.limit, Limit::Time(_));
        let ours = theirs.is_some_and(|theirs| theirs.host.is_some());
        let sender_decides = omit && budget && ours;
        let seconds = self.all_seconds(stopped);
        let tracks = self.tracks.iter_mut().zip(seconds);
        tracks
            .map(|(track, seconds)| {
                let peer =
                    theirs.and_then(|theirs| theirs.streams.iter().find(|s| s.id == track.id));
                let has_retransmits = theirs.and_then(|theirs| theirs.sender_has_retransmits);
                let mut end = track.end(seconds, peer, has_retransmits, omit);
                if sender_decides && track.protocol == Protocol::Tcp {
                    end.received = end.sent;
                }
                end
            })
            .collect()
    }

    /// Whether data moved since the last call that said so. UDP senders do not count where there is a receiver:
    /// the kernel takes their datagrams whether anybody lives or not.
    pub fn moved(&mut self, now: Instant) -> bool {
        let sum = self
            .tracks
            .iter()
            .filter(|track| track.shows_life())
            .map(Track::bytes_so_far)
            .sum();
        let moved = sum != self.life.0;
        if moved {
            self.life = (sum, now);
        }
        moved
    }

    /// Since when nothing moved.
    pub fn still_since(&self) -> Instant {
        self.life.1
    }

    /// This end's senders have sent their whole file.
    pub fn file_sent(&self) -> bool {
        let mut senders = self.tracks.iter().filter(|track| track.sender).peekable();
        senders.peek().is_some() && senders.all(Track::is_complete)
    }

    pub fn all_finished(&self, sender: bool) -> bool {
        self.tracks
            .iter()
            .filter(|track| track.sender == sender)
            .all(Track::is_finished)
    }

    /// See [`Track::end_output`]; false: some sender's peer is not told.
    pub fn end_output(&mut self) -> bool {
        let mut told = true;
        for track in self.tracks.iter_mut().filter(|track| track.sender) {
            told &= track.end_output();
        }
        told
    }

    /// See [`Track::settle_delivery`].
    pub fn settle_delivery(&mut self) {
        self.tracks.iter_mut().for_each(Track::settle_delivery);
    }

    /// See [`Track::close_for_peer`].
    pub fn close_for_peer(&mut self) {
        self.tracks.iter_mut().for_each(Track::close_for_peer);
    }

    /// The threads have ended; their handles keep the sockets open until [`Meter::close`].
    pub fn close(&mut self) {
        self.tracks.iter_mut().for_each(Track::close);
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
