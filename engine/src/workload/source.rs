//! What a byte stream sends: one block again and again, or a file from its begin to its end; from memory, or by the
//! kernel without a copy (splice, sendfile).

use super::{Payload, buffer};
use crate::sock::{MemoryFile, PageLoop};
use crate::worker::Load;
use socket2::Socket;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Two system calls for a smaller block cost more than the look into the page cache that they spare.
const LEAST_LOOP: usize = 64 << 10;

#[derive(Debug)]
pub struct Source {
    kind: Kind,
    /// Bytes of the present block, and how many of them have left.
    block: usize,
    sent: usize,
}

/// A `Box` in it: what is asked for with `-l` is allocated where a refusal is an error.
type Block = Arc<Box<[u8]>>;

#[derive(Debug)]
enum Kind {
    /// One block that stays in the cache.
    Memory(Block),
    /// The same as pages that a pipe holds.
    Loop(PageLoop),
    /// The same in the page cache, where no such pipe is to be had.
    Pages(MemoryFile),
    File {
        file: File,
        buffer: Box<[u8]>,
    },
    /// A file that is sent without a copy; where the present block begins.
    FilePages {
        file: File,
        at: u64,
    },
}

/// How much a block of a source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Bytes(usize),
    /// The file is at its end.
    End,
}

impl Source {
    /// Errors: no memory, or no memory file, is to be had.
    pub fn of(load: &Load, file: Option<File>) -> io::Result<Self> {
        let block = load.block_size;
        let filled = || shared_block(load.payload, block);
        let kind = match (file, load.zerocopy) {
            (None, false) => Kind::Memory(filled()?),
            (None, true) => {
                let memory = MemoryFile::holding(&filled()?).map_err(|source| {
                    let why = format!(
                        "a zero-copy sender needs a memory file (memfd): {source}; leave out -Z"
                    );
                    io::Error::new(source.kind(), why)
                })?;
                // Each chunk of a paced block goes on where the one before ended, which sendfile can. And limits of pipes
                // are no reason to refuse.
                let whole = load.bitrate.is_none() && block >= LEAST_LOOP;
                let pages = whole.then(|| PageLoop::of(&memory, block).ok()).flatten();
                pages.map_or(Kind::Pages(memory), Kind::Loop)
            }
            (Some(file), false) => Kind::File {
                file,
                buffer: buffer(block)?,
            },
            (Some(file), true) => Kind::FilePages { file, at: 0 },
        };
        Ok(Source {
            kind,
            block: 0,
            sent: 0,
        })
    }

    /// The next block, of at most `most` bytes; the one before has left as a whole. A pipe or device that has nothing yet
    /// is an error of the kind `WouldBlock`.
    pub fn next_block(&mut self, most: usize) -> io::Result<Next> {
        let before = std::mem::take(&mut self.block);
        self.sent = 0;
        self.block = match &mut self.kind {
            Kind::Memory(_) | Kind::Loop(_) | Kind::Pages(_) => most,
            Kind::File { file, buffer } => {
                let most = most.min(buffer.len());
                read_full(file, &mut buffer[..most])?
            }
            Kind::FilePages { file, at } => {
                *at += before as u64;
                let left = file.metadata()?.len().saturating_sub(*at);
                usize::try_from(left).unwrap_or(usize::MAX).min(most)
            }
        };
        Ok(if self.block == 0 {
            Next::End
        } else {
            Next::Bytes(self.block)
        })
    }

    /// Sends at most `most` bytes of the present block.
    pub fn send(&mut self, socket: &Socket, most: usize) -> io::Result<usize> {
        let count = most.min(self.block - self.sent);
        let by_kernel = |file: &File, at: usize| match NonZeroUsize::new(count) {
            Some(count) => socket.sendfile(file, at, Some(count)),
            None => Ok(0),
        };
        let sent = match &mut self.kind {
            Kind::Memory(buffer) => {
                let bytes = &buffer[self.sent..self.sent + count];
                socket.send_with_flags(bytes, libc::MSG_NOSIGNAL)?
            }
            Kind::File { buffer, .. } => {
                let bytes = &buffer[self.sent..self.sent + count];
                socket.send_with_flags(bytes, libc::MSG_NOSIGNAL)?
            }
            Kind::Loop(pages) => pages.send(socket, count)?,
            Kind::Pages(memory) => by_kernel(memory.file(), self.sent)?,
            Kind::FilePages { file, at } => {
                let at = usize::try_from(*at).map_err(io::Error::other)?;
                by_kernel(file, at + self.sent)?
            }
        };
        if sent == 0 && count > 0 {
            // sendfile is at the end of a file that has shrunk.
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file became shorter while it was sent",
            ));
        }
        self.sent += sent;
        Ok(sent)
    }
}

/// The block that all streams of this payload and size send, as long as one of them does: of 128 blocks of their own none
/// would be in a cache when its stream runs next. Errors: no memory for it.
fn shared_block(payload: Payload, size: usize) -> io::Result<Block> {
    type Known = (Payload, Weak<Box<[u8]>>);
    static BLOCKS: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let mut blocks = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    blocks.retain(|(_, block)| block.strong_count() > 0);
    let found = blocks
        .iter()
        .filter(|(of, _)| *of == payload)
        .filter_map(|(_, block)| block.upgrade())
        .find(|block| block.len() == size);
    if let Some(block) = found {
        return Ok(block);
    }
    let mut filled = buffer(size)?;
    payload.fill(&mut filled);
    let block = Arc::new(filled);
    blocks.push((payload, Arc::downgrade(&block)));
    Ok(block)
}

/// Reads until the buffer is full, the file at its end, or a pipe has no more for now.
fn read_full(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_kind_send_one_block_which_goes_with_the_last() {
        let one = shared_block(Payload::Random, 70_001).unwrap();
        let other = shared_block(Payload::Random, 70_001).unwrap();
        assert!(Arc::ptr_eq(&one, &other));
        let digits = shared_block(Payload::Digits, 70_001).unwrap();
        assert_eq!(&digits[..3], b"012");
        assert_eq!(shared_block(Payload::Random, 70_002).unwrap().len(), 70_002);
        let before = one.to_vec();
        drop((one, other));
        // Random bytes of their own: the first block is gone.
        assert_ne!(
            shared_block(Payload::Random, 70_001).unwrap()[..],
            before[..]
        );
    }
}
