//! Colour for the verdict, on a terminal that wants it.

use nettest_api::result::Verdict;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

static REFUSED: AtomicBool = AtomicBool::new(false);

/// The user wants none.
pub fn refuse() {
    REFUSED.store(true, Ordering::Relaxed);
}

/// Whether standard output shows colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(bool);

impl Colour {
    pub fn of_stdout() -> Colour {
        let env = |name| std::env::var_os(name);
        if REFUSED.load(Ordering::Relaxed) {
            return Colour(false);
        }
        Colour::decide(
            std::io::stdout().is_terminal(),
            env("NO_COLOR").as_deref(),
            env("TERM").as_deref(),
        )
    }

    #[cfg(test)]
    pub fn none() -> Colour {
        Colour(false)
    }

    /// NO_COLOR counts when it is set to anything but nothing (no-color.org).
    fn decide(terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> Colour {
        let refused = no_color.is_some_and(|value| !value.is_empty());
        Colour(terminal && !refused && term != Some(OsStr::new("dumb")))
    }

    /// What is not as it should be.
    pub fn bad(self, text: &str) -> String {
        if self.0 {
            format!("\x1b[1;31m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// The verdict in capitals.
    pub fn verdict(self, verdict: Verdict) -> String {
        let (code, word) = match verdict {
            Verdict::Passed => (32, "PASSED"),
            Verdict::Failed => (31, "FAILED"),
            Verdict::Error => (33, "ERROR"),
        };
        if self.0 {
            format!("\x1b[1;{code}m{word}\x1b[0m")
        } else {
            word.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_that_did_not_refuse() {
        let decide = |terminal, no_color: Option<&str>, term: Option<&str>| {
            Colour::decide(terminal, no_color.map(OsStr::new), term.map(OsStr::new)).0
        };
        assert!(decide(true, None, Some("xterm")));
        assert!(decide(true, Some(""), None));
        assert!(!decide(true, Some("1"), None));
        assert!(!decide(true, None, Some("dumb")));
        assert!(!decide(false, None, Some("xterm")));
    }

    #[test]
    fn plain_text_without_colour() {
        assert_eq!(Colour(false).verdict(Verdict::Passed), "PASSED");
        assert_eq!(
            Colour(true).verdict(Verdict::Failed),
            "\x1b[1;31mFAILED\x1b[0m"
        );
    }
}
