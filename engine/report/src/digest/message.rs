//! A digest as a pod's termination message, of at most [`MAX_DIGEST_BYTES`]:
//!
//! 1. its JSON, when that fits;
//! 2. `z1:` and base64 of the JSON's raw deflate (RFC 1951);
//! 3. a stub in the first of these two forms that fits: without the figures, which are in the log's digest line.
//!
//! What is read may be anybody's text: nothing in it makes [`decode`] panic or take much memory.

use super::{Digest, DocumentSum, LONGEST_MESSAGE, MAX_DIGEST_BYTES};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{self, Read, Write};
use thiserror::Error;

/// Before a compressed digest.
const COMPRESSED: &str = "z1:";
/// Nothing longer is read, nor inflated: the digest of 64 variants in 50 repeats has less than one MiB.
pub const MOST_BYTES: usize = 4 << 20;

/// Why a text is no digest.
#[derive(Debug, Error)]
pub enum DecodeError {
    #[error("it has more than {MOST_BYTES} bytes")]
    TooLong,
    #[error("its base64 is damaged: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("it does not inflate: {0}")]
    Deflate(#[source] io::Error),
    #[error("it is no digest: {0}")]
    Json(#[from] serde_json::Error),
}

/// The termination message. It fits whatever the digest holds (a `run` above a KiB apart, which no command line
/// makes): what cannot be told is left out, and named.
pub fn encode(digest: &Digest) -> String {
    let json = json(digest);
    if let Some(text) = fitting(&json) {
        return text;
    }
    let mut stub = digest.clone();
    if !stub.figures.is_empty() {
        stub.figures.clear();
        stub.figures_in_log = Some(DocumentSum::of(&json));
    }
    let without_hosts = |stub: &mut Digest| {
        if stub.client_host.take().is_some() | stub.server_host.take().is_some() {
            let note = "left out for space: host facts";
            stub.message = match stub.message.as_str() {
                "" => note.to_owned(),
                said => cut(&format!("{note}; {said}"), LONGEST_MESSAGE),
            };
        }
    };
    // Escaped control characters swell sixfold, and may not compress.
    let shorter = |stub: &mut Digest| stub.message = cut(&stub.message, stub.message.len() / 2);
    if let Some(text) = fitting(&self::json(&stub)) {
        return text;
    }
    without_hosts(&mut stub);
    loop {
        let json = self::json(&stub);
        if let Some(text) = fitting(&json) {
            return text;
        }
        if stub.message.is_empty() {
            return json;
        }
        shorter(&mut stub);
    }
}

/// A digest from any of the forms. Whose it is, and which version, is the reader's to check; a stub's figures are in the
/// log ([`super::find_in_log`]). Errors: anything else.
pub fn decode(text: &str) -> Result<Digest, DecodeError> {
    let text = text.trim();
    if text.len() > MOST_BYTES {
        return Err(DecodeError::TooLong);
    }
    let Some(packed) = text.strip_prefix(COMPRESSED) else {
        return Ok(serde_json::from_str(text)?);
    };
    let deflated = STANDARD.decode(packed)?;
    let mut json = Vec::new();
    let mut inflating = DeflateDecoder::new(deflated.as_slice()).take(MOST_BYTES as u64 + 1);
    inflating
        .read_to_end(&mut json)
        .map_err(DecodeError::Deflate)?;
    if json.len() > MOST_BYTES {
        return Err(DecodeError::TooLong);
    }
    Ok(serde_json::from_slice(&json)?)
}

/// The text of the digest line too, so that checksums agree.
fn json(digest: &Digest) -> String {
    // Its keys are text and its numbers finite, so that nothing can fail.
    serde_json::to_string(digest).unwrap_or_default()
}

/// The first form that fits.
fn fitting(json: &str) -> Option<String> {
    if json.len() <= MAX_DIGEST_BYTES {
        return Some(json.to_owned());
    }
    compressed(json)
        .ok()
        .filter(|text| text.len() <= MAX_DIGEST_BYTES)
}

fn compressed(json: &str) -> io::Result<String> {
    let mut deflating = DeflateEncoder::new(Vec::new(), Compression::best());
    deflating.write_all(json.as_bytes())?;
    let deflated = deflating.finish()?;
    Ok(COMPRESSED.to_owned() + &STANDARD.encode(deflated))
}

/// At most `bytes` of the text, cut between characters.
pub fn cut(text: &str, bytes: usize) -> String {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
