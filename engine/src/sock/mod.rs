//! What the standard library does not offer of sockets and of this thread: the only `unsafe` of the engine.
//!
//! Each thing is asked for, degraded when the kernel refuses, and what was granted is read back.
//!
//! - [`options`]: socket options, asked and granted
//! - [`buffers`]: buffers that the kernel sizes again
//! - [`tcp_info`]: the kernel's figures of a TCP connection
//! - [`datagrams`]: UDP in batches
//! - [`queue`]: bytes waiting in, and datagrams dropped by, a socket
//! - [`interface`]: an interface's number
//! - [`device`]: the device that data leaves by: its MTU and queueing discipline
//! - [`netlink`]: questions to the kernel about routes and devices
//! - [`memory_file`], [`page_loop`]: a payload that the kernel can send without a copy
//! - [`scratch`]: where payload goes that nobody reads, for many streams
//! - [`descriptors`]: how many of them this process may have
//! - [`flow_label`]: IPv6 flow labels
//! - [`mptcp`], [`sctp`]: what these transports need beside the options
//! - [`terminal`]: a terminal that does not show what is typed
//! - [`thread`]: CPUs, timer precision and CPU time
//! - [`daemon`]: going into the background
mod buffers;
pub mod daemon;
mod datagrams;
mod descriptors;
mod device;
mod flow_label;
mod interface;
mod link_speed;
mod memory_file;
mod mptcp;
mod netlink;
mod options;
mod page_loop;
mod queue;
mod scratch;
mod sctp;
mod tcp_info;
mod terminal;
mod thread;

pub use buffers::free_buffers;
pub use datagrams::{
    Datagram, Offer, ReceiveBatch, SendBatch, fits_segments, offer_merged, offer_segments,
};
pub use descriptors::allow_many_descriptors;
pub use device::{Device, device_of};
pub use flow_label::labelled;
pub use interface::index_of;
pub use memory_file::MemoryFile;
pub use mptcp::stream_socket as mptcp_socket;
pub use options::{Granted, SockError, SocketOptions, apply_options, granted};
pub use page_loop::PageLoop;
pub use queue::{socket_drops, unacked};
pub use scratch::{Receiving, Scratch, note_cpus};
pub use sctp::{ask_sctp_streams, bind_sctp, sctp_socket, sctp_waiting};
pub use tcp_info::{TcpInfo, tcp_info};
pub use terminal::Hidden;
pub use thread::{CpuTime, allowed_cpus, process_cpu, set_affinity, timer_slack, uname};

use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// An option that is one plain value.
fn set_option<T: Copy>(
    socket: &Socket,
    level: libc::c_int,
    option: libc::c_int,
    value: &T,
) -> io::Result<()> {
    // SAFETY: the kernel reads size_of(T) bytes from `value`, which lives through the call.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    })
    .map(drop)
}

/// An option of one number; `None`: this socket or kernel does not tell.
fn int_option(socket: &Socket, level: libc::c_int, option: libc::c_int) -> Option<i32> {
    let mut value: libc::c_int = 0;
    let mut length = size_of_val(&value) as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `value`, which lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            option,
            std::ptr::from_mut(&mut value).cast(),
            &mut length,
        )
    };
    (result == 0 && length as usize == size_of_val(&value)).then_some(value)
}

/// The C convention: -1 and errno.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
