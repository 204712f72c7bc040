//! Multipath TCP: whether a connection has it, or has fallen back to TCP.

use super::int_option;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::os::fd::AsRawFd;

/// A stream socket that offers MPTCP (Linux 5.6), or a TCP one where the kernel has none or has it turned off
/// (`net.mptcp.enabled`): as a peer without it makes the connection a TCP one, too.
pub fn stream_socket(domain: Domain) -> io::Result<Socket> {
    Socket::new(domain, Type::STREAM, Some(Protocol::MPTCP))
        .or_else(|_| Socket::new(domain, Type::STREAM, None))
}

/// include/uapi/linux/mptcp.h; libc has no names for them.
const SOL_MPTCP: libc::c_int = 284;
const MPTCP_INFO: libc::c_int = 1;
const MPTCP_INFO_FLAG_FALLBACK: u32 = 1;
/// Before the flags of `struct mptcp_info`: six bytes and two of padding.
const FLAGS_AT: usize = 8;

/// `None`: no TCP at all. On a connected socket the answer is final: a fallback is settled by the handshake, or by the
/// first data.
pub(super) fn in_force(socket: &Socket) -> Option<bool> {
    let protocol = int_option(socket, libc::SOL_SOCKET, libc::SO_PROTOCOL)?;
    match protocol {
        libc::IPPROTO_TCP => Some(false),
        libc::IPPROTO_MPTCP => Some(!fallen_back(socket)),
        _ => None,
    }
}

fn fallen_back(socket: &Socket) -> bool {
    let mut raw = [0u8; 128];
    let mut length = raw.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `raw`, which lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            SOL_MPTCP,
            MPTCP_INFO,
            raw.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if result != 0 {
        // EOPNOTSUPP since Linux 5.16: the socket has fallen back. Older kernels have no such option, and
        // SO_PROTOCOL is all there is to know.
        return io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP);
    }
    let flags = raw
        .get(FLAGS_AT..FLAGS_AT + 4)
        .and_then(|word| word.try_into().ok())
        .map_or(0, u32::from_ne_bytes);
    flags & MPTCP_INFO_FLAG_FALLBACK != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use socket2::SockAddr;
    use std::net::{Ipv4Addr, SocketAddr};

    /// Both ends of a loopback connection whose ends offer MPTCP or not.
    fn ends(listens: bool, connects: bool) -> (Option<bool>, Option<bool>) {
        let make = |offers: bool| {
            if offers {
                stream_socket(Domain::IPV4).unwrap()
            } else {
                Socket::new(Domain::IPV4, Type::STREAM, None).unwrap()
            }
        };
        let listener = make(listens);
        listener
            .bind(&SockAddr::from(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
            .unwrap();
        listener.listen(1).unwrap();
        let client = make(connects);
        client.connect(&listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        (in_force(&client), in_force(&server))
    }

    #[test]
    fn both_ends_must_have_it_and_each_knows_what_it_is() {
        let no = (Some(false), Some(false));
        assert_eq!(ends(false, false), no);
        assert_eq!(ends(true, false), no, "a plain client of our listener");
        assert_eq!(ends(false, true), no, "the peer fell back");
        let kernel_has_it = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::MPTCP)).is_ok();
        let both = if kernel_has_it {
            (Some(true), Some(true))
        } else {
            no
        };
        assert_eq!(ends(true, true), both);
    }

    #[test]
    fn udp_is_neither() {
        let udp = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        assert_eq!(in_force(&udp), None);
    }
}
