//! Why a login cannot be made or checked. Each sentence names the flag and the file.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum LoginError {
    #[error("{flag}: unable to read '{}': {source}; check the path and its permissions", path.display())]
    Unreadable {
        flag: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{flag}: '{}' is no usable RSA key: {why}", path.display())]
    Key {
        flag: &'static str,
        path: PathBuf,
        why: String,
    },
    #[error("--authorized-users-path: '{}' is no list of users: {why}", path.display())]
    Users { path: PathBuf, why: String },
    #[error(
        "the user name and the password are too long for the server's key ({bits} bits hold {room} bytes); use a longer key"
    )]
    TooLong { bits: usize, room: usize },
    #[error(
        "no password for user '{username}': set IPERF3_PASSWORD, or run on a terminal where it can be asked for ({source})"
    )]
    NoPassword { username: String, source: io::Error },
}
