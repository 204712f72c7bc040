//! What a report says before any data: who, where, when.

use super::meter::Meter;
use super::streams::Opened;
use super::{Observer, granted};
use crate::host;
use crate::wire::cookie::Cookie;
use nettest_report::params::{Protocol, TestParams};
use nettest_report::report::{Report, Role, SocketFacts};
use socket2::SockRef;
use std::hash::{BuildHasher, Hasher, RandomState};
use tokio::net::TcpStream;

/// A report of nothing yet.
pub fn blank(role: Role, params: &TestParams, peer_host: String, peer_port: u16) -> Report {
    let mut report = Report::blank(role, host::system_info());
    report.params = params.clone();
    report.start.time_unix_micros = jiff::Timestamp::now().as_microsecond();
    report.start.peer_host = peer_host;
    report.start.peer_port = peer_port;
    report.host = host::facts(None);
    report
}

/// The control connection is there.
pub fn note_control(report: &mut Report, cookie: &Cookie, control: &TcpStream) {
    report.start.cookie = cookie.to_string();
    report.start.control_mss = SockRef::from(control).tcp_mss().ok().filter(|mss| *mss > 0);
    report.start.tcp_mss = match report.params.protocol {
        Protocol::Tcp => report.start.control_mss,
        Protocol::Udp | Protocol::Sctp => None,
    };
    report.host = host::facts(Some(&SockRef::from(control)));
}

/// The streams are there.
pub fn note_streams(report: &mut Report, opened: &mut Opened, block_size: u32) {
    report.start.connected = std::mem::take(&mut opened.connected);
    report.start.block_size = block_size;
    report.start.sndbuf_actual = opened.granted.sndbuf;
    report.start.rcvbuf_actual = opened.granted.rcvbuf;
    report.host.sockets = std::mem::take(&mut opened.granted);
}

/// The kernel clamps a buffer without a word.
pub fn tell_smaller_window(report: &Report, observer: &mut dyn Observer) {
    let Some(asked) = report.params.window else {
        return;
    };
    let SocketFacts { sndbuf, rcvbuf, .. } = report.host.sockets;
    // The kernel tells twice of what it has set.
    let granted = sndbuf
        .into_iter()
        .chain(rcvbuf)
        .min()
        .map(|twice| twice / 2);
    if let Some(granted) = granted.filter(|granted| *granted < asked) {
        observer.notice(&format!(
            "-w: the kernel grants {granted} of the {asked} bytes asked for; its limits are net.core.wmem_max and net.core.rmem_max",
        ));
    }
}

/// Other servers read whole seconds, and cut off what is behind the point.
pub fn tell_whole_seconds(report: &Report, observer: &mut dyn Observer) {
    if report.params.omit.subsec_nanos() > 0 {
        observer.notice(
            "-O: this server reads whole seconds, so that it counted a part of what was to be omitted; give whole seconds",
        );
    }
}

/// `--fast` wished for what this end's kernel, or another flag, does not allow.
pub fn tell_declined(declined: &[String], observer: &mut dyn Observer) {
    for why in declined {
        observer.notice(&format!("--fast: {why}"));
    }
}

/// `--gsro` asks for what the kernel grants, and the way may still not carry it for this size of datagram.
pub fn tell_unsegmented(report: &Report, observer: &mut dyn Observer) {
    let TestParams {
        gsro,
        fast,
        protocol,
        ..
    } = report.params;
    // `--fast` asks the peer only for what fits.
    let wished = gsro || (fast && protocol == Protocol::Udp);
    if wished && report.host.sockets.gso == Some(false) {
        let size = report.start.block_size;
        let flag = if fast { "--fast" } else { "--gsro" };
        observer.notice(&format!(
            "{flag}: datagrams of {size} bytes leave without segmentation (UDP_SEGMENT): they are larger than the path's MTU, no two of them fit into one send, or the path refused",
        ));
    }
}

/// The data has ended: a path may have refused later what it seemed to carry at first.
pub fn recheck_segments(report: &mut Report, meter: &Meter, observer: &mut dyn Observer) {
    let senders = meter.tracks.iter().filter(|track| track.sender);
    let now = granted::of_all(senders.map(|track| track.granted().gso));
    if now == Some(false) && report.host.sockets.gso == Some(true) {
        report.host.sockets.gso = Some(false);
        tell_unsegmented(report, observer);
    }
}

/// Random bytes from the standard library's hash keys, which the system seeds: nothing is opened or read.
pub fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    for chunk in bytes.chunks_mut(8) {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        let word = hasher.finish().to_ne_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cookies_are_the_same() {
        let made: std::collections::HashSet<[u8; 36]> = (0..1000).map(|_| entropy()).collect();
        assert_eq!(made.len(), 1000);
    }
}
