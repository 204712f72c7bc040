//! Standard output and standard error. A reader who left (`| head`) is no error.

use std::io::{self, Write};

/// Writes to standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// One line to standard error, whatever becomes of it.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
