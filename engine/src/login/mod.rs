//! iperf3's login: a user name, a password and the time, encrypted for the server's RSA key.
//!
//! - [`token`]: the text inside, pure
//! - [`key`]: RSA keys in PEM files, by a library whose operations take the same time whatever the key and data
//! - [`users`]: the file of those who may test
//! - [`gate`]: the server's decision
//! - [`ask`]: the client's password
//! - [`error`]: why a file or a password is of no use

pub mod ask;
pub mod error;
pub mod gate;
pub mod key;
pub mod token;
pub mod users;

pub use error::LoginError;
pub use gate::{Gate, Refused};

use crate::session::Login;
use jiff::Timestamp;

/// What a client's `authtoken` says. `password`: asked for before.
pub fn token_of(login: &Login, password: &str, now: Timestamp) -> Result<String, LoginError> {
    let key = key::PublicKey::read(&login.public_key)?;
    let text = token::Credentials {
        username: login.username.clone(),
        password: password.to_owned(),
        at: now.as_second(),
    }
    .to_text();
    key.encrypt(text.as_bytes(), login.padding)
}

#[cfg(test)]
mod tests;
