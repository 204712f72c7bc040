//! Socket options: what the test asks for and what the kernel granted.

use super::datagrams::{merges, segments};
use super::{mptcp, sctp, set_option};
use socket2::{Domain, Socket, Type};
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Options of one data socket (or of the listener that will give birth to it: window, MSS and congestion control
/// are inherited and must be there before the handshake).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Asked send and receive buffer, bytes (`-w`).
    pub window: Option<u32>,
    /// Asked TCP maximum segment size (`-M`).
    pub mss: Option<u32>,
    pub no_delay: bool,
    /// Asked TCP congestion control (`-C`).
    pub congestion: Option<String>,
    /// IPv4 TOS or IPv6 traffic class byte; 0 leaves the default.
    pub tos: u8,
    /// Asked pacing by the kernel, bits per second (`--fq-rate`). Of sending sockets only.
    pub fq_rate: Option<u64>,
    /// Datagrams that do not fit are refused and not cut (`--dont-fragment`). UDP only.
    pub dont_fragment: bool,
    /// How long sent data may stay unacknowledged (`--snd-timeout`). TCP only.
    pub send_timeout: Option<Duration>,
    /// Of this test: they share what UDP receivers may have in the kernel. 0: not told.
    pub streams: u32,
}

/// What the kernel says now. `None`: not known, or not a thing of this socket's kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted {
    /// Bytes, as getsockopt reports them: Linux doubles the request for its own bookkeeping.
    pub sndbuf: Option<u32>,
    pub rcvbuf: Option<u32>,
    pub mss: Option<u32>,
    pub congestion: Option<String>,
    /// Whether the connection really is an MPTCP one; TCP only.
    pub mptcp: Option<bool>,
    /// Whether the kernel cuts what is sent, and merges what is received; UDP only.
    pub gso: Option<bool>,
    pub gro: Option<bool>,
    /// Bits per second; `None`: not paced by the kernel.
    pub fq_rate: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum SockError {
    #[error("cannot set the socket buffer to {bytes} bytes: {source}; ask for less with -w")]
    Window { bytes: u32, source: io::Error },
    #[error(
        "cannot set the TCP maximum segment size to {mss}: {source}; Linux accepts 88 to 32767"
    )]
    Mss { mss: u32, source: io::Error },
    #[error("cannot turn off Nagle's algorithm (TCP_NODELAY): {source}; leave out -N")]
    NoDelay { source: io::Error },
    #[error(
        "cannot use TCP congestion control {name:?}: {source}; the kernel lists its own in net.ipv4.tcp_available_congestion_control"
    )]
    Congestion { name: String, source: io::Error },
    #[error(
        "cannot mark packets with TOS {tos:#04x}: {source}; ask for another mark with -S or --dscp, or leave it out"
    )]
    Tos { tos: u8, source: io::Error },
    #[error(
        "cannot pace at {rate} bit/s in the kernel (SO_MAX_PACING_RATE): {source}; leave out --fq-rate, or pace with -b"
    )]
    FqRate { rate: u64, source: io::Error },
    #[error("cannot forbid the fragmentation of datagrams: {source}; leave out --dont-fragment")]
    DontFragment { source: io::Error },
    #[error(
        "cannot give up unacknowledged data after {millis} ms (TCP_USER_TIMEOUT): {source}; leave out --snd-timeout"
    )]
    SendTimeout { millis: u128, source: io::Error },
    #[error(
        "cannot use the IPv6 flow label {label}: {source}; another process may hold it for itself"
    )]
    FlowLabel { label: u32, source: io::Error },
    #[error(
        "the flow label {label} needs IPv6, and {peer} has no IPv6 address; give one that has, or leave out -L"
    )]
    FlowLabelV4 { label: u32, peer: String },
    #[error("this kernel has no SCTP: {source}; load its sctp module, or test with TCP or UDP")]
    NoSctp { source: io::Error },
    #[error(
        "cannot bind the SCTP association to {addrs}: {source}; check that all are addresses of this machine"
    )]
    SctpBind { addrs: String, source: io::Error },
    #[error(
        "cannot ask for {streams} streams of an SCTP association: {source}; ask for less with --nstreams"
    )]
    SctpStreams { streams: u16, source: io::Error },
}

/// A UDP receive buffer when no window was asked. The default (208 KiB) overflows when a receiver is not scheduled
/// for 2 ms at 1 Gbit/s, and that would be shown as loss of the network; this one holds 2 ms of 60 Gbit/s.
const UDP_RECEIVE_BUFFER: u32 = 16 << 20;
/// Of all streams of a test, as far as each has the least: what is queued is the kernel's memory.
const UDP_RECEIVE_BUFFERS: u32 = 64 << 20;
const LEAST_UDP_RECEIVE_BUFFER: u32 = 4 << 20;

/// Only a wish: the test runs with whatever is granted, and shows it. `rmem_max` clamps what is asked without
/// CAP_NET_ADMIN.
fn ask_udp_receive_buffer(socket: &Socket, streams: u32) {
    let bytes =
        (UDP_RECEIVE_BUFFERS / streams.max(1)).clamp(LEAST_UDP_RECEIVE_BUFFER, UDP_RECEIVE_BUFFER);
    if set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &bytes).is_err() {
        let _ = socket.set_recv_buffer_size(bytes as usize);
    }
}

/// Sets the options; call it before connect or listen. A buffer that the kernel clamps is no error: compare
/// [`Granted`] with what was asked.
pub fn apply_options(socket: &Socket, options: &SocketOptions) -> Result<Granted, SockError> {
    let SocketOptions {
        window,
        mss,
        no_delay,
        congestion,
        tos,
        fq_rate,
        dont_fragment,
        send_timeout,
        streams,
    } = options;
    let udp = socket.r#type().is_ok_and(|kind| kind == Type::DGRAM);
    let sctp = sctp::is_sctp(socket);
    if let Some(bytes) = *window {
        let failed = |source| SockError::Window { bytes, source };
        socket
            .set_send_buffer_size(bytes as usize)
            .map_err(failed)?;
        socket
            .set_recv_buffer_size(bytes as usize)
            .map_err(failed)?;
    } else if udp {
        ask_udp_receive_buffer(socket, *streams);
    }
    if !udp {
        if let Some(mss) = *mss {
            let done = if sctp {
                sctp::set_max_segment(socket, mss)
            } else {
                socket.set_tcp_mss(mss)
            };
            done.map_err(|source| SockError::Mss { mss, source })?;
        }
        if *no_delay {
            let done = if sctp {
                sctp::set_no_delay(socket)
            } else {
                socket.set_tcp_nodelay(true)
            };
            done.map_err(|source| SockError::NoDelay { source })?;
        }
    }
    if !udp && !sctp {
        if let Some(name) = congestion {
            socket
                .set_tcp_congestion(name.as_bytes())
                .map_err(|source| SockError::Congestion {
                    name: name.clone(),
                    source,
                })?;
        }
        if let Some(timeout) = *send_timeout {
            let millis = timeout.as_millis();
            socket
                .set_tcp_user_timeout(Some(timeout))
                .map_err(|source| SockError::SendTimeout { millis, source })?;
        }
    }
    if udp && *dont_fragment {
        forbid_fragments(socket).map_err(|source| SockError::DontFragment { source })?;
    }
    if let Some(rate) = *fq_rate {
        pace(socket, rate).map_err(|source| SockError::FqRate { rate, source })?;
    }
    if *tos != 0 {
        mark(socket, *tos).map_err(|source| SockError::Tos { tos: *tos, source })?;
    }
    Ok(granted(socket))
}

/// A dual-stack socket may carry IPv4, so it gets both marks (esnet/iperf#638); there the IPv4 one is best effort,
/// an IPv6-only socket may refuse it.
fn mark(socket: &Socket, tos: u8) -> io::Result<()> {
    if socket.domain()? == Domain::IPV6 {
        socket.set_tclass_v6(u32::from(tos))?;
        let _ = socket.set_tos_v4(u32::from(tos));
        return Ok(());
    }
    socket.set_tos_v4(u32::from(tos))
}

/// The kernel takes bytes per second in 64 bits (Linux 4.20; before, the lower half of them).
fn pace(socket: &Socket, bits_per_second: u64) -> io::Result<()> {
    let bytes = (bits_per_second / 8).max(1);
    set_option(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &bytes)
}

fn paced(socket: &Socket) -> Option<u64> {
    let mut bytes: u64 = 0;
    let mut length = size_of_val(&bytes) as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `bytes`, which lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MAX_PACING_RATE,
            std::ptr::from_mut(&mut bytes).cast(),
            &mut length,
        )
    };
    // All ones: not paced. An older kernel writes 32 bits.
    let known = result == 0 && length as usize == size_of_val(&bytes);
    (known && bytes != u64::MAX).then(|| bytes.saturating_mul(8))
}

/// The path MTU is kept to, and a datagram above it is an error of the send (EMSGSIZE).
fn forbid_fragments(socket: &Socket) -> io::Result<()> {
    if socket.domain()? == Domain::IPV6 {
        let probe: libc::c_int = libc::IPV6_PMTUDISC_DO;
        set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, &probe)?;
        let on: libc::c_int = 1;
        return set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG, &on);
    }
    let probe: libc::c_int = libc::IP_PMTUDISC_DO;
    set_option(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, &probe)
}

/// What is in force now; read it again once connected (the MSS is settled by the handshake).
pub fn granted(socket: &Socket) -> Granted {
    let size = |read: io::Result<usize>| read.ok().and_then(|bytes| u32::try_from(bytes).ok());
    Granted {
        sndbuf: size(socket.send_buffer_size()),
        rcvbuf: size(socket.recv_buffer_size()),
        mss: socket.tcp_mss().ok().filter(|mss| *mss > 0),
        congestion: socket.tcp_congestion().ok().and_then(|name| {
            let text: Vec<u8> = name.into_iter().take_while(|byte| *byte != 0).collect();
            String::from_utf8(text).ok().filter(|text| !text.is_empty())
        }),
        mptcp: mptcp::in_force(socket),
        gso: segments(socket),
        gro: merges(socket),
        fq_rate: paced(socket),
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
