//! Randomness of the kernel, for run tokens. The device is in every container, FROM scratch too.

use nettest_core::token::RunToken;
use std::{fs::File, io::Read};

pub fn token() -> Result<RunToken, RandomError> {
    let mut bytes = [0; 20];
    File::open("/dev/urandom")
        .and_then(|mut device| device.read_exact(&mut bytes))
        .map_err(RandomError)?;
    Ok(RunToken::from_random(bytes))
}

#[derive(Debug, thiserror::Error)]
#[error("no randomness for a run's token from /dev/urandom: {0}")]
pub struct RandomError(#[source] std::io::Error);
