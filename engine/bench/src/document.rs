//! Puts the tables into the document, between its markers; all else in it is written by hand.

use anyhow::{Context, Result};
use std::{fs, path::Path};

const BEGIN: &str = "<!-- bench:begin, written by make bench -->";
const END: &str = "<!-- bench:end -->";

pub fn write(file: &Path, tables: &str) -> Result<()> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = between(&text, tables)
        .with_context(|| format!("{} lacks the line {BEGIN} or {END}", file.display()))?;
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn between(text: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{tables}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let old = format!("# Title\n\n{BEGIN}\n\nold\n\n{END}\nby hand\n");
        let new = between(&old, "| new |\n").expect("markers");
        assert_eq!(
            new,
            format!("# Title\n\n{BEGIN}\n\n| new |\n\n{END}\nby hand\n")
        );
        assert_eq!(between(&new, "| new |\n"), Some(new.clone()));
        assert_eq!(between("no markers", ""), None);
    }

    #[test]
    fn the_document_has_the_markers() {
        assert!(between(include_str!("../../../docs/benchmarks.md"), "").is_some());
    }
}
