//! The process's number in a file, for as long as the process runs (`-I`).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PidFileError {
    #[error("-I: unable to write the pid file '{path}': {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "-I: the process {pid} holds the pid file '{path}' and still runs; end it or give another file"
    )]
    Held { path: PathBuf, pid: u32 },
}

/// It goes when this goes.
#[derive(Debug)]
pub struct PidFile {
    path: PathBuf,
    file: File,
}

impl PidFile {
    /// Opens it, so that a file that cannot be written is known before anything else begins. A number in it that
    /// belongs to a live process is respected (iperf3's rule).
    pub fn claim(path: &Path) -> Result<PidFile, PidFileError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let io = |source| PidFileError::Io {
            path: path.clone(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(io)?;
        let mut held = String::new();
        // What is not a number is nobody's.
        let _ = (&mut file).take(32).read_to_string(&mut held);
        match held.trim().parse::<u32>() {
            Ok(pid) if pid != std::process::id() && runs(pid) => {
                Err(PidFileError::Held { path, pid })
            }
            _ => Ok(PidFile { path, file }),
        }
    }

    /// Writes the number of this process.
    pub fn write(&mut self) -> Result<(), PidFileError> {
        let number = std::process::id().to_string();
        self.file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .and_then(|()| self.file.write_all(number.as_bytes()))
            .map_err(|source| PidFileError::Io {
                path: self.path.clone(),
                source,
            })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn runs(pid: u32) -> bool {
    pid > 0 && Path::new("/proc").join(pid.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_while_it_is_held() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pid");
        std::fs::write(&path, "not a number, and longer").unwrap();
        let mut file = PidFile::claim(&path).unwrap();
        file.write().unwrap();
        let own = std::process::id().to_string();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn a_live_process_keeps_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pid");
        std::fs::write(&path, "1").unwrap();
        let error = PidFile::claim(&path).unwrap_err();
        assert!(
            matches!(error, PidFileError::Held { pid: 1, .. }),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1");
        let missing = PidFile::claim(&dir.path().join("no/such/folder")).unwrap_err();
        assert!(matches!(missing, PidFileError::Io { .. }), "{missing}");
    }
}
