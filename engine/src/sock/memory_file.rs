//! A file in memory only (memfd): what sendfile sends. iperf3 makes one on disk, and so fails where the root file
//! system is read-only (field report 090).

use super::checked;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;

/// The payload of one block, in the page cache.
#[derive(Debug)]
pub struct MemoryFile(File);

impl MemoryFile {
    /// Holds `payload`. Errors: the kernel or a sandbox has no memfd (Linux 3.17), or no memory.
    pub fn holding(payload: &[u8]) -> io::Result<Self> {
        // SAFETY: the name is a NUL-terminated literal; the call touches no other memory.
        let fd =
            checked(unsafe { libc::memfd_create(c"nettest payload".as_ptr(), libc::MFD_CLOEXEC) })?;
        // SAFETY: the call has just made this descriptor, and nobody else owns it.
        let mut file = unsafe { File::from_raw_fd(fd) };
        file.write_all(payload)?;
        Ok(MemoryFile(file))
    }

    pub fn file(&self) -> &File {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn what_it_holds_can_be_read_at_any_place() {
        let file = MemoryFile::holding(b"0123456789").unwrap();
        let mut part = [0; 4];
        file.file().read_exact_at(&mut part, 5).unwrap();
        assert_eq!(&part, b"5678");
    }
}
