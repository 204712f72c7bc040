//! The secret that a server asks of its client. Random for each attempt and kept nowhere but in the pods' env,
//! so whoever can read runs but not pods cannot connect.

use thiserror::Error;

/// 1 to 20 characters of a-z and 2-7, the alphabet of iperf3's cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct RunToken(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a run token has 1 to 20 characters of a-z and 2-7")]
pub struct TokenError;

impl RunToken {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

    /// 100 bits of the given randomness.
    pub fn from_random(bytes: [u8; 20]) -> RunToken {
        RunToken(
            bytes
                .iter()
                .map(|byte| char::from(Self::ALPHABET[usize::from(byte & 31)]))
                .collect(),
        )
    }

    pub fn parse(text: &str) -> Result<RunToken, TokenError> {
        let fits = (1..=20).contains(&text.len())
            && text.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        fits.then(|| RunToken(text.to_owned())).ok_or(TokenError)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Never in a log.
impl std::fmt::Debug for RunToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RunToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::RunToken;

    #[test]
    fn random_tokens_are_tokens_and_stay_out_of_logs() {
        let token = RunToken::from_random(std::array::from_fn(|i| (i * 37) as u8));
        assert_eq!(token.as_str().len(), 20);
        assert_eq!(RunToken::parse(token.as_str()), Ok(token.clone()));
        assert!(!format!("{token:?}").contains(token.as_str()));
    }

    #[test]
    fn others_are_refused() {
        for text in ["", "A", "abc1", "abcdefghijklmnopqrstu", "a b", "é"] {
            assert!(RunToken::parse(text).is_err(), "{text}");
        }
    }
}
