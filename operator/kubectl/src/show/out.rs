//! Standard output and standard error. A reader who left (`| head`) is no error.

use std::io::{self, Write};
use thiserror::Error;

#[derive(Debug, Error)]
#[error("cannot write the result to standard output: {0}")]
pub struct OutError(io::Error);

/// Writes to standard output.
pub fn print(text: &str) -> Result<(), OutError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(OutError),
    }
}

/// One line to standard error, whatever becomes of it.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
