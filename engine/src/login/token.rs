//! The text that a token carries: three lines, as iperf3 writes them.

use jiff::Timestamp;
use std::time::Duration;

/// Who somebody says to be, and when it was said.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub username: String,
    pub password: String,
    /// Seconds since 1970, by the client's clock.
    pub at: i64,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Credentials {
            username,
            password: _,
            at,
        } = self;
        write!(f, "Credentials({username:?}, …, {at})")
    }
}

impl Credentials {
    pub fn to_text(&self) -> String {
        let Credentials {
            username,
            password,
            at,
        } = self;
        format!("user: {username}\npwd:  {password}\nts:   {at}")
    }

    /// `None`: not these three lines. iperf3 reads words, so that blanks end a name or a password there; here the
    /// line's end does.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let mut lines = text.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::trim);
        let username = field("user:")?.to_owned();
        let password = field("pwd:")?.to_owned();
        let at = field("ts:")?.parse().ok()?;
        (!username.is_empty()).then_some(Credentials {
            username,
            password,
            at,
        })
    }

    /// Whether it was said within `skew` of `now`, either way. A replay is as good as the original for so long: that
    /// is iperf3's protocol.
    pub fn is_fresh(&self, now: Timestamp, skew: Duration) -> bool {
        self.at.abs_diff(now.as_second()) <= skew.as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(at: i64) -> Credentials {
        Credentials {
            username: "mario".to_owned(),
            password: "rossi".to_owned(),
            at,
        }
    }

    #[test]
    fn the_text_is_iperf3s_and_comes_back() {
        let text = said(1_700_000_000).to_text();
        assert_eq!(text, "user: mario\npwd:  rossi\nts:   1700000000");
        assert_eq!(
            Credentials::parse(text.as_bytes()),
            Some(said(1_700_000_000))
        );
    }

    #[test]
    fn what_is_not_these_three_lines_is_nothing() {
        for text in [
            "",
            "user: a",
            "user: a\npwd: b",
            "user: a\npwd: b\nts: x",
            "user: a\npwd: b\nts: 99999999999999999999",
            "pwd: b\nuser: a\nts: 1",
            "user: \npwd: b\nts: 1",
        ] {
            assert_eq!(Credentials::parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(Credentials::parse(b"user: \xff\npwd: b\nts: 1"), None);
    }

    #[test]
    fn passwords_may_have_blanks_inside() {
        let with = Credentials {
            password: "pass word, with {all}".to_owned(),
            ..said(5)
        };
        assert_eq!(Credentials::parse(with.to_text().as_bytes()), Some(with));
    }

    #[test]
    fn a_clock_may_be_off_by_the_skew_and_no_more() {
        let now = Timestamp::from_second(1000).unwrap();
        let skew = Duration::from_secs(10);
        for (at, fresh) in [(989, false), (990, true), (1010, true), (1011, false)] {
            assert_eq!(said(at).is_fresh(now, skew), fresh, "{at}");
        }
        assert!(!said(i64::MIN).is_fresh(now, skew));
        assert!(!said(i64::MAX).is_fresh(now, skew));
    }
}
