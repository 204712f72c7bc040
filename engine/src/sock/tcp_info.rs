//! The kernel's figures of one TCP connection (`TCP_INFO`, include/uapi/linux/tcp.h).
//!
//! The structure has grown with the kernels, and libc's copy ends early: fields are read by their fixed offset from
//! the bytes that this kernel gave, and what lies beyond them is `None`.

use socket2::Socket;
use std::os::fd::AsRawFd;

/// One sample. Times in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// Segments retransmitted since the connection began.
    pub total_retrans: u32,
    /// Segments.
    pub snd_cwnd: u32,
    /// Bytes.
    pub snd_mss: u32,
    /// Bytes that the peer's window allows (Linux 6.2).
    pub snd_wnd: Option<u32>,
    pub rtt_us: u32,
    pub rttvar_us: u32,
    /// Bytes.
    pub pmtu: u32,
    /// The reordering metric (segments).
    pub reordering: u32,
    /// Reordering events seen (Linux 4.19).
    pub reord_seen: Option<u32>,
    /// Milliseconds since the peer's last acknowledgement.
    pub last_ack_ms: u32,
    /// The shortest round trip seen (Linux 4.6).
    pub min_rtt_us: Option<u32>,
    /// Since the connection began: sending, held up by the peer's window, held up by the send buffer (Linux 4.9).
    pub busy_us: Option<u64>,
    pub rwnd_limited_us: Option<u64>,
    pub sndbuf_limited_us: Option<u64>,
}

/// `None` when the socket is no TCP connection, or in a sandbox that does not answer.
pub fn tcp_info(socket: &Socket) -> Option<TcpInfo> {
    let mut raw = [0u8; 512];
    let mut length = raw.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `raw`, which lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            raw.as_mut_ptr().cast(),
            &mut length,
        )
    };
    (result == 0).then(|| parse(raw.get(..length as usize).unwrap_or(&raw)))?
}

/// Offsets: 8 bytes of states and flags, then u32 and (from 104, aligned) u64 fields.
fn parse(raw: &[u8]) -> Option<TcpInfo> {
    let word = |at: usize| Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_ne_bytes(raw.get(at..at + 8)?.try_into().ok()?));
    Some(TcpInfo {
        snd_mss: word(16)?,
        last_ack_ms: word(56)?,
        pmtu: word(60)?,
        rtt_us: word(68)?,
        rttvar_us: word(72)?,
        snd_cwnd: word(80)?,
        reordering: word(88)?,
        total_retrans: word(100)?,
        min_rtt_us: word(148),
        busy_us: long(168),
        rwnd_limited_us: long(176),
        sndbuf_limited_us: long(184),
        reord_seen: word(220),
        snd_wnd: word(228),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use socket2::{Domain, Type};
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_loopback_connection_has_plausible_figures() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _peer = listener.accept().unwrap();
        stream.write_all(&[0; 1000]).unwrap();
        let info = tcp_info(&Socket::from(stream)).unwrap();
        assert!((536..=65535).contains(&info.snd_mss), "{info:?}");
        assert!(info.snd_cwnd >= 2 && info.snd_cwnd < 10_000, "{info:?}");
        assert!((1..1_000_000).contains(&info.rtt_us), "{info:?}");
        assert_eq!(info.total_retrans, 0);
        assert!(info.last_ack_ms < 60_000, "{info:?}");
        assert!(
            info.min_rtt_us
                .is_some_and(|us| us <= info.rtt_us.max(1000)),
            "{info:?}"
        );
        assert_eq!(
            info.pmtu, 65535,
            "the loopback interface's MTU is 65536, capped by IPv4"
        );
        assert!(info.snd_wnd.is_none_or(|bytes| bytes > 1000), "{info:?}");
    }

    #[test]
    fn udp_has_none() {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        assert_eq!(tcp_info(&socket), None);
    }

    #[test]
    fn an_old_kernel_gives_fewer_fields() {
        let info = parse(&[1; 104]).unwrap();
        assert_eq!(info.total_retrans, 0x0101_0101);
        assert_eq!(
            (info.snd_wnd, info.reord_seen, info.busy_us),
            (None, None, None)
        );
        assert_eq!(parse(&[0; 90]), None);
    }
}
