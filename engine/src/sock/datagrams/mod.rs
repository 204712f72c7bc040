//! UDP in batches: many datagrams a system call.
//!
//! Sending prefers UDP_SEGMENT (Linux 4.18): one walk through the stack for up to 128 datagrams (64 before Linux 6.9), cut at the very end,
//! so the wire carries the same. Datagrams above the path's MTU cannot be cut so (each would need fragments): they are
//! sent by sendmmsg. Where the path turns out only later to be so, or to have no checksum offload, it refuses with
//! EINVAL, EMSGSIZE or EIO: the batch falls back to sendmmsg for good. Receiving takes UDP_GRO (Linux 5.0) where it is there, and
//! cuts what the kernel merged.
mod receive;
mod send;
#[cfg(test)]
mod tests;

pub use receive::{Datagram, ReceiveBatch};
pub use send::SendBatch;

use super::{int_option, set_option};
use socket2::Socket;
use std::io;
use std::net::IpAddr;

/// Largest UDP payload over IPv4, and so the largest segmented send and merged message.
pub(super) const MAX_PAYLOAD: usize = 65507;

/// What the kernel said to an offload.
#[derive(Debug)]
pub enum Offer {
    InForce,
    /// Two datagrams of this size do not fit into one message, or one not into the path's MTU: there is nothing to
    /// merge or to cut.
    TooLarge,
    Refused(io::Error),
}

/// Lets the kernel cut one send into datagrams of `block` bytes (UDP_SEGMENT).
pub fn offer_segments(socket: &Socket, block: usize) -> Offer {
    match libc::c_int::try_from(block) {
        Ok(size) if block > 0 && fits_segments(socket, block) => {
            match set_udp_option(socket, libc::UDP_SEGMENT, size) {
                Ok(()) => Offer::InForce,
                Err(error) => Offer::Refused(error),
            }
        }
        Ok(_) | Err(_) => Offer::TooLarge,
    }
}

/// Whether two datagrams of `block` bytes fit into one send, and one into the MTU of the path to a connected socket's
/// peer.
pub fn fits_segments(socket: &Socket, block: usize) -> bool {
    block * 2 <= MAX_PAYLOAD && largest_whole(socket).is_none_or(|largest| block <= largest)
}

/// The largest payload that leaves in one packet, as far as the kernel knows the way to a connected socket's peer.
fn largest_whole(socket: &Socket) -> Option<usize> {
    const UDP_HEADER: usize = 8;
    let peer = socket.peer_addr().ok()?.as_socket()?;
    // An IPv6 socket with an IPv4 peer answers both questions, and sends by IPv4.
    let (level, option, header) = match peer.ip().to_canonical() {
        IpAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_MTU, 20),
        IpAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_MTU, 40),
    };
    let mtu = int_option(socket, level, option)?;
    usize::try_from(mtu).ok()?.checked_sub(header + UDP_HEADER)
}

/// Lets the kernel hand over merged datagrams of `block` bytes (UDP_GRO). To be asked before data flows: what is
/// queued until then stays single, and a loaded machine may not run the receiving thread for a while.
pub fn offer_merged(socket: &Socket, block: usize) -> Offer {
    if block * 2 > MAX_PAYLOAD {
        return Offer::TooLarge;
    }
    match set_udp_option(socket, libc::UDP_GRO, 1) {
        Ok(()) => Offer::InForce,
        Err(error) => Offer::Refused(error),
    }
}

/// Whether UDP_SEGMENT is in force; `None`: no UDP socket, or the kernel does not tell.
pub(super) fn segments(socket: &Socket) -> Option<bool> {
    int_option(socket, libc::SOL_UDP, libc::UDP_SEGMENT).map(|size| size > 0)
}

/// Whether UDP_GRO is in force.
pub(super) fn merges(socket: &Socket) -> Option<bool> {
    int_option(socket, libc::SOL_UDP, libc::UDP_GRO).map(|on| on > 0)
}

fn empty_messages(count: usize) -> Box<[libc::mmsghdr]> {
    // SAFETY: mmsghdr is plain numbers and pointers; zero (null, length 0) is valid.
    (0..count).map(|_| unsafe { std::mem::zeroed() }).collect()
}

fn set_udp_option(socket: &Socket, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    set_option(socket, libc::SOL_UDP, option, &value)
}
