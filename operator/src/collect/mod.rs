//! The documents of a measurement: read from pods/log, checked against the digest's checksum, kept gzip in a
//! ConfigMap. Nothing here can fail a run: what is missing or does not fit is `truncated`.
//!
//! - [`log`]: the read
//! - [`documents`]: what of it is kept (pure)

pub mod documents;
pub mod log;

pub use documents::{Documents, keep};
pub use log::read_log;
