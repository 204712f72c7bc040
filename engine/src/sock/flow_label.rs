//! IPv6 flow labels (RFC 6437): a label is leased from the kernel, and a connected socket then carries it.
//!
//! Only a socket that connects can have one. An accepted TCP connection could reflect its peer's label, but the kernel
//! refuses that while `net.ipv6.flowlabel_consistency` is on, and it is by default: a TCP server's data goes unlabelled,
//! as iperf3's does.

use super::{SockError, set_option};
use socket2::{SockAddr, Socket};
use std::net::{SocketAddr, SocketAddrV6};

/// include/uapi/linux/in6.h; libc has no names for them.
const IPV6_FL_A_GET: u8 = 0;
const IPV6_FL_F_CREATE: u16 = 1;
const IPV6_FL_S_ANY: u8 = 255;

/// `struct in6_flowlabel_req`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Request {
    destination: [u8; 16],
    /// Big-endian.
    label: u32,
    action: u8,
    share: u8,
    flags: u16,
    expires_seconds: u16,
    linger_seconds: u16,
    padding: u32,
}

/// Leases `label` (1..=0xfffff) for what goes to `peer`, and gives the address to connect to: the kernel takes the
/// label of a connection from there. Errors: IPv4, or a label that another process holds.
pub fn labelled(socket: &Socket, peer: SocketAddr, label: u32) -> Result<SockAddr, SockError> {
    let SocketAddr::V6(v6) = peer else {
        return Err(SockError::FlowLabelV4 {
            label,
            peer: peer.ip().to_string(),
        });
    };
    let flow = (label & 0xf_ffff).to_be();
    let request = Request {
        destination: v6.ip().octets(),
        label: flow,
        action: IPV6_FL_A_GET,
        share: IPV6_FL_S_ANY,
        flags: IPV6_FL_F_CREATE,
        expires_seconds: 0,
        linger_seconds: 0,
        padding: 0,
    };
    let on: libc::c_int = 1;
    set_option(
        socket,
        libc::IPPROTO_IPV6,
        libc::IPV6_FLOWLABEL_MGR,
        &request,
    )
    .and_then(|()| set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_FLOWINFO_SEND, &on))
    .map_err(|source| SockError::FlowLabel { label, source })?;
    // The field is in network order in memory, and socket2 copies the number as it is.
    Ok(SockAddr::from(SocketAddr::V6(SocketAddrV6::new(
        *v6.ip(),
        v6.port(),
        flow,
        v6.scope_id(),
    ))))
}

#[cfg(test)]
mod tests {
    use super::super::checked;
    use super::*;
    use socket2::{Domain, Type};
    use std::os::fd::AsRawFd;

    /// The label that the kernel puts into this socket's packets.
    fn carried(socket: &Socket) -> u32 {
        // SAFETY: the structure is plain numbers; zero is valid.
        let mut request: Request = unsafe { std::mem::zeroed() };
        let mut length = size_of_val(&request) as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `request`, which lives through the call.
        checked(unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_IPV6,
                libc::IPV6_FLOWLABEL_MGR,
                std::ptr::from_mut(&mut request).cast(),
                &mut length,
            )
        })
        .unwrap();
        u32::from_be(request.label)
    }

    #[test]
    fn a_connected_socket_carries_it() {
        let listener = std::net::TcpListener::bind("[::1]:0").unwrap();
        let udp = std::net::UdpSocket::bind("[::1]:0").unwrap();
        for (kind, to) in [
            (Type::STREAM, listener.local_addr().unwrap()),
            (Type::DGRAM, udp.local_addr().unwrap()),
        ] {
            let socket = Socket::new(Domain::IPV6, kind, None).unwrap();
            let to = labelled(&socket, to, 0x1_2345).unwrap();
            socket.connect(&to).unwrap();
            assert_eq!(carried(&socket), 0x1_2345);
        }
    }

    #[test]
    fn a_label_is_leased_and_goes_into_the_address() {
        let socket = Socket::new(Domain::IPV6, Type::DGRAM, None).unwrap();
        let peer: SocketAddr = "[::1]:9".parse().unwrap();
        let addr = labelled(&socket, peer, 0x1_2345).unwrap();
        let raw = addr.as_socket_ipv6().unwrap();
        assert_eq!(raw.flowinfo().to_ne_bytes(), [0, 1, 0x23, 0x45]);
        socket.connect(&addr).unwrap();
    }

    #[test]
    fn ipv4_is_told_what_to_do() {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        let peer: SocketAddr = "127.0.0.1:9".parse().unwrap();
        let error = labelled(&socket, peer, 7).unwrap_err().to_string();
        assert!(
            error.contains("IPv6") && error.contains("127.0.0.1"),
            "{error}"
        );
    }
}
