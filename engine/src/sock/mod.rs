//! What the standard library does not offer of sockets and of this thread: the only `unsafe` of the engine.
//!
//! Each thing is asked for, degraded when the kernel refuses, and what was granted is read back.
//!
//! - [`options`]: socket options, asked and granted
//! - [`tcp_info`]: the kernel's figures of a TCP connection
//! - [`datagrams`]: UDP in batches
//! - [`queue`]: bytes waiting in, and datagrams dropped by, a socket
//! - [`interface`]: MTU of the interface that carries an address
//! - [`thread`]: CPUs, timer precision and CPU time
mod datagrams;
mod interface;
mod options;
mod queue;
mod tcp_info;
mod thread;

pub use datagrams::{ReceiveBatch, SendBatch, accept_merged};
pub use interface::mtu_of;
pub use options::{Granted, SockError, SocketOptions, apply_options, granted};
pub use queue::{socket_drops, unacked};
pub use tcp_info::{TcpInfo, tcp_info};
pub use thread::{CpuTime, allowed_cpus, precise_timers, process_cpu, set_affinity, uname};

use std::io;

/// The C convention: -1 and errno.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
