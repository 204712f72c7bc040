//! A terminal that does not show what is typed.

use super::checked;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// While it lives the terminal does not echo.
pub struct Hidden {
    terminal: File,
    before: libc::termios,
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden")
    }
}

impl Hidden {
    pub fn on(terminal: &File) -> io::Result<Self> {
        let terminal = terminal.try_clone()?;
        let mut before = MaybeUninit::<libc::termios>::uninit();
        // SAFETY: the descriptor is open for as long as `terminal` lives, and the kernel fills the structure.
        checked(unsafe { libc::tcgetattr(terminal.as_raw_fd(), before.as_mut_ptr()) })?;
        // SAFETY: the call above succeeded, so all of it is initialised.
        let before = unsafe { before.assume_init() };
        let mut quiet = before;
        quiet.c_lflag &= !libc::ECHO;
        set(&terminal, &quiet)?;
        Ok(Hidden { terminal, before })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that is gone needs no echo.
        let _ = set(&self.terminal, &self.before);
    }
}

fn set(terminal: &File, to: &libc::termios) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the structure came from tcgetattr.
    checked(unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSAFLUSH, to) }).map(drop)
}
