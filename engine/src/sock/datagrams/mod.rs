//! UDP in batches: many datagrams a system call.
//!
//! Sending prefers UDP_SEGMENT (Linux 4.18): one walk through the stack for up to 64 datagrams, cut at the very end,
//! so the wire carries the same. A path that cannot (datagram above the MTU, no checksum offload) refuses with EINVAL
//! or EIO: the batch falls back to sendmmsg for good. Receiving takes UDP_GRO (Linux 5.0) where it is there, and
//! cuts what the kernel merged.
mod receive;
mod send;
#[cfg(test)]
mod tests;

pub use receive::ReceiveBatch;
pub use send::SendBatch;

use super::checked;
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// Lets the kernel hand over merged datagrams (UDP_GRO); false: it cannot. To be asked before data flows: what is
/// queued until then stays single, and a loaded machine may not run the receiving thread for a while.
pub fn accept_merged(socket: &Socket) -> bool {
    set_udp_option(socket, libc::UDP_GRO, 1).is_ok()
}

fn empty_messages(count: usize) -> Box<[libc::mmsghdr]> {
    // SAFETY: mmsghdr is plain numbers and pointers; zero (null, length 0) is valid.
    (0..count).map(|_| unsafe { std::mem::zeroed() }).collect()
}

fn set_udp_option(socket: &Socket, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: the kernel reads one int from `value`, which lives through the call.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_UDP,
            option,
            std::ptr::from_ref(&value).cast(),
            size_of_val(&value) as libc::socklen_t,
        )
    })
    .map(drop)
}
