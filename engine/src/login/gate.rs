//! Whether a client may test: the server's key, its users, and the clock.

use super::LoginError;
use super::key::PrivateKey;
use super::token::Credentials;
use super::users::Users;
use crate::session::Guard;
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Room for some ten thousand users.
const LARGEST_LIST: u64 = 1 << 20;

#[derive(Debug)]
pub struct Gate {
    guard: Guard,
    key: PrivateKey,
    users: Mutex<Users>,
}

/// Why a client was not let in: for the server's own log. The client is told the same whatever it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    NoToken,
    /// Not decrypted: another key, another padding, or no token at all.
    Unreadable,
    Late,
    Unknown,
}

impl Refused {
    pub fn describe(self) -> &'static str {
        match self {
            Refused::NoToken => "it sent no login",
            Refused::Unreadable => {
                "its login cannot be decrypted; check that both ends use the same key pair and padding"
            }
            Refused::Late => "its login is too old or too new; check the clocks of both ends",
            Refused::Unknown => "the user is unknown or the password wrong",
        }
    }
}

impl Gate {
    pub fn open(guard: &Guard) -> Result<Gate, LoginError> {
        Ok(Gate {
            key: PrivateKey::read(&guard.private_key)?,
            users: Mutex::new(users(&guard.users)?),
            guard: guard.clone(),
        })
    }

    /// Others on this machine can read the private key.
    pub fn is_key_exposed(&self) -> bool {
        std::fs::metadata(&self.guard.private_key)
            .is_ok_and(|m| m.permissions().mode() & 0o004 != 0)
    }

    /// The name of who is let in. The list is read anew each time, as in iperf3; the last good one stands in for one
    /// that is being written.
    pub fn admit(&self, token: Option<&str>, now: Timestamp) -> Result<String, Refused> {
        let read = users(&self.guard.users);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(fresh) = read {
            *users = fresh;
        }
        let Some(token) = token else {
            return Err(Refused::NoToken);
        };
        let text = self.key.decrypt(token, self.guard.padding);
        let said = text.and_then(|text| Credentials::parse(&text));
        // Whatever came, the whole list is gone through: the time taken says nothing about what was wrong.
        let asked = said.clone().unwrap_or(Credentials {
            username: String::new(),
            password: String::new(),
            at: 0,
        });
        let known = users.admit(&asked.username, &asked.password);
        match said {
            None => Err(Refused::Unreadable),
            Some(said) if !said.is_fresh(now, self.guard.skew) => Err(Refused::Late),
            Some(_) if !known => Err(Refused::Unknown),
            Some(said) => Ok(said.username),
        }
    }
}

fn users(path: &Path) -> Result<Users, LoginError> {
    let text = read(path, LARGEST_LIST).map_err(|source| LoginError::Unreadable {
        flag: "--authorized-users-path",
        path: path.to_owned(),
        source,
    })?;
    Users::parse(&text).map_err(|why| LoginError::Users {
        path: path.to_owned(),
        why,
    })
}

/// A text file of at most `largest` bytes.
pub(super) fn read(path: &Path, largest: u64) -> io::Result<String> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        // A pipe nobody writes to would stop the server here.
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a file",
        ));
    }
    let mut text = String::new();
    file.take(largest + 1).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        let why = format!("it is larger than {largest} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    Ok(text)
}
