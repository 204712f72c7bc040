//! The whole digest that a stub stands for: the last line of the engine's log.

use super::{Digest, DocumentSum};

/// What stands around the digest's JSON in its line ([`crate::event::Event::Digest`]).
const BEFORE: &str = r#"{"event":"digest","data":"#;
const AFTER: &str = "}";

/// The digest of the line whose JSON text has the stub's checksum and length, and is of its run and attempt. `None`: the
/// log has no such line (any more), or `stub` is none.
pub fn find_in_log(log: &str, stub: &Digest) -> Option<Digest> {
    let wanted = stub.figures_in_log.as_ref()?;
    let found = |json: &str| {
        // A checksum costs more than a look at the length, and a log has many lines.
        if json.len() as u64 != wanted.bytes {
            return None;
        }
        let sum = DocumentSum::of(json);
        if !sum.sha256.eq_ignore_ascii_case(&wanted.sha256) {
            return None;
        }
        let digest: Digest = serde_json::from_str(json).ok()?;
        (digest.run == stub.run && digest.attempt == stub.attempt).then_some(digest)
    };
    log.lines()
        .rev()
        .filter_map(|line| line.trim().strip_prefix(BEFORE)?.strip_suffix(AFTER))
        .find_map(found)
}
