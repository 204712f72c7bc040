//! Messages received together, each one datagram or several that the kernel merged.

use super::super::checked;
use super::{empty_messages, merges};
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// Messages a receiving call takes.
const RECEIVE_SLOTS: usize = 16;
/// Large (merged) messages are taken fewer at a time: what one call fills has to stay in the CPU's own cache, and 16 of
/// them, 1 MiB, cost a fifth more of the receiver's CPU than 4.
const CACHED: usize = 256 << 10;
const LEAST_SLOTS: usize = 4;
/// A merged message is at most 64 KiB. The odd cache line keeps the headers of all slots out of one cache set.
const SLOT: usize = 65536 + 64;
/// What is read of each datagram when only its head is wanted.
const HEAD_SLOT: usize = 64;
/// Room for one UDP_GRO control message (an int), aligned like cmsghdr.
const CONTROL_WORDS: usize = 4;

/// One datagram as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// All of it, or its head where only that was read.
    pub bytes: &'a [u8],
    /// Its true length.
    pub length: usize,
}

/// Received messages, each one datagram or several of equal size that the kernel merged.
pub struct ReceiveBatch {
    buffer: Box<[u8]>,
    /// Bytes of a slot in `buffer`.
    slot: usize,
    control: Box<[[u64; CONTROL_WORDS]; RECEIVE_SLOTS]>,
    vectors: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
    pub(super) merged: bool,
    filled: usize,
    /// Slots for the next call.
    wanted: usize,
    drained: bool,
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
    /// Whole datagrams, merged when [`super::offer_merged`] was in force before. Pages that no datagram touches are
    /// never backed by memory.
    pub fn new(socket: &Socket) -> Self {
        Self::with_slots(SLOT, merges(socket) == Some(true))
    }

    /// Heads only: the kernel throws the rest away without a copy (MSG_TRUNC) and tells the true length. Not with
    /// UDP_GRO: each datagram of a merged message has a head of its own, in the middle of the data.
    pub fn heads() -> Self {
        Self::with_slots(HEAD_SLOT, false)
    }

    /// Whether several datagrams may come as one message.
    pub fn is_merged(&self) -> bool {
        self.merged
    }

    fn with_slots(slot: usize, merged: bool) -> Self {
        let empty = libc::iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        };
        ReceiveBatch {
            buffer: vec![0; RECEIVE_SLOTS * slot].into_boxed_slice(),
            slot,
            control: Box::new([[0; CONTROL_WORDS]; RECEIVE_SLOTS]),
            vectors: vec![empty; RECEIVE_SLOTS].into_boxed_slice(),
            messages: empty_messages(RECEIVE_SLOTS),
            merged,
            filled: 0,
            wanted: RECEIVE_SLOTS,
            drained: true,
        }
    }

    /// Waits for the first message (as long as SO_RCVTIMEO says), then takes what is there already.
    pub fn receive(&mut self, socket: &Socket) -> io::Result<()> {
        self.filled = 0;
        let asked = self.wanted;
        let slots = self
            .buffer
            .chunks_exact_mut(self.slot)
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
        // SAFETY: at most RECEIVE_SLOTS are wanted; each of these messages points to one vector, that to its own slot of the buffer, and to
        // its own control words, with their true sizes; all live in `self` through the call. The timeout is null.
        self.filled = checked(unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.messages.as_mut_ptr(),
                self.wanted as libc::c_uint,
                // The length of a datagram that did not fit is told as it was (recv(2)).
                (libc::MSG_WAITFORONE | libc::MSG_TRUNC) as _,
                std::ptr::null_mut(),
            )
        })? as usize;
        let bytes = self.bytes();
        self.wanted = (CACHED * self.filled)
            .checked_div(bytes)
            .map_or(RECEIVE_SLOTS, |fit| fit.clamp(LEAST_SLOTS, RECEIVE_SLOTS));
        self.drained = self.filled < asked;
        Ok(())
    }

    /// Of the messages of the last call.
    fn bytes(&self) -> usize {
        let messages = self.messages.iter().take(self.filled);
        messages.map(|message| message.msg_len as usize).sum()
    }

    /// The last call found no more than it took.
    pub fn is_drained(&self) -> bool {
        self.drained
    }

    /// Messages of the last call: what the kernel queues, and drops, as one.
    pub fn messages(&self) -> usize {
        self.filled
    }

    /// The datagrams of the last call in order of arrival. Empty datagrams are given too.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        (0..self.filled).flat_map(|slot| {
            let length = self.messages[slot].msg_len as usize;
            let bytes = &self.buffer[slot * self.slot..][..length.min(self.slot)];
            let merged = self.segment_size(slot);
            // What was cut off belongs to the one datagram that was read.
            let cut = merged.unwrap_or(bytes.len()).max(1);
            let empty = bytes.is_empty().then_some(bytes);
            let parts = empty.into_iter().chain(bytes.chunks(cut));
            parts.map(move |bytes| Datagram {
                bytes,
                length: if merged.is_none() {
                    length
                } else {
                    bytes.len()
                },
            })
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
