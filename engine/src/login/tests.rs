//! Keys, tokens and the gate together. The keys are made here, for the test.

use super::gate::{Gate, Refused};
use super::key::{PrivateKey, PublicKey};
use super::*;
use crate::session::{Guard, Padding, Password};
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rsa::{KeySize, PrivateDecryptingKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{Timestamp, ToSpan};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

const USERS: &str =
    "# users\nmario,bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b\n";

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    )
}

struct Files {
    _dir: TempDir,
    guard: Guard,
    login: Login,
}

/// Making a key takes long: one for all tests.
fn key() -> &'static (Vec<u8>, Vec<u8>) {
    static KEY: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    KEY.get_or_init(|| {
        let private = PrivateDecryptingKey::generate(KeySize::Rsa2048).unwrap();
        let public: PublicKeyX509Der<'_> = private.public_key().as_der().unwrap();
        let secret: Pkcs8V1Der<'_> = private.as_der().unwrap();
        (secret.as_ref().to_vec(), public.as_ref().to_vec())
    })
}

fn files(padding: Padding) -> Files {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (private, public) = key();
    Files {
        guard: Guard {
            private_key: write("private.pem", &pem("PRIVATE KEY", private)),
            users: write("users.csv", USERS),
            skew: Duration::from_secs(10),
            padding,
        },
        login: Login {
            username: "mario".to_owned(),
            password: Some(Password("rossi".to_owned())),
            public_key: write("public.pem", &pem("PUBLIC KEY", public)),
            padding,
        },
        _dir: dir,
    }
}

#[test]
fn a_login_is_admitted_with_either_padding_and_not_with_the_other() {
    let now = Timestamp::now();
    for padding in [Padding::Oaep, Padding::Pkcs1] {
        let files = files(padding);
        let gate = Gate::open(&files.guard).unwrap();
        let token = token_of(&files.login, "rossi", now).unwrap();
        assert_eq!(gate.admit(Some(&token), now), Ok("mario".to_owned()));
        let other = Login {
            padding: match padding {
                Padding::Oaep => Padding::Pkcs1,
                Padding::Pkcs1 => Padding::Oaep,
            },
            ..files.login.clone()
        };
        let token = token_of(&other, "rossi", now).unwrap();
        assert_eq!(gate.admit(Some(&token), now), Err(Refused::Unreadable));
    }
}

#[test]
fn each_refusal_is_known_to_the_server() {
    let files = files(Padding::Oaep);
    let gate = Gate::open(&files.guard).unwrap();
    let now = Timestamp::now();
    let token = |login: &Login, password: &str| token_of(login, password, now).unwrap();
    assert_eq!(gate.admit(None, now), Err(Refused::NoToken));
    let wrong = token(&files.login, "bianchi");
    assert_eq!(gate.admit(Some(&wrong), now), Err(Refused::Unknown));
    let luigi = Login {
        username: "luigi".to_owned(),
        ..files.login.clone()
    };
    let stranger = token(&luigi, "rossi");
    assert_eq!(gate.admit(Some(&stranger), now), Err(Refused::Unknown));
    let right = token(&files.login, "rossi");
    let later = now + 12.seconds();
    assert_eq!(gate.admit(Some(&right), later), Err(Refused::Late));
}

/// CVE-2025-54349 and -54350, OSS-Fuzz 474401004: long and malformed tokens.
#[test]
fn malformed_tokens_are_refused() {
    let files = files(Padding::Oaep);
    let gate = Gate::open(&files.guard).unwrap();
    let now = Timestamp::now();
    let long = STANDARD.encode(vec![7; 5000]);
    let short = STANDARD.encode([7; 3]);
    for token in [
        "", "=", "==", "====", "a", "\u{e4}", "!!!!", "AAAA=AAA", &long, &short,
    ] {
        assert_eq!(
            gate.admit(Some(token), now),
            Err(Refused::Unreadable),
            "{token}"
        );
    }
}

#[test]
fn the_list_is_read_anew_and_a_broken_one_does_not_lock_everybody_out() {
    let files = files(Padding::Oaep);
    let gate = Gate::open(&files.guard).unwrap();
    let now = Timestamp::now();
    let token = token_of(&files.login, "rossi", now).unwrap();
    std::fs::write(&files.guard.users, "mario,half").unwrap();
    assert_eq!(gate.admit(Some(&token), now), Ok("mario".to_owned()));
    let other = USERS.replace("mario", "luigi");
    std::fs::write(&files.guard.users, other).unwrap();
    assert_eq!(gate.admit(Some(&token), now), Err(Refused::Unknown));
}

#[test]
fn bad_files_are_named_with_their_flag() {
    let files = files(Padding::Oaep);
    let dir = files.guard.users.parent().unwrap();
    let said = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        PrivateKey::read(&path).unwrap_err().to_string()
    };
    let (private, public) = key();
    let locked = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    for (text, part) in [
        ("", "no line"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n", "ends before"),
        (
            "-----BEGIN PRIVATE KEY-----\n????\n-----END PRIVATE KEY-----\n",
            "base64",
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "2048",
        ),
        (&pem("ENCRYPTED PRIVATE KEY", private), "passphrase"),
        (locked, "passphrase"),
        (&pem("PUBLIC KEY", public), "'PUBLIC KEY'"),
        (&"x".repeat(70_000), "larger"),
    ] {
        let said = said("bad.pem", text);
        assert!(said.starts_with("--rsa-private-key-path: "), "{said}");
        assert!(said.contains("bad.pem") && said.contains(part), "{said}");
    }
    let missing = PublicKey::read(&dir.join("none.pem"))
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("--rsa-public-key-path") && missing.contains("none.pem"),
        "{missing}"
    );
    let folder = PublicKey::read(dir).unwrap_err().to_string();
    assert!(folder.contains("not a file"), "{folder}");
}

#[test]
fn what_does_not_fit_into_the_key_is_said_so() {
    let files = files(Padding::Oaep);
    let said = token_of(&files.login, &"x".repeat(300), Timestamp::now());
    let said = said.unwrap_err().to_string();
    assert!(said.contains("too long") && said.contains("214"), "{said}");
}
