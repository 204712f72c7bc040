//! A NetTest on this machine: engine processes take the place of pods. Validation, arguments, aggregation and
//! verdict are the operator's own code.

mod child;
mod conclude;
mod engine;
mod external;
mod here;
mod measure;
mod notes;
mod port;
mod server;

pub use conclude::{End, concluded, refused};
pub use engine::Engine;
pub use here::here;
pub use measure::{LocalError, Measured, SERVER_START, measure};
pub use notes::notes;

use std::io::{self, Read};

/// Random bytes from the system.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}
