//! Going into the background: two forks and a new session, before there is any other thread. The caller waits
//! until the daemon says that it is ready, so that what fails before is the caller's failure.

use super::checked;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Which of the two processes this is after [`fork_away`].
#[derive(Debug)]
pub enum Side {
    Caller(Waiting),
    Daemon(Starting),
}

/// The caller, which waits for the daemon's word.
#[derive(Debug)]
pub struct Waiting(File);

/// The daemon, still with the caller's stdout and stderr.
#[derive(Debug)]
pub struct Starting(File);

/// Splits off a daemon. Call it while this process has one thread only: a forked child has none of the others.
pub fn fork_away() -> io::Result<Side> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors into the array, which lives through the call.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both were opened just now, and nothing else owns them.
    let [reader, writer] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    match fork()? {
        0 => {}
        child => {
            drop(writer);
            let mut status = 0;
            // SAFETY: waits for our own child; the kernel writes one number. The child ends at once, below.
            unsafe { libc::waitpid(child, &mut status, 0) };
            return Ok(Side::Caller(Waiting(reader.into())));
        }
    }
    drop(reader);
    // SAFETY: no memory is touched. The first child leads no group, so it can lead a session.
    unsafe { libc::setsid() };
    // The second child leads no session, so that no terminal can become its own.
    match fork() {
        Ok(0) => Ok(Side::Daemon(Starting(writer.into()))),
        // SAFETY: ends this child at once, without the caller's exit handlers. With an error the pipe closes, and
        // the caller sees that there is no daemon.
        _ => unsafe { libc::_exit(0) },
    }
}

fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: the caller of `fork_away` has one thread, so that the child holds nobody else's locks.
    checked(unsafe { libc::fork() })
}

impl Waiting {
    /// Whether the daemon became ready; if not it has said why on stderr.
    pub fn is_ready(mut self) -> bool {
        let mut word = [0];
        matches!(self.0.read(&mut word), Ok(1))
    }
}

impl Starting {
    /// Leaves the caller's terminal and tells it to go on.
    pub fn ready(mut self) -> io::Result<()> {
        let null = File::options().read(true).write(true).open("/dev/null")?;
        for fd in 0..=2 {
            // SAFETY: both are open descriptors or the standard numbers; the old one is closed by the kernel.
            checked(unsafe { libc::dup2(null.as_raw_fd(), fd) })?;
        }
        self.0.write_all(&[1])
    }
}
