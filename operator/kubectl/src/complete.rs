//! Completions of `kubectl nettest`: kubectl asks a program `kubectl_complete-nettest`, with the words so far and the one that
//! is being written, and takes a candidate a line, `CANDIDATE\tDESCRIPTION`, and in the last line what the shell shall do with
//! them (`:4`: nothing of its own, as cobra's ShellCompDirectiveNoFileComp). That program is this one under that name.

use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::engine::complete;
use std::ffi::OsString;
use std::path::Path;

const NAME: &str = "kubectl_complete-nettest";

/// Whether it was started to complete.
pub fn is_asked(program: Option<&OsString>) -> bool {
    let name = program.and_then(|program| Path::new(program).file_stem());
    name.is_some_and(|name| name == NAME)
}

/// What may stand in the place of the last of the words. Nothing is asked of a cluster: Tab must not wait for one.
pub fn candidates(words: impl Iterator<Item = OsString>) -> String {
    let words: Vec<OsString> = std::iter::once("kubectl-nettest".into())
        .chain(words)
        .collect();
    let last = words.len() - 1;
    let flag = words
        .last()
        .is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
    let here = std::env::current_dir().ok();
    // A command line that cannot be completed has no candidates; nobody reads an error there.
    let found = complete(&mut Cli::command(), words, last, here.as_deref()).unwrap_or_default();
    let mut text = String::new();
    for candidate in found.iter().filter(|candidate| !candidate.is_hide_set()) {
        let value = candidate.get_value().to_string_lossy();
        // As kubectl: flags for a word that begins as one.
        if value.starts_with('-') && !flag {
            continue;
        }
        text += &value;
        if let Some(help) = candidate.get_help() {
            let help = help.to_string();
            text += &format!("\t{}", help.lines().next().unwrap_or_default());
        }
        text.push('\n');
    }
    text + ":4\n"
}

#[cfg(test)]
mod tests {
    use super::{candidates, is_asked};

    fn of(line: &str) -> Vec<String> {
        let text = candidates(line.split(' ').map(Into::into));
        assert!(text.ends_with(":4\n"), "{text}");
        let lines = text.lines().filter(|line| *line != ":4");
        lines
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn commands_flags_and_values() {
        assert_eq!(of("rep"), ["report"]);
        let commands = of("");
        assert!(commands.contains(&"matrix".to_owned()));
        assert!(!commands.contains(&"--context".to_owned()));
        assert_eq!(of("report --ou"), ["--output", "--out"]);
        assert_eq!(of("report mesh -o ht"), ["html"]);
        assert_eq!(of("why mesh --output j"), ["json"]);
        assert_eq!(of("run --local -f /proc/self/statu"), ["/proc/self/status"]);
        assert!(of("nonsense --wha").is_empty());
    }

    #[test]
    fn the_name_of_the_program_says_what_it_is_for() {
        assert!(is_asked(Some(&"/usr/bin/kubectl_complete-nettest".into())));
        assert!(!is_asked(Some(&"/usr/bin/kubectl-nettest".into())));
        assert!(!is_asked(None));
    }
}
