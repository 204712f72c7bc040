//! The file of those who may test: `name,hex(sha256("{name}password"))` a line, `#` before comments.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use sha2::{Digest, Sha256};

type Sum = [u8; 32];

/// Kept as hashes of the names: all comparisons are of the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Users(Vec<(Sum, Sum)>);

impl Users {
    /// The error says what is wrong with which line. As in iperf3, lines without a comma are no users.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut users = Vec::new();
        for (number, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
            let line = line.trim_end();
            if line.starts_with('#') {
                continue;
            }
            let mut fields = line.split(',');
            let (Some(name), Some(hash)) = (fields.next(), fields.next()) else {
                continue;
            };
            if name.is_empty() {
                return Err(format!("line {number} has no name before the comma"));
            }
            let password = sum_of_hex(hash.trim()).ok_or_else(|| {
                format!("line {number} has no SHA-256 of 64 hexadecimal digits after the name")
            })?;
            users.push((Sha256::digest(name).into(), password));
        }
        if users.is_empty() {
            return Err("it names no user (lines are NAME,SHA256)".to_owned());
        }
        Ok(Users(users))
    }

    /// Takes the same time whoever asks: every user is looked at, and none is told from the next.
    pub fn admit(&self, username: &str, password: &str) -> bool {
        let name: Sum = Sha256::digest(username).into();
        let salted: Sum = Sha256::digest(format!("{{{username}}}{password}")).into();
        self.0.iter().fold(false, |known, (user, hash)| {
            let same_name = verify_slices_are_equal(user, &name).is_ok();
            let same_password = verify_slices_are_equal(hash, &salted).is_ok();
            known | (same_name & same_password)
        })
    }
}

fn sum_of_hex(text: &str) -> Option<Sum> {
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut sum = [0; 32];
    for (at, byte) in sum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of iperf3's manual: mario, rossi.
    const MARIO: &str = "mario,bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b";

    #[test]
    fn the_manuals_example_is_admitted() {
        let text = format!("# comment, with a comma\r\n\r\nnobody\n{MARIO}\r\n");
        let users = Users::parse(&text).unwrap();
        assert!(users.admit("mario", "rossi"));
        for (name, password) in [
            ("mario", "rosso"),
            ("luigi", "rossi"),
            ("", ""),
            ("mario", ""),
        ] {
            assert!(!users.admit(name, password), "{name} {password}");
        }
    }

    #[test]
    fn files_that_admit_nobody_are_refused() {
        for (text, part) in [
            ("", "no user"),
            ("# only,comments\n", "no user"),
            ("mario\n", "no user"),
            ("mario,abc\n", "line 1"),
            (
                "#\nmario,zz7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b",
                "line 2",
            ),
            (
                "mario,+f7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b",
                "line 1",
            ),
            (
                ",bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b",
                "line 1",
            ),
        ] {
            let why = Users::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
