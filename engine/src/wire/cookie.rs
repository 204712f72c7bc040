//! The 36 characters and a NUL that a client makes up, and that its data connections repeat.

use std::fmt;

/// Bytes on the wire, with the final NUL.
pub const COOKIE_LEN: usize = 37;
const TEXT_LEN: usize = COOKIE_LEN - 1;
/// Characters of a run token in a cookie.
pub const TOKEN_LEN: usize = 20;
/// 28 random characters are left, 140 bits.
const WAITS: &[u8; 8] = b"nettestq";
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Equality is all that a server needs of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cookie([u8; COOKIE_LEN]);

impl Cookie {
    /// From 36 random bytes.
    pub fn random(entropy: [u8; TEXT_LEN]) -> Self {
        let mut bytes = [0; COOKIE_LEN];
        for (to, from) in bytes.iter_mut().zip(entropy) {
            *to = ALPHABET[usize::from(from % 32)];
        }
        Cookie(bytes)
    }

    /// The run's token, padded or cut to 20 characters, then random characters.
    pub fn for_run(token: &str, entropy: [u8; TEXT_LEN]) -> Self {
        let mut cookie = Cookie::random(entropy);
        cookie.0[..TOKEN_LEN].copy_from_slice(&token_part(token));
        cookie
    }

    /// Of a client that will stand in line when the server is busy. To any other server it is a cookie like all.
    pub fn waiting(entropy: [u8; TEXT_LEN]) -> Self {
        let mut cookie = Cookie::random(entropy);
        cookie.0[..WAITS.len()].copy_from_slice(WAITS);
        cookie
    }

    pub fn waits(&self) -> bool {
        self.0.starts_with(WAITS)
    }

    /// What a startup probe sends; it asks whether a test would be taken, and is none.
    pub fn probe() -> Self {
        let mut bytes = [b'a'; COOKIE_LEN];
        bytes[..12].copy_from_slice(b"nettestprobe");
        bytes[TEXT_LEN] = 0;
        Cookie(bytes)
    }

    /// As it came. Old and foreign peers are not held to the alphabet: only equality counts.
    pub fn from_wire(bytes: [u8; COOKIE_LEN]) -> Self {
        Cookie(bytes)
    }

    pub fn is_probe(&self) -> bool {
        *self == Cookie::probe()
    }

    pub fn belongs_to(&self, token: &str) -> bool {
        // No early exit: the time taken says nothing about how much of the token was right.
        let differing = self
            .0
            .iter()
            .zip(token_part(token))
            .fold(0u8, |seen, (a, b)| seen | (a ^ b));
        differing == 0
    }

    pub fn bytes(&self) -> &[u8; COOKIE_LEN] {
        &self.0
    }
}

fn token_part(token: &str) -> [u8; TOKEN_LEN] {
    let mut part = [b'a'; TOKEN_LEN];
    for (to, from) in part.iter_mut().zip(token.bytes()) {
        *to = from;
    }
    part
}

impl fmt::Display for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0[..TEXT_LEN].iter().take_while(|b| **b != 0) {
            let c = if byte.is_ascii_graphic() {
                char::from(*byte)
            } else {
                '?'
            };
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cookie({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_cookie_is_36_characters_of_the_alphabet_and_a_nul() {
        let entropy: [u8; 36] = std::array::from_fn(|i| (i * 37) as u8);
        let cookie = Cookie::random(entropy);
        assert_eq!(cookie.bytes()[36], 0);
        assert!(cookie.bytes()[..36].iter().all(|b| ALPHABET.contains(b)));
        assert_eq!(cookie.to_string().len(), 36);
    }

    #[test]
    fn a_run_token_is_recognised_and_others_are_not() {
        for token in ["abc", "abcdefghij234567abcd", "abcdefghij234567abcdTOOLONG"] {
            assert!(Cookie::for_run(token, [9; 36]).belongs_to(token));
        }
        assert!(!Cookie::for_run("abc", [9; 36]).belongs_to("abd"));
        assert!(!Cookie::random([9; 36]).belongs_to("abc"));
    }

    /// Stock servers see 36 characters of the alphabet, and a random one is not taken for it.
    #[test]
    fn a_client_that_waits_says_so_in_its_cookie() {
        let cookie = Cookie::waiting([9; 36]);
        assert!(cookie.waits() && cookie.bytes()[..36].iter().all(|b| ALPHABET.contains(b)));
        assert_ne!(cookie, Cookie::waiting([8; 36]));
        for other in [
            Cookie::random([9; 36]),
            Cookie::probe(),
            Cookie::for_run("nettestr", [9; 36]),
        ] {
            assert!(!other.waits());
        }
    }

    #[test]
    fn the_probe_is_its_own() {
        assert!(Cookie::probe().is_probe());
        assert_eq!(
            Cookie::probe().to_string(),
            format!("nettestprobe{}", "a".repeat(24))
        );
        assert!(!Cookie::random([0; 36]).is_probe());
    }
}
