//! What becomes of a byte stream that arrives: counted, thrown away in the kernel, or written to a file.

use super::buffer;
use crate::sock::{Receiving, Scratch};
use crate::worker::Load;
use socket2::Socket;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::ops::Range;

/// A reader takes what is there: a small block of the peer needs no small reads.
const LEAST_READ: usize = 128 * 1024;
/// Nothing is written to the buffer of such a read, so that it may be long: fewer calls.
const SKIPPED_READ: usize = 1 << 20;

#[derive(Debug)]
pub enum Sink {
    Memory(Box<[u8]>, Receiving),
    /// As many others at the same time.
    Shared(Scratch, Receiving),
    /// MSG_TRUNC (Linux 2.4 for TCP): the data is released unread. The buffer is as long as it says, so that a kernel
    /// that copies all the same does no harm.
    Nowhere(Box<[MaybeUninit<u8>]>),
    File {
        file: File,
        buffer: Box<[u8]>,
        /// The part of the buffer that a full pipe has not taken yet.
        waits: Range<usize>,
    },
}

impl Sink {
    /// A file has to see the data, whatever was asked of the receiver.
    /// Errors: no memory for a buffer.
    pub fn of(load: &Load, file: Option<File>) -> io::Result<Self> {
        let length = load.block_size.max(LEAST_READ);
        Ok(match file {
            Some(file) => Sink::File {
                file,
                buffer: buffer(length)?,
                waits: 0..0,
            },
            None if load.skip_rx_copy => {
                Sink::Nowhere(vec![MaybeUninit::uninit(); SKIPPED_READ].into_boxed_slice())
            }
            None => match Receiving::begin() {
                (stream, true) => match Scratch::shared() {
                    Ok(scratch) => Sink::Shared(scratch, stream),
                    Err(_) => Sink::Memory(buffer(length)?, stream),
                },
                (stream, false) => Sink::Memory(buffer(length)?, stream),
            },
        })
    }

    /// Bytes that arrived; 0: the peer has closed.
    pub fn receive(&mut self, mut socket: &Socket) -> io::Result<usize> {
        match self {
            Sink::Memory(buffer, _) => socket.read(buffer),
            Sink::Shared(scratch, _) => scratch.receive(socket),
            Sink::Nowhere(buffer) => {
                let length = buffer.len();
                // The length is the kernel's word for what it has thrown away: good to count, and for nothing else.
                socket
                    .recv_with_flags(buffer, libc::MSG_TRUNC)
                    .map(|count| count.min(length))
            }
            Sink::File {
                file,
                buffer,
                waits,
            } => {
                write(file, buffer, waits)?;
                if waits.start < waits.end {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                let count = socket.read(buffer)?;
                *waits = 0..count;
                write(file, buffer, waits)?;
                Ok(count)
            }
        }
    }

    /// The file is a pipe or a device, and has not taken all yet.
    pub fn is_behind(&self) -> bool {
        matches!(self, Sink::File { waits, .. } if waits.start < waits.end)
    }
}

/// Writes what waits, or as much of it as the file takes at once.
fn write(file: &mut File, buffer: &[u8], waits: &mut Range<usize>) -> io::Result<()> {
    while waits.start < waits.end {
        match file.write(&buffer[waits.clone()]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => waits.start += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(source) => {
                let why = format!("what arrived could not be written to the file: {source}");
                return Err(io::Error::other(why));
            }
        }
    }
    Ok(())
}
