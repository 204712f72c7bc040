//! Several variants on one command line: what stands before the first `--variant` is shared, what follows one up to the
//! next is that variant's. Each is read as a whole command line of its own: the shared flags, and then its own, of
//! which the last counts.

use super::flags::{Flags, given_for_the_process, is_long};
use super::output::OutputKind;
use super::{Action, CliError, ClientAction, Environment, parse_one, value};
use clap::CommandFactory;
use std::collections::HashSet;
use std::ffi::OsString;

/// A sweep has 64 at most, and a mesh measures each of them both ways.
const MOST: usize = 128;
/// Of a command line without `--variant`.
const DEFAULT_NAME: &str = "default";

/// The command line, in parts.
#[derive(Debug)]
struct Groups {
    /// With the program's name.
    shared: Vec<OsString>,
    /// Each begins with its `--variant`.
    variants: Vec<Vec<OsString>>,
}

impl Groups {
    /// No value of another flag begins with two dashes, so that every `--variant` is one.
    fn of(args: Vec<OsString>) -> Groups {
        let mut groups = Groups {
            shared: Vec::new(),
            variants: Vec::new(),
        };
        for arg in args {
            let begins = arg
                .to_str()
                .is_some_and(|a| is_long(a, "variant").is_some());
            if begins && !groups.shared.is_empty() {
                groups.variants.push(Vec::new());
            }
            match groups.variants.last_mut() {
                Some(group) => group.push(arg),
                None => groups.shared.push(arg),
            }
        }
        groups
    }
}

/// Reads a command line of any number of variants (with the program's name).
pub fn parse(args: Vec<OsString>, environment: Environment) -> Result<Action, CliError> {
    let groups = Groups::of(args);
    if groups.variants.len() < 2 {
        let args = groups.shared.into_iter();
        let args = args.chain(groups.variants.into_iter().flatten());
        return parse_one(args.collect(), environment);
    }
    if groups.variants.len() > MOST {
        return Err(CliError::OutOfRange {
            flag: "--variant",
            value: groups.variants.len().to_string(),
            range: "1 to 128 variants",
        });
    }
    for group in &groups.variants {
        let alone = groups.shared.iter().take(1).chain(group);
        // What is wrong in itself is told below.
        if let Ok(matches) = Flags::command().try_get_matches_from(alone)
            && let Some(flag) = given_for_the_process(&matches)
        {
            return Err(CliError::OfAllVariants { flag });
        }
    }
    let read: Vec<_> = groups
        .variants
        .iter()
        .map(|group| {
            let whole = groups.shared.iter().chain(group).cloned();
            parse_one(whole.collect(), environment.clone())
        })
        .collect();
    let shared_error = read.windows(2).all(|two| two[0] == two[1]);
    let mut all: Option<ClientAction> = None;
    for (action, group) in read.into_iter().zip(&groups.variants) {
        let action = match action {
            Ok(Action::Client(action)) => *action,
            // Help, or the version.
            Ok(other) => return Ok(other),
            Err(error) if shared_error => return Err(error),
            Err(error) => return Err(of_variant(group, error)),
        };
        match &mut all {
            None => all = Some(action),
            Some(all) => add(all, action),
        }
    }
    let action = all.ok_or(CliError::NoRole)?;
    let mut names = HashSet::new();
    if let Some(twice) = action.variants.iter().find(|v| !names.insert(&v.name)) {
        return Err(CliError::SameName(twice.name.clone()));
    }
    if action.output.kind == OutputKind::Json {
        return Err(CliError::Conflict(
            "-J",
            "a second --variant",
            "a document is of one test: give --json-stream or --measurement-stream",
        ));
    }
    Ok(Action::Client(Box::new(action)))
}

/// What is the process's is the same in both, but for the notes.
fn add(all: &mut ClientAction, one: ClientAction) {
    let ClientAction {
        variants,
        output,
        repeats: _,
    } = one;
    all.variants.extend(variants);
    for note in output.notes {
        if !all.output.notes.contains(&note) {
            all.output.notes.push(note);
        }
    }
}

/// The error with the variant's name, if it has one.
fn of_variant(group: &[OsString], error: CliError) -> CliError {
    let mut words = group.iter().filter_map(|word| word.to_str());
    let given = match words.next().and_then(|word| is_long(word, "variant")) {
        Some(Some(value)) => Some(value),
        Some(None) | None => words.next(),
    };
    match name(given) {
        Ok(name) => CliError::OfVariant {
            name,
            source: Box::new(error),
        },
        Err(_) => error,
    }
}

/// `--variant`, or what a single one is called.
pub fn name(given: Option<&str>) -> Result<String, CliError> {
    match given {
        Some(text) => value::name(
            "--variant",
            text,
            63,
            |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'),
            "a name (1 to 63 letters, digits, dashes, dots)",
        ),
        None => Ok(DEFAULT_NAME.to_owned()),
    }
}
