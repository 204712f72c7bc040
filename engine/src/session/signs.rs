//! What the client looks at while a test runs: streams that broke, and signs that the server lives.

use super::SessionError;
use super::client::Test;
use super::meter::Meter;
use super::rows::Rows;
use super::streams::Controls;
use crate::wire::LIFE;
use nettest_report::params::{Direction, Protocol};
use std::time::{Duration, Instant};

impl Test<'_> {
    /// A stream that ends before its time.
    pub(super) fn check_streams(
        &self,
        rows: &mut Rows<'_>,
        controls: &Controls,
    ) -> Result<(), SessionError> {
        let early = rows
            .meter
            .tracks
            .iter_mut()
            .filter(|t| controls.ended_early(t));
        for track in early {
            let (id, sender) = (track.id, track.sender);
            track.close();
            match track.take_error() {
                Some(source) => return Err(SessionError::Stream { id, source }),
                None if sender => {
                    let source = std::io::ErrorKind::BrokenPipe.into();
                    return Err(SessionError::Stream { id, source });
                }
                // The server closed its end; its control connection says why.
                None => {}
            }
        }
        Ok(())
    }

    pub(super) fn check_life(&self, meter: &Meter, now: Instant) -> Result<(), SessionError> {
        if self.only_sends_datagrams() {
            return self.check_server();
        }
        let patience = self.patience();
        if now.duration_since(meter.still_since()) < patience {
            return Ok(());
        }
        Err(SessionError::NoData {
            peer: self.peer.clone(),
            seconds: patience.as_secs(),
        })
    }

    /// When the server last showed life, by the link's clock, for what is waited at the end of the test. How long it
    /// was still because the user wanted it so does not count.
    pub(super) fn last_life(&self, meter: &Meter) -> Duration {
        let now = self.link.now();
        if self.only_sends_datagrams() {
            return self.link.machine.heard_alive().unwrap_or(now);
        }
        let still = meter.still_since().elapsed();
        now.saturating_sub(still.saturating_sub(self.patience().saturating_sub(LIFE)))
    }

    /// The design's 15 s without life, unless the user set `--rcv-timeout`, which then holds for receivers.
    fn patience(&self) -> Duration {
        let params = &self.cfg.params;
        let own = self.cfg.patience.receive != super::config::DEFAULT_RCV_TIMEOUT;
        if own && params.direction == Direction::Reverse {
            self.cfg.patience.receive
        } else {
            LIFE + crate::wire::server::longest_gap(params)
        }
    }

    fn only_sends_datagrams(&self) -> bool {
        let params = &self.cfg.params;
        params.protocol == Protocol::Udp && params.direction == Direction::Forward
    }

    /// Datagrams that are sent show nothing of who gets them. A server of ours asks every 3 s whether this end lives,
    /// and so shows that it does; of any other only its kernel is seen, by the keepalive.
    fn check_server(&self) -> Result<(), SessionError> {
        let heard = self.link.machine.heard_alive();
        if heard.is_none_or(|at| self.link.now().saturating_sub(at) < LIFE) {
            return Ok(());
        }
        Err(SessionError::NoSign {
            peer: self.peer.clone(),
            seconds: LIFE.as_secs(),
        })
    }
}
