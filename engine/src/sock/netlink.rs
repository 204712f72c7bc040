//! Questions to the kernel about routes, devices and queueing disciplines (rtnetlink(7)). They need no privilege. The
//! answer is there when the question has been sent, so that nothing here waits; a sandbox may refuse all of it.

use socket2::{Domain, Protocol, Socket, Type};
use std::io::{self, Read};

/// `struct nlmsghdr`, `struct rtattr`.
const HEADER: usize = 16;
const ATTRIBUTE: usize = 4;
/// `struct ifinfomsg`, and the number of the device in it.
pub const LINK: usize = 16;
pub const INDEX_AT: usize = 4;
/// A device's answer has 1 to 3 KiB, a piece of a list up to 32 KiB.
const BUFFER: usize = 32 * 1024;
/// Pieces of a list that are read at the most: some 50,000 disciplines.
const MOST_PIECES: usize = 256;

pub struct Netlink {
    socket: Socket,
    buffer: Box<[u8]>,
}

/// One of the kernel's messages, behind its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    pub kind: u16,
    body: &'a [u8],
}

impl std::fmt::Debug for Netlink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Netlink").finish_non_exhaustive()
    }
}

impl Netlink {
    pub fn open() -> io::Result<Self> {
        let socket = Socket::new(
            Domain::from(libc::AF_NETLINK),
            Type::RAW.nonblocking(),
            Some(Protocol::from(libc::NETLINK_ROUTE)),
        )?;
        Ok(Netlink {
            socket,
            buffer: vec![0; BUFFER].into_boxed_slice(),
        })
    }

    /// The one answer to a question about one thing. `head`: the fixed part of the question, e.g. `struct rtmsg`.
    pub fn ask(
        &mut self,
        kind: u16,
        head: &[u8],
        attributes: &[(u16, &[u8])],
    ) -> io::Result<Message<'_>> {
        let flags = libc::NLM_F_REQUEST;
        self.socket.send(&question(kind, flags, head, attributes))?;
        let filled = (&self.socket).read(&mut self.buffer)?;
        let answer = messages(&self.buffer[..filled]).next();
        match answer.ok_or_else(garbled)? {
            Message { kind, body } if is(kind, libc::NLMSG_ERROR) => Err(refusal(body)),
            message => Ok(message),
        }
    }

    /// What there is to know about the device with this number.
    pub fn link(&mut self, index: u32) -> io::Result<Message<'_>> {
        let mut head = [0; LINK];
        head[INDEX_AT..INDEX_AT + 4].copy_from_slice(&index.to_ne_bytes());
        self.ask(libc::RTM_GETLINK, &head, &[])
    }

    /// Gives every message of a list to `see`, until it says `false`; the rest is not read.
    pub fn list(
        &mut self,
        kind: u16,
        head: &[u8],
        mut see: impl FnMut(Message<'_>) -> bool,
    ) -> io::Result<()> {
        let flags = libc::NLM_F_REQUEST | libc::NLM_F_DUMP;
        self.socket.send(&question(kind, flags, head, &[]))?;
        for _ in 0..MOST_PIECES {
            let filled = (&self.socket).read(&mut self.buffer)?;
            for message in messages(&self.buffer[..filled]) {
                if is(message.kind, libc::NLMSG_ERROR) {
                    return Err(refusal(message.body));
                }
                if is(message.kind, libc::NLMSG_DONE) || !see(message) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl<'a> Message<'a> {
    /// A number in the fixed part.
    pub fn number(&self, at: usize) -> Option<u32> {
        let bytes = self.body.get(at..at.checked_add(4)?)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    }

    /// The data of an attribute behind a fixed part of `head` bytes.
    pub fn attribute(&self, head: usize, kind: u16) -> Option<&'a [u8]> {
        let mut rest = self.body.get(head..)?;
        loop {
            let length = usize::from(u16_at(rest, 0)?);
            let data = rest.get(ATTRIBUTE..length)?;
            // Flags of a nested attribute, or of one in network order, stand in the two highest bits.
            if u16_at(rest, 2)? & 0x3fff == kind {
                return Some(data);
            }
            rest = rest.get(aligned(length)..)?;
        }
    }

    /// An attribute that has attributes itself; they have no fixed part.
    pub fn nested(&self, head: usize, kind: u16) -> Option<Message<'a>> {
        let body = self.attribute(head, kind)?;
        Some(Message { kind, body })
    }

    pub fn attribute_number(&self, head: usize, kind: u16) -> Option<u32> {
        let data = self.attribute(head, kind)?;
        Some(u32::from_ne_bytes(data.try_into().ok()?))
    }

    /// A name of letters, digits and the like; anything else is no name.
    pub fn attribute_name(&self, head: usize, kind: u16) -> Option<&'a str> {
        let data = self.attribute(head, kind)?;
        let text = data.split(|byte| *byte == 0).next()?;
        let text = std::str::from_utf8(text).ok()?;
        let plain = |c: char| c.is_ascii_graphic();
        (!text.is_empty() && text.chars().all(plain)).then_some(text)
    }
}

/// A message to the kernel, with its attributes.
pub fn question(
    kind: u16,
    flags: libc::c_int,
    head: &[u8],
    attributes: &[(u16, &[u8])],
) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes.extend(head);
    for (kind, data) in attributes {
        bytes.resize(aligned(bytes.len()), 0);
        let length = u16::try_from(ATTRIBUTE + data.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(*data);
    }
    bytes.resize(aligned(bytes.len()), 0);
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    bytes[..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
    bytes[6..8].copy_from_slice(&(flags as u16).to_ne_bytes());
    bytes
}

/// The messages of one read; one that is cut short ends it.
pub fn messages(mut rest: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let length = usize::try_from(u32::from_ne_bytes(rest.get(..4)?.try_into().ok()?)).ok()?;
        let kind = u16_at(rest, 4)?;
        let body = rest.get(HEADER..length)?;
        rest = rest.get(aligned(length)..).unwrap_or_default();
        Some(Message { kind, body })
    })
}

/// Messages and attributes begin at multiples of 4.
fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn is(kind: u16, wanted: libc::c_int) -> bool {
    libc::c_int::from(kind) == wanted
}

/// `struct nlmsgerr` begins with a negative errno.
fn refusal(body: &[u8]) -> io::Error {
    match body.first_chunk() {
        Some(errno) => io::Error::from_raw_os_error(i32::from_ne_bytes(*errno).saturating_neg()),
        None => garbled(),
    }
}

fn garbled() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the kernel's answer to a netlink question is cut short",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_can_be_read() {
        let bytes = question(
            libc::RTM_NEWLINK,
            0,
            &[7; 16],
            &[
                (3, b"lo\0"),
                (4, &65536u32.to_ne_bytes()),
                (6, b"noqueue\0"),
            ],
        );
        assert_eq!(bytes.len() % 4, 0);
        let twice = [bytes.clone(), bytes].concat();
        let all: Vec<Message> = messages(&twice).collect();
        assert_eq!(all.len(), 2);
        let one = all[1];
        assert_eq!(one.kind, libc::RTM_NEWLINK);
        assert_eq!(one.number(4), Some(0x0707_0707));
        assert_eq!(one.attribute_name(16, 3), Some("lo"));
        assert_eq!(one.attribute_number(16, 4), Some(65536));
        assert_eq!(one.attribute_name(16, 6), Some("noqueue"));
        assert_eq!(one.attribute(16, 9), None);
        assert_eq!(one.attribute_number(16, 3), None, "it has three bytes");
    }

    #[test]
    fn a_name_that_steers_a_terminal_is_none() {
        for name in [&b"\x1b[2J\0"[..], b"\0", b"", b"a b\0", b"\xff\0"] {
            let bytes = question(1, 0, &[], &[(6, name)]);
            let message = messages(&bytes).next().unwrap();
            assert_eq!(message.attribute_name(0, 6), None, "{name:?}");
        }
    }

    #[test]
    fn the_kernels_refusal_is_its_errno() {
        let error = refusal(&(-libc::ENETUNREACH).to_ne_bytes());
        assert_eq!(error.raw_os_error(), Some(libc::ENETUNREACH));
        assert_eq!(refusal(&[1]).kind(), io::ErrorKind::InvalidData);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), head in 0usize..30) {
            for message in messages(&bytes) {
                message.number(head);
                for kind in 0..8 {
                    message.attribute_number(head, kind);
                    message.attribute_name(head, kind);
                }
            }
        }
    }
}
