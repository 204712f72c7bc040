//! How the data of a test ends, the same at both ends, so that their counts agree.

use super::meter::Meter;
use super::rows::Stopped;
use super::streams::Controls;
use super::track::Track;
use crate::wire::results::Results;
use nettest_report::report::{End, HostFacts, ServerOutput};
use std::time::{Duration, Instant};

/// How long the peer may take to acknowledge what was sent, as long as it goes on doing so.
const DRAIN: Duration = Duration::from_secs(3);
/// A peer that acknowledges nothing for so long, and four round trips, has stopped reading: the kernel sends a lost
/// segment again after 200 ms and a round trip at first (TCP_RTO_MIN).
const STALLED: Duration = Duration::from_millis(250);
/// A peer that reads to the end of each stream goes on for up to a second (workload's drain). What it has out of order
/// is not acknowledged until the hole is filled, and then all at once: given up earlier, more would arrive than was sent.
const STALLED_READER: Duration = Duration::from_secs(1);
/// What is acknowledged still has to be read by the peer's program, and datagrams have no acknowledgement: the
/// peer's windows have to rest for so long. Where bytes or blocks end the test, every one of them counts.
const SETTLE: Duration = Duration::from_millis(25);
/// Where time ends the test: iperf3's receivers divide by the time until they are told of its end, so that each
/// millisecond of a one-second test costs a thousandth of their figure.
const SETTLE_TIMED: Duration = Duration::from_millis(4);
/// Peers that read slowly are not waited for longer than this.
const SETTLED_BY: Duration = Duration::from_millis(500);
/// Threads look at their orders at least every 50 ms, and a receiver drains for at most 1 s.
const THREADS: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(1);
/// Nothing rings when an acknowledgement comes. On a short path the last one is there within a look or two; the
/// runtime's timer would wake one or two milliseconds later, so the first looks sleep on this thread, whose other tests
/// can spare so little.
const ACKNOWLEDGED_SOON: Duration = Duration::from_micros(50);
const SOON: usize = 4;
const ACKNOWLEDGED: Duration = Duration::from_millis(1);

/// What the peer's receivers take for the end of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Each stream's own end: a half-close tells it when there is nothing left to read. Only peers of ours.
    ReadsToTheEnd,
    /// The message of the test's end: what is on the way then is not counted. Where bytes or blocks end the test it sees
    /// the streams' ends before, if this end may close first: iperf3 from 3.16 on does not count a part of a block that
    /// is followed by nothing.
    ReadsUntilTold { may_close: bool },
    /// It has ended the test, and reads no more: what is delivered from now on is no time of the data.
    HasStopped,
}

/// Senders end, and what they sent has arrived. What the peer does not take any more was not delivered, and is
/// not counted as sent.
pub async fn stop_senders(controls: &Controls, meter: &mut Meter, peer: Peer) {
    controls.send.stop();
    if !meter.tracks.iter().any(|track| track.sender) {
        return;
    }
    finished(controls, meter, true).await;
    let half_close = match peer {
        Peer::ReadsToTheEnd => true,
        Peer::ReadsUntilTold { may_close } => may_close && controls.has_budget(),
        Peer::HasStopped => false,
    };
    let told = half_close && meter.end_output() && peer == Peer::ReadsToTheEnd;
    let unacked = |meter: &Meter| meter.tracks.iter().map(Track::unacked_data).sum::<u64>();
    let round_trip = meter.tracks.iter().map(Track::round_trip).max();
    let patience = if told { STALLED_READER } else { STALLED };
    let stalled = patience + round_trip.unwrap_or_default() * 4;
    let by = Instant::now() + DRAIN;
    let (mut left, mut since) = (unacked(meter), Instant::now());
    let mut looks = 0..SOON;
    while left > 0 && Instant::now() < by && since.elapsed() < stalled {
        match looks.next() {
            Some(_) => std::thread::sleep(ACKNOWLEDGED_SOON),
            None => tokio::time::sleep(ACKNOWLEDGED).await,
        }
        let now = unacked(meter);
        if now != left {
            (left, since) = (now, Instant::now());
        }
    }
    if peer != Peer::HasStopped {
        let now = Instant::now();
        meter
            .tracks
            .iter_mut()
            .for_each(|track| track.note_delivery(now));
    }
    if left > 0 {
        meter.tracks.iter_mut().for_each(Track::write_off);
        return;
    }
    if told || peer == Peer::HasStopped {
        return;
    }
    let settle = if controls.has_budget() {
        SETTLE
    } else {
        SETTLE_TIMED
    };
    let windows = |meter: &Meter| {
        meter
            .tracks
            .iter()
            .map(|t| u64::from(t.peer_window()))
            .sum::<u64>()
    };
    let by = Instant::now() + SETTLED_BY;
    let (mut seen, mut since) = (windows(meter), Instant::now());
    while since.elapsed() < settle && Instant::now() < by {
        tokio::time::sleep(LOOK).await;
        let now = windows(meter);
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
}

/// All senders' (or receivers') threads have ended; they were told to before.
pub async fn finished(controls: &Controls, meter: &Meter, senders: bool) {
    let by = Instant::now() + THREADS;
    while !meter.all_finished(senders) && Instant::now() < by {
        // A thread that ends rings.
        let _ = tokio::time::timeout(LOOK, controls.progress.notified()).await;
    }
}

/// Everything ends at once: the test has failed or was cut short.
pub async fn halt(controls: &Controls, meter: &mut Meter) {
    controls.stop();
    finished(controls, meter, true).await;
    finished(controls, meter, false).await;
    meter.close();
}

/// This end's results for the other.
pub fn results(
    meter: &mut Meter,
    stopped: Stopped,
    host: HostFacts,
    server_output: Option<ServerOutput>,
) -> Results {
    let first = meter.tracks.first();
    let sends = meter.tracks.iter().any(|track| track.sender);
    let tcp_sender = meter.tracks.iter().find(|track| track.sender);
    let has_retransmits = tcp_sender.is_some_and(|track| track.has_tcp_info());
    let congestion_used = first.and_then(|track| track.granted().congestion);
    Results {
        cpu: stopped.cpu.unwrap_or_default(),
        sender_has_retransmits: sends.then_some(has_retransmits),
        congestion_used,
        server_output,
        streams: meter.results(stopped.at),
        host: Some(host),
    }
}

/// Both ends' figures, or this end's alone.
pub fn end(meter: &mut Meter, theirs: Option<&Results>, stopped: Stopped) -> End {
    let own = meter
        .tracks
        .first()
        .and_then(|track| track.granted().congestion);
    let other = theirs.and_then(|theirs| theirs.congestion_used.clone());
    let sends = meter.tracks.first().is_some_and(|track| track.sender);
    let (sender_congestion, receiver_congestion) = if sends { (own, other) } else { (other, own) };
    End {
        streams: meter.ends(theirs, stopped.at),
        local_cpu: stopped.cpu,
        remote_cpu: theirs.map(|theirs| theirs.cpu),
        sender_congestion,
        receiver_congestion,
    }
}
