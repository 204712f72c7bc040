//! RSA keys in PEM files: public as `openssl rsa -pubout` writes them, private as PKCS#8 or PKCS#1.

use super::LoginError;
use crate::session::Padding;
use aws_lc_rs::rsa::{
    OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, OaepPublicEncryptingKey,
    Pkcs1PrivateDecryptingKey, Pkcs1PublicEncryptingKey, PrivateDecryptingKey, PublicEncryptingKey,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

const PUBLIC: &str = "--rsa-public-key-path";
const PRIVATE: &str = "--rsa-private-key-path";
/// No key file is larger: a device or a disk image in its place is not read into memory.
const LARGEST: u64 = 64 * 1024;

#[derive(Debug)]
pub struct PublicKey(PublicEncryptingKey);

#[derive(Debug)]
pub struct PrivateKey(PrivateDecryptingKey);

impl PublicKey {
    pub fn read(path: &Path) -> Result<Self, LoginError> {
        let of = |why: String| LoginError::Key {
            flag: PUBLIC,
            path: path.to_owned(),
            why,
        };
        let text = text(PUBLIC, path)?;
        let block = Block::first(&text).map_err(&of)?;
        if block.label != "PUBLIC KEY" {
            return Err(of(format!(
                "it holds a '{}' where a 'PUBLIC KEY' is wanted; make one with 'openssl rsa -in KEY -pubout'",
                block.label
            )));
        }
        PublicEncryptingKey::from_der(&block.der)
            .map(PublicKey)
            .map_err(|e| of(format!("{e}; RSA keys of 2048 to 8192 bits are taken")))
    }

    /// The token in base64.
    pub fn encrypt(&self, text: &[u8], padding: Padding) -> Result<String, LoginError> {
        let bits = self.0.key_size_bits();
        let (room, sealed) = match padding {
            Padding::Oaep => {
                let key = OaepPublicEncryptingKey::new(self.0.clone());
                let room = |k: &OaepPublicEncryptingKey| k.max_plaintext_size(&OAEP_SHA1_MGF1SHA1);
                let room = key.as_ref().map(room).unwrap_or_default();
                (
                    room,
                    key.and_then(|key| {
                        let mut out = vec![0; key.ciphertext_size()];
                        let length = key
                            .encrypt(&OAEP_SHA1_MGF1SHA1, text, &mut out, None)?
                            .len();
                        out.truncate(length);
                        Ok(out)
                    }),
                )
            }
            Padding::Pkcs1 => {
                let key = Pkcs1PublicEncryptingKey::new(self.0.clone());
                let room = key
                    .as_ref()
                    .map(Pkcs1PublicEncryptingKey::max_plaintext_size);
                (
                    room.unwrap_or_default(),
                    key.and_then(|key| {
                        let mut out = vec![0; key.ciphertext_size()];
                        let length = key.encrypt(text, &mut out)?.len();
                        out.truncate(length);
                        Ok(out)
                    }),
                )
            }
        };
        sealed
            .map(|sealed| STANDARD.encode(sealed))
            .map_err(|_| LoginError::TooLong { bits, room })
    }
}

impl PrivateKey {
    pub fn read(path: &Path) -> Result<Self, LoginError> {
        let of = |why: String| LoginError::Key {
            flag: PRIVATE,
            path: path.to_owned(),
            why,
        };
        let text = text(PRIVATE, path)?;
        let block = Block::first(&text).map_err(&of)?;
        let der = match block.label.as_str() {
            "PRIVATE KEY" => block.der,
            "RSA PRIVATE KEY" => pkcs8(&block.der),
            "ENCRYPTED PRIVATE KEY" => return Err(of(LOCKED.to_owned())),
            other => {
                return Err(of(format!(
                    "it holds a '{other}' where a 'PRIVATE KEY' is wanted; make one with 'openssl genrsa'"
                )));
            }
        };
        PrivateDecryptingKey::from_pkcs8(&der)
            .map(PrivateKey)
            .map_err(|e| of(format!("{e}; RSA keys of 2048 to 8192 bits are taken")))
    }

    /// The text of a token in base64. `None`: it was not made with this key and padding.
    pub fn decrypt(&self, token: &str, padding: Padding) -> Option<Vec<u8>> {
        let sealed = STANDARD.decode(token).ok()?;
        let text = match padding {
            Padding::Oaep => {
                let key = OaepPrivateDecryptingKey::new(self.0.clone()).ok()?;
                let mut out = vec![0; key.min_output_size()];
                key.decrypt(&OAEP_SHA1_MGF1SHA1, &sealed, &mut out, None)
                    .ok()?
                    .to_vec()
            }
            Padding::Pkcs1 => {
                let key = Pkcs1PrivateDecryptingKey::new(self.0.clone()).ok()?;
                let mut out = vec![0; key.min_output_size()];
                key.decrypt(&sealed, &mut out).ok()?.to_vec()
            }
        };
        Some(text)
    }
}

const LOCKED: &str =
    "it is locked with a passphrase; unlock it with 'openssl rsa -in KEY -out UNLOCKED'";

fn text(flag: &'static str, path: &Path) -> Result<String, LoginError> {
    super::gate::read(path, LARGEST).map_err(|source| LoginError::Unreadable {
        flag,
        path: path.to_owned(),
        source,
    })
}

/// One block of a PEM file.
struct Block {
    label: String,
    der: Vec<u8>,
}

impl Block {
    fn first(text: &str) -> Result<Block, String> {
        let mut lines = text.lines().map(str::trim);
        let label = lines
            .find_map(|line| line.strip_prefix("-----BEGIN ")?.strip_suffix("-----"))
            .ok_or("it has no line '-----BEGIN … KEY-----'")?
            .to_owned();
        let end = format!("-----END {label}-----");
        let mut body = String::new();
        for line in lines {
            if line == end {
                let der = STANDARD.decode(&body);
                let der = der.map_err(|_| "what is between its marks is not base64".to_owned())?;
                return Ok(Block { label, der });
            }
            if line.starts_with("Proc-Type:") && line.ends_with("ENCRYPTED") {
                return Err(LOCKED.to_owned());
            }
            body.push_str(line);
        }
        Err(format!("it ends before '{end}'"))
    }
}

/// PKCS#1 in the wrapping of PKCS#8 (RFC 5208, RFC 8017 A.1.2): version 0, rsaEncryption, the key.
fn pkcs8(pkcs1: &[u8]) -> Vec<u8> {
    const VERSION: [u8; 3] = [0x02, 0x01, 0x00];
    const RSA: [u8; 15] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ];
    let key = der(0x04, pkcs1);
    der(0x30, &[&VERSION[..], &RSA[..], &key[..]].concat())
}

/// One DER value: tag, length, content.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let significant = length.iter().copied().skip_while(|b| *b == 0);
    let significant: Vec<u8> = significant.collect();
    let mut out = vec![tag];
    match significant[..] {
        [] => out.push(0),
        [short] if short < 0x80 => out.push(short),
        _ => {
            out.push(0x80 | significant.len() as u8);
            out.extend_from_slice(&significant);
        }
    }
    out.extend_from_slice(content);
    out
}
