//! UDP in batches: many datagrams a system call.
//!
//! Sending prefers UDP_SEGMENT (Linux 4.18): one walk through the stack for up to 64 datagrams, cut at the very end,
//! so the wire carries the same. A path that cannot (datagram above the MTU, no checksum offload) refuses with EINVAL
//! or EIO: the batch falls back to sendmmsg for good. Receiving takes UDP_GRO (Linux 5.0) where it is there, and
//! cuts what the kernel merged.

use super::checked;
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// UDP_MAX_SEGMENTS of all kernels up to 6.8; later ones take 128.
const MAX_SEGMENTS: usize = 64;
/// Largest UDP payload over IPv4, and so the largest segmented send.
const MAX_PAYLOAD: usize = 65507;

/// Datagrams of equal size in one contiguous buffer, sent together.
pub struct SendBatch {
    buffer: Box<[u8]>,
    block: usize,
    vectors: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
    segmented: bool,
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
        let segmented =
            capacity > 1 && set_udp_option(socket, libc::UDP_SEGMENT, block as libc::c_int).is_ok();
        Ok(SendBatch {
            buffer,
            block,
            vectors: vec![empty; capacity].into_boxed_slice(),
            messages: empty_messages(capacity),
            segmented,
        })
    }

    /// Datagrams that fit into one call.
    pub fn capacity(&self) -> usize {
        self.messages.len()
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
    merged: bool,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::time::Duration;

    fn pair() -> (Socket, Socket) {
        let (one, two) = (
            UdpSocket::bind("127.0.0.1:0").unwrap(),
            UdpSocket::bind("127.0.0.1:0").unwrap(),
        );
        one.connect(two.local_addr().unwrap()).unwrap();
        two.connect(one.local_addr().unwrap()).unwrap();
        two.set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        (one.into(), two.into())
    }

    fn numbered(batch: &mut SendBatch, count: usize) {
        for index in 0..count {
            batch.datagram(index)[0] = index as u8;
        }
    }

    /// First byte and size of everything that arrives until silence.
    fn arrived(batch: &mut ReceiveBatch, socket: &Socket) -> Vec<(u8, usize)> {
        let mut all = Vec::new();
        while batch.receive(socket).is_ok() {
            all.extend(
                batch
                    .datagrams()
                    .map(|bytes| (bytes.first().copied().unwrap_or(255), bytes.len())),
            );
        }
        all
    }

    #[test]
    fn cut_by_the_kernel_or_sent_one_by_one_the_receiver_sees_the_same() {
        let expected: Vec<(u8, usize)> = (0..20).map(|index| (index, 1000)).collect();
        for (segmented, merged) in [(true, true), (true, false), (false, true), (false, false)] {
            let (from, to) = pair();
            let mut receive = ReceiveBatch::new(&to);
            if !merged {
                set_udp_option(&to, libc::UDP_GRO, 0).unwrap();
                receive.merged = false;
            }
            let mut send = SendBatch::new(&from, 1000, |_| ()).unwrap();
            assert!(send.segmented(), "Linux has had UDP_SEGMENT since 4.18");
            if !segmented {
                set_udp_option(&from, libc::UDP_SEGMENT, 0).unwrap();
                send.segmented = false;
            }
            numbered(&mut send, 20);
            assert_eq!(send.send(&from, 20).unwrap(), 20);
            assert_eq!(
                arrived(&mut receive, &to),
                expected,
                "segmented {segmented}, merged {merged}"
            );
        }
    }

    #[test]
    fn a_path_that_cannot_cut_falls_back_to_one_by_one() {
        let (from, to) = pair();
        let mut send = SendBatch::new(&from, 1000, |_| ()).unwrap();
        // More segments than any kernel takes in one call: refused with EINVAL, as a datagram above the MTU would be.
        set_udp_option(&from, libc::UDP_SEGMENT, 1).unwrap();
        numbered(&mut send, 20);
        assert_eq!(send.send(&from, 20).unwrap(), 20);
        assert!(!send.segmented());
        let all = arrived(&mut ReceiveBatch::new(&to), &to);
        assert_eq!(all, (0..20).map(|index| (index, 1000)).collect::<Vec<_>>());
    }

    #[test]
    fn odd_sizes_arrive_as_they_are() {
        let (from, to) = pair();
        for size in [0, 1, 65507] {
            from.send(&vec![9; size]).unwrap();
        }
        let all = arrived(&mut ReceiveBatch::new(&to), &to);
        assert_eq!(all, [(255, 0), (9, 1), (9, 65507)]);
    }

    #[test]
    fn a_batch_never_exceeds_one_call() {
        let (from, _to) = pair();
        for (block, capacity) in [(16, 64), (1448, 45), (32_768, 1), (65_507, 1)] {
            assert_eq!(
                SendBatch::new(&from, block, |_| ()).unwrap().capacity(),
                capacity
            );
        }
        assert!(SendBatch::new(&from, 0, |_| ()).is_err());
        assert!(SendBatch::new(&from, 65_508, |_| ()).is_err());
    }
}
