//! SCTP (RFC 6458): one association a stream, used like a TCP connection (one-to-one style).

use super::{SockError, checked, int_option, set_option};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

/// include/uapi/linux/sctp.h; libc has no names for all of them.
const SCTP_INITMSG: libc::c_int = 2;
const SCTP_NODELAY: libc::c_int = 3;
const SCTP_MAXSEG: libc::c_int = 13;
const SCTP_STATUS: libc::c_int = 14;
const SCTP_SOCKOPT_BINDX_ADD: libc::c_int = 100;

/// `struct sctp_initmsg`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct InitMessage {
    out_streams: u16,
    max_in_streams: u16,
    max_attempts: u16,
    max_init_timeout: u16,
}

/// `struct sctp_assoc_value`; association 0 is the future one.
#[repr(C)]
#[derive(Clone, Copy)]
struct AssociationValue {
    association: i32,
    value: u32,
}

/// Where `struct sctp_status` has its numbers of unacknowledged and of unsent chunks: behind the association, its
/// state and the peer's window.
const UNACKED_AT: usize = 12;
const PENDING_AT: usize = 14;

/// DATA chunks that the peer has not acknowledged, sent or not. `None`: not known.
pub fn sctp_waiting(socket: &Socket) -> Option<u32> {
    // Longer than the structure: the kernel writes as much as it has.
    let mut raw = [0u8; 256];
    let mut length = raw.len() as libc::socklen_t;
    // SAFETY: the kernel reads the association id (0: the socket's only one) from `raw` and writes at most `length`
    // bytes into it; it lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_SCTP,
            SCTP_STATUS,
            raw.as_mut_ptr().cast(),
            &mut length,
        )
    };
    let half = |at: usize| Some(u16::from_ne_bytes(raw.get(at..at + 2)?.try_into().ok()?));
    let chunks = u32::from(half(UNACKED_AT)?) + u32::from(half(PENDING_AT)?);
    (result == 0 && length as usize > PENDING_AT).then_some(chunks)
}

/// A one-to-one socket. Errors: [`SockError::NoSctp`].
pub fn sctp_socket(domain: Domain) -> Result<Socket, SockError> {
    Socket::new(
        domain,
        Type::STREAM,
        Some(Protocol::from(libc::IPPROTO_SCTP)),
    )
    .map_err(|source| SockError::NoSctp { source })
}

pub(super) fn is_sctp(socket: &Socket) -> bool {
    int_option(socket, libc::SOL_SOCKET, libc::SO_PROTOCOL) == Some(libc::IPPROTO_SCTP)
}

pub(super) fn set_no_delay(socket: &Socket) -> io::Result<()> {
    let on: libc::c_int = 1;
    set_option(socket, libc::IPPROTO_SCTP, SCTP_NODELAY, &on)
}

pub(super) fn set_max_segment(socket: &Socket, bytes: u32) -> io::Result<()> {
    let value = AssociationValue {
        association: 0,
        value: bytes,
    };
    set_option(socket, libc::IPPROTO_SCTP, SCTP_MAXSEG, &value)
}

/// Outgoing streams that the next association asks for (`--nstreams`).
pub fn ask_sctp_streams(socket: &Socket, streams: u16) -> Result<(), SockError> {
    let message = InitMessage {
        out_streams: streams,
        ..InitMessage::default()
    };
    set_option(socket, libc::IPPROTO_SCTP, SCTP_INITMSG, &message)
        .map_err(|source| SockError::SctpStreams { streams, source })
}

/// Binds to all of `addresses` (`-X`), which get the port of the first: a chosen one when `port` is 0.
pub fn bind_sctp(socket: &Socket, addresses: &[IpAddr], port: u16) -> Result<(), SockError> {
    let failed = |source| SockError::SctpBind {
        addrs: addresses
            .iter()
            .map(IpAddr::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        source,
    };
    let Some((first, others)) = addresses.split_first() else {
        return Ok(());
    };
    socket
        .bind(&SockAddr::from(SocketAddr::new(*first, port)))
        .map_err(failed)?;
    if others.is_empty() {
        return Ok(());
    }
    let bound = socket.local_addr().map_err(failed)?;
    let port = bound.as_socket().map_or(port, |addr| addr.port());
    let packed: Vec<u8> = others
        .iter()
        .flat_map(|ip| bytes_of(&SockAddr::from(SocketAddr::new(*ip, port))))
        .collect();
    // SAFETY: the kernel reads packed.len() bytes of socket addresses, one behind the other, as sctp_bindx(3) sends
    // them; `packed` lives through the call.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_SCTP,
            SCTP_SOCKOPT_BINDX_ADD,
            packed.as_ptr().cast(),
            packed.len() as libc::socklen_t,
        )
    })
    .map(drop)
    .map_err(failed)
}

fn bytes_of(addr: &SockAddr) -> Vec<u8> {
    // SAFETY: as_ptr points to addr.len() initialised bytes that live as long as `addr`.
    unsafe { std::slice::from_raw_parts(addr.as_ptr().cast::<u8>(), addr.len() as usize) }.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_sctp_says_so_in_one_line() {
        match sctp_socket(Domain::IPV4) {
            Ok(socket) => {
                assert!(is_sctp(&socket));
                bind_sctp(&socket, &["127.0.0.1".parse().unwrap()], 0).unwrap();
                ask_sctp_streams(&socket, 10).unwrap();
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.starts_with("this kernel has no SCTP"), "{text}");
                assert!(!text.contains('\n'));
            }
        }
    }

    #[test]
    fn addresses_are_packed_as_the_kernel_reads_them() {
        let v4 = bytes_of(&SockAddr::from(SocketAddr::from(([10, 0, 0, 1], 5201))));
        assert_eq!(v4.len(), size_of::<libc::sockaddr_in>());
        assert_eq!(v4[2..8], [0x14, 0x51, 10, 0, 0, 1]);
    }
}
