//! What the server looks at while a test runs: signs of life, the rate, and streams that broke.

use super::SessionError;
use super::config::DEFAULT_RCV_TIMEOUT;
use super::limits::Average;
use super::rows::Rows;
use super::serve::Session;
use super::streams::Controls;
use super::track::Track;
use crate::wire::code;
use nettest_report::params::{Direction, Protocol};
use std::time::{Duration, Instant};

impl Session<'_> {
    /// Datagrams that this end sends say nothing of who gets them. A client of ours is asked for a sign of life; any
    /// other is taken to live for as long as there is something to send it: of a dead one the kernel tells (a port that
    /// is unreachable, keepalives without an answer), a frozen one goes unseen until the test's time or bytes are over.
    pub(super) fn is_blind(&self) -> bool {
        let params = &self.accepted.params;
        params.protocol == Protocol::Udp
            && params.direction == Direction::Reverse
            && !self.link.machine.extras().answers_alive
    }

    /// `--rcv-timeout`, where this end only receives, as in iperf3. Unless it is set, 15 s without any sign are the limit.
    pub(super) fn own_patience(&self) -> Option<Duration> {
        let patience = self.accepted.settings.patience.receive;
        let receives = self.accepted.params.direction == Direction::Forward;
        (receives && patience != DEFAULT_RCV_TIMEOUT).then_some(patience)
    }

    pub(super) fn check_receivers(
        &mut self,
        rows: &Rows<'_>,
        now: Instant,
    ) -> Result<(), SessionError> {
        let silence = now.saturating_duration_since(rows.meter.still_since());
        match self.own_patience() {
            Some(patience) if silence >= patience => {
                self.link.machine.refuse(code::NO_DATA, 0);
                Err(SessionError::NoData {
                    peer: self.peer.clone(),
                    seconds: patience.as_secs(),
                })
            }
            _ => Ok(()),
        }
    }

    /// `--server-bitrate-limit`, both directions together.
    pub(super) fn check_rate(
        &mut self,
        rows: &Rows<'_>,
        average: &mut Option<Average>,
        now: Instant,
    ) -> Result<(), SessionError> {
        let Some(average) = average else {
            return Ok(());
        };
        let bytes = rows.meter.tracks.iter().map(Track::bytes_so_far).sum();
        average.look(now, bytes).map_err(|excess| {
            self.link.machine.refuse(excess.code(), 0);
            excess.explain(self.peer.clone())
        })
    }

    /// A stream that ended before its time, by an error.
    pub(super) fn broken_stream(
        &self,
        rows: &mut Rows<'_>,
        controls: &Controls,
        sending: bool,
    ) -> Option<SessionError> {
        let tracks = rows.meter.tracks.iter_mut();
        let mut early = tracks.filter(|t| (sending || !t.sender) && controls.ended_early(t));
        early.find_map(|track| {
            track.close();
            let id = track.id;
            track
                .take_error()
                .map(|source| SessionError::Stream { id, source })
        })
    }
}
