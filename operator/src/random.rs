//! Randomness of the kernel, for run tokens and names of processes. The device is in every container, FROM scratch too.

use nettest_core::token::RunToken;
use std::{fs::File, io::Read};

pub fn token() -> Result<RunToken, RandomError> {
    bytes().map(RunToken::from_random)
}

/// A number that no other process has.
pub fn distinction() -> Result<String, RandomError> {
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes()?)))
}

fn bytes<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")
        .and_then(|mut device| device.read_exact(&mut bytes))
        .map_err(RandomError)?;
    Ok(bytes)
}

#[derive(Debug, thiserror::Error)]
#[error("no randomness from /dev/urandom: {0}")]
pub struct RandomError(#[source] std::io::Error);
