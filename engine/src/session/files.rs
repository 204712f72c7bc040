//! The file of a test (`-F`): what a sending end sends, or where a receiving end writes. Each stream has it open for
//! itself, as in iperf3: each sends all of it, and each writes it from its begin.
//!
//! Nothing of it blocks, since a pipe or a device could hold a data thread past the end of the test.

use super::{SessionError, streams};
use crate::wire::{HANDSHAKE, code};
use nettest_report::params::{Direction, TestParams};
use nettest_report::report::{DiskFile, Role};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::unix::pipe;

/// A file that was there, and of the right kind, before the test.
#[derive(Debug)]
pub struct TestFile {
    path: PathBuf,
    sends: bool,
    /// A pipe is opened once: its other end would take a close for the end of the data.
    pipe: Option<File>,
}

/// Between looks whether somebody reads a pipe by now.
const LOOK: Duration = Duration::from_millis(20);

impl TestFile {
    /// Errors: it cannot be read (or written), or the test cannot have one. What is in it stays until the streams are
    /// there. The other end of a pipe is waited for.
    pub async fn of(path: &Path, params: &TestParams, role: Role) -> Result<Self, SessionError> {
        let refused = |why: &str| {
            Err(SessionError::Option(format!(
                "-F {} does not fit this test: {why}",
                path.display()
            )))
        };
        if !params.protocol.is_reliable() {
            return refused("datagrams carry headers and may be lost; use TCP");
        }
        if params.direction == Direction::Bidirectional {
            return refused(
                "a bidirectional test would send it and write over it; use one direction at a time",
            );
        }
        let mut file = TestFile {
            path: path.to_owned(),
            sends: streams::flow_of(params, 0).sends(role),
            pipe: None,
        };
        let kind = std::fs::metadata(path).map(|about| about.file_type()).ok();
        if file.sends && params.zerocopy && !params.fast && kind.is_some_and(|kind| !kind.is_file())
        {
            return refused("zero-copy sends the pages of a file, and this has none; leave out -Z");
        }
        if kind.is_some_and(|kind| kind.is_fifo()) {
            let opened = file.open_pipe().await;
            file.pipe = Some(opened.map_err(|source| file.failed(source))?);
        } else {
            file.open_as_it_is()?;
        }
        Ok(file)
    }

    /// A blocking open would hold up a thread of the runtime until somebody opens the other end.
    async fn open_pipe(&self) -> io::Result<File> {
        let opened = async {
            if self.sends {
                let reader = pipe::OpenOptions::new().open_receiver(&self.path)?;
                reader.readable().await?;
                return reader.into_nonblocking_fd();
            }
            loop {
                match pipe::OpenOptions::new().open_sender(&self.path) {
                    Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
                        tokio::time::sleep(LOOK).await;
                    }
                    opened => return opened?.into_nonblocking_fd(),
                }
            }
        };
        match tokio::time::timeout(HANDSHAKE, opened).await {
            Ok(opened) => opened.map(File::from),
            Err(_) => {
                let why = "it is a pipe, and nobody has its other end open";
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            }
        }
    }

    fn failed(&self, source: io::Error) -> SessionError {
        SessionError::File {
            doing: if self.sends { "read" } else { "write" },
            path: self.path.display().to_string(),
            source,
        }
    }

    fn open_as_it_is(&self) -> Result<File, SessionError> {
        let mut how = OpenOptions::new();
        how.custom_flags(libc::O_NONBLOCK);
        if self.sends {
            how.read(true);
        } else {
            how.write(true).create(true).truncate(false);
        }
        let file = how.open(&self.path).map_err(|source| self.failed(source))?;
        let about = file.metadata().map_err(|source| self.failed(source))?;
        if about.is_dir() {
            return Err(self.failed(io::ErrorKind::IsADirectory.into()));
        }
        Ok(file)
    }

    /// For one stream. A receiver's is empty from here on.
    pub fn open(&mut self) -> Result<File, SessionError> {
        if let Some(pipe) = self.pipe.take() {
            return Ok(pipe);
        }
        let file = self.open_as_it_is()?;
        let about = file.metadata().map_err(|source| self.failed(source))?;
        if !self.sends && about.is_file() {
            file.set_len(0).map_err(|source| self.failed(source))?;
        }
        Ok(file)
    }

    /// What the report says of it.
    pub fn end(&self) -> DiskFile {
        let about = std::fs::metadata(&self.path).ok();
        DiskFile {
            name: self.path.display().to_string(),
            size: about.filter(Metadata::is_file).map(|about| about.len()),
        }
    }
}

/// What goes after SERVER_ERROR when a server's file cannot be used.
pub fn code_of(error: &SessionError) -> i32 {
    match error {
        SessionError::File { .. } => code::FILE,
        _ => code::UDP_FILE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_report::params::Protocol;

    fn params(protocol: Protocol, direction: Direction) -> TestParams {
        TestParams {
            protocol,
            direction,
            ..TestParams::default()
        }
    }

    async fn refusal(path: &Path, params: &TestParams, role: Role) -> String {
        let refused = TestFile::of(path, params, role).await;
        refused.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn what_cannot_be_sent_or_written_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let absent = dir.path().join("absent/too");
        let forward = params(Protocol::Tcp, Direction::Forward);
        for role in [Role::Client, Role::Server] {
            for path in [absent.as_path(), dir.path()] {
                let error = refusal(path, &forward, role).await;
                assert!(error.contains(&path.display().to_string()), "{error}");
            }
        }
        let file = dir.path().join("there");
        std::fs::write(&file, "data").unwrap();
        for (params, why) in [
            (params(Protocol::Udp, Direction::Forward), "datagrams"),
            (params(Protocol::Tcp, Direction::Bidirectional), "direction"),
        ] {
            let error = refusal(&file, &params, Role::Client).await;
            assert!(error.contains(why), "{error}");
        }
    }

    #[tokio::test]
    async fn a_receivers_file_is_emptied_when_the_stream_is_there_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("there");
        std::fs::write(&path, "data").unwrap();
        let reverse = params(Protocol::Tcp, Direction::Reverse);
        let mut file = TestFile::of(&path, &reverse, Role::Client).await.unwrap();
        assert_eq!(file.end().size, Some(4));
        file.open().unwrap();
        assert_eq!(file.end().size, Some(0));
        let mut sends = TestFile::of(&path, &reverse, Role::Server).await.unwrap();
        std::fs::write(&path, "data").unwrap();
        sends.open().unwrap();
        assert_eq!(sends.end().size, Some(4));
    }
}
