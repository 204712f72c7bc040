//! What a name on the command line means.

use std::str::FromStr;
use thiserror::Error;

/// A test, or one of its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Test(String),
    Run(String),
}

#[derive(Debug, Error)]
#[error("'{0}' names nothing; write the name of a NetTest, or run/NAME for one of its runs")]
pub struct TargetError(String);

impl FromStr for Target {
    type Err = TargetError;

    /// As kubectl takes kinds: singular, plural, short, with or without the group.
    fn from_str(text: &str) -> Result<Target, TargetError> {
        let wrong = || TargetError(text.to_owned());
        let (kind, name) = text.split_once('/').unwrap_or(("nettest", text));
        if name.is_empty() || name.contains('/') {
            return Err(wrong());
        }
        let kind = kind.to_ascii_lowercase();
        match kind.strip_suffix(".nettest.dev").unwrap_or(&kind) {
            "nettest" | "nettests" | "nt" => Ok(Target::Test(name.to_owned())),
            "nettestrun" | "nettestruns" | "ntr" | "run" | "runs" => {
                Ok(Target::Run(name.to_owned()))
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds() {
        for text in ["a", "nettest/a", "nt/a", "NetTests.nettest.dev/a"] {
            assert_eq!(
                text.parse::<Target>().unwrap(),
                Target::Test("a".into()),
                "{text}"
            );
        }
        for text in ["run/a", "ntr/a", "nettestruns/a"] {
            assert_eq!(
                text.parse::<Target>().unwrap(),
                Target::Run("a".into()),
                "{text}"
            );
        }
        for text in ["", "/", "run/", "pod/a", "run/a/b"] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains("run/NAME"), "{text}: {error}");
        }
    }
}
