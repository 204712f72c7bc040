//! Messages received together, each one datagram or several that the kernel merged.

use super::super::checked;
use super::{accept_merged, empty_messages};
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// Messages a receiving call takes. 16 merged ones are 1 MiB: more would fall out of the cache.
const RECEIVE_SLOTS: usize = 16;
/// A merged message is at most 64 KiB. The odd cache line keeps the headers of all slots out of one cache set.
const SLOT: usize = 65536 + 64;
/// Room for one UDP_GRO control message (an int), aligned like cmsghdr.
const CONTROL_WORDS: usize = 4;

/// Received messages, each one datagram or several of equal size that the kernel merged.
pub struct ReceiveBatch {
    buffer: Box<[u8]>,
    control: Box<[[u64; CONTROL_WORDS]; RECEIVE_SLOTS]>,
    vectors: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
    pub(super) merged: bool,
    filled: usize,
}

impl std::fmt::Debug for ReceiveBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ReceiveBatch { merged, filled, .. } = self;
        f.debug_struct("ReceiveBatch")
            .field("merged", merged)
            .field("filled", filled)
            .finish_non_exhaustive()
    }
}

impl ReceiveBatch {
    /// Pages that no datagram touches are never backed by memory.
    pub fn new(socket: &Socket) -> Self {
        let empty = libc::iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        };
        ReceiveBatch {
            buffer: vec![0; RECEIVE_SLOTS * SLOT].into_boxed_slice(),
            control: Box::new([[0; CONTROL_WORDS]; RECEIVE_SLOTS]),
            vectors: vec![empty; RECEIVE_SLOTS].into_boxed_slice(),
            messages: empty_messages(RECEIVE_SLOTS),
            merged: accept_merged(socket),
            filled: 0,
        }
    }

    /// Waits for the first message (as long as SO_RCVTIMEO says), then takes what is there already.
    pub fn receive(&mut self, socket: &Socket) -> io::Result<()> {
        self.filled = 0;
        let slots = self
            .buffer
            .chunks_exact_mut(SLOT)
            .zip(&mut self.vectors)
            .zip(self.control.iter_mut());
        for (message, ((bytes, vector), control)) in self.messages.iter_mut().zip(slots) {
            *vector = libc::iovec {
                iov_base: bytes.as_mut_ptr().cast(),
                iov_len: bytes.len(),
            };
            message.msg_hdr.msg_iov = vector;
            message.msg_hdr.msg_iovlen = 1;
            message.msg_hdr.msg_flags = 0;
            if self.merged {
                message.msg_hdr.msg_control = control.as_mut_ptr().cast();
                message.msg_hdr.msg_controllen = size_of_val(control) as _;
            }
        }
        // SAFETY: each of the RECEIVE_SLOTS messages points to one vector, that to its own slot of the buffer, and to
        // its own control words, with their true sizes; all live in `self` through the call. The timeout is null.
        self.filled = checked(unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.messages.as_mut_ptr(),
                RECEIVE_SLOTS as libc::c_uint,
                libc::MSG_WAITFORONE as _,
                std::ptr::null_mut(),
            )
        })? as usize;
        Ok(())
    }

    /// Messages of the last call: what the kernel queues, and drops, as one.
    pub fn messages(&self) -> usize {
        self.filled
    }

    /// The datagrams of the last call in order of arrival. Empty datagrams are given too.
    pub fn datagrams(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.filled).flat_map(|slot| {
            let bytes =
                &self.buffer[slot * SLOT..][..(self.messages[slot].msg_len as usize).min(SLOT)];
            let cut = self.segment_size(slot).unwrap_or(bytes.len()).max(1);
            let empty = bytes.is_empty().then_some(bytes);
            empty.into_iter().chain(bytes.chunks(cut))
        })
    }

    /// Size of the merged datagrams of a message; `None`: it is one datagram.
    fn segment_size(&self, slot: usize) -> Option<usize> {
        if !self.merged {
            return None;
        }
        let header = &self.messages[slot].msg_hdr;
        // SAFETY: the kernel has written msg_controllen bytes of control messages into this slot's words;
        // CMSG_FIRSTHDR gives null or a header that lies within them.
        let first = unsafe { libc::CMSG_FIRSTHDR(header).as_ref() }?;
        if first.cmsg_level != libc::SOL_UDP || first.cmsg_type != libc::UDP_GRO {
            return None;
        }
        // SAFETY: UDP_GRO's data is one int, which lies behind the header within the control words.
        let size = unsafe {
            libc::CMSG_DATA(first)
                .cast::<libc::c_int>()
                .read_unaligned()
        };
        usize::try_from(size).ok().filter(|size| *size > 0)
    }
}
