//! Buffers that were set once stay fixed, also those that a connection inherits from its listener.

use super::set_option;
use socket2::Socket;
use std::io;

/// asm-generic/socket.h; since Linux 5.14.
const SO_BUF_LOCK: libc::c_int = 72;

/// The kernel may size both buffers again as it sees fit.
pub fn free_buffers(socket: &Socket) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, SO_BUF_LOCK, &0i32)
}
