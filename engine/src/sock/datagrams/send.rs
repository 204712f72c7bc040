//! Datagrams of equal size, sent together.

use super::super::checked;
use super::{MAX_PAYLOAD, Offer, empty_messages, offer_segments, set_udp_option};
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// UDP_MAX_SEGMENTS since Linux 6.9.
const MAX_SEGMENTS: usize = 128;
/// And before: more in one call are refused.
const OLD_MAX_SEGMENTS: usize = 64;

/// Datagrams of equal size in one contiguous buffer, sent together.
pub struct SendBatch {
    buffer: Box<[u8]>,
    block: usize,
    vectors: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
    pub(super) segmented: bool,
    /// Datagrams that this kernel takes in one call.
    pub(super) most: usize,
}

impl std::fmt::Debug for SendBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SendBatch {
            block, segmented, ..
        } = self;
        f.debug_struct("SendBatch")
            .field("block", block)
            .field("segmented", segmented)
            .finish_non_exhaustive()
    }
}

impl SendBatch {
    /// `block` is the size of each datagram, 1..=65507. `fill` writes the payload, once.
    pub fn new(socket: &Socket, block: usize, fill: impl FnOnce(&mut [u8])) -> io::Result<Self> {
        if block == 0 || block > MAX_PAYLOAD {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "a datagram of {block} bytes cannot be sent: 1 to {MAX_PAYLOAD} fit into UDP"
                ),
            ));
        }
        let capacity = (MAX_PAYLOAD / block).clamp(1, MAX_SEGMENTS);
        let mut buffer = vec![0; capacity * block].into_boxed_slice();
        fill(&mut buffer);
        let empty = libc::iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        };
        let segmented = matches!(offer_segments(socket, block), Offer::InForce);
        Ok(SendBatch {
            buffer,
            block,
            vectors: vec![empty; capacity].into_boxed_slice(),
            messages: empty_messages(capacity),
            segmented,
            most: capacity,
        })
    }

    /// Datagrams that fit into one call.
    pub fn capacity(&self) -> usize {
        self.most
    }

    /// Whether the kernel cuts the datagrams (UDP_SEGMENT).
    pub fn segmented(&self) -> bool {
        self.segmented
    }

    /// The bytes of datagram `index`, to write its header.
    pub fn datagram(&mut self, index: usize) -> &mut [u8] {
        &mut self.buffer[index * self.block..(index + 1) * self.block]
    }

    /// Sends the first `count` datagrams on a connected socket; returns how many left.
    pub fn send(&mut self, socket: &Socket, count: usize) -> io::Result<usize> {
        let count = count.min(self.capacity());
        if !self.segmented {
            return self.send_each(socket, count);
        }
        match socket.send_with_flags(&self.buffer[..count * self.block], libc::MSG_NOSIGNAL) {
            Ok(bytes) => Ok(bytes / self.block),
            Err(error)
                if error.raw_os_error() == Some(libc::EINVAL) && count > OLD_MAX_SEGMENTS =>
            {
                self.most = OLD_MAX_SEGMENTS;
                self.send(socket, OLD_MAX_SEGMENTS)
            }
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(libc::EINVAL | libc::EIO | libc::EMSGSIZE)
                ) =>
            {
                self.segmented = false;
                set_udp_option(socket, libc::UDP_SEGMENT, 0)?;
                self.send_each(socket, count)
            }
            Err(error) => Err(error),
        }
    }

    fn send_each(&mut self, socket: &Socket, count: usize) -> io::Result<usize> {
        if count == 1 {
            return socket
                .send_with_flags(&self.buffer[..self.block], libc::MSG_NOSIGNAL)
                .map(|_| 1);
        }
        // Pointers are taken anew for each call: a few stores, and none outlives a `&mut` of the buffer.
        for ((bytes, vector), message) in self
            .buffer
            .chunks_exact_mut(self.block)
            .zip(&mut self.vectors)
            .zip(&mut self.messages)
        {
            *vector = libc::iovec {
                iov_base: bytes.as_mut_ptr().cast(),
                iov_len: bytes.len(),
            };
            message.msg_hdr.msg_iov = vector;
            message.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: `count` is at most the number of messages; each points to one vector, and that into the buffer;
        // all of them live in `self` through the call and are only read by the kernel (msg_len is written).
        let sent = checked(unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                self.messages.as_mut_ptr(),
                count as libc::c_uint,
                libc::MSG_NOSIGNAL as _,
            )
        })?;
        Ok(sent as usize)
    }
}
