//! Why a command line was refused: one sentence a variant, each names its flag.

use nettest_report::units::UnitError;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CliError {
    /// An unknown flag, a missing value: the parser's own words.
    #[error("{0}")]
    Usage(String),
    #[error("must either be a client (-c HOST), a server (-s) or a probe (--probe)")]
    NoRole,
    #[error("{flag}: {source}")]
    Unit {
        flag: &'static str,
        source: UnitError,
    },
    #[error("{flag}: '{value}' is not {wanted}")]
    NotA {
        flag: &'static str,
        value: String,
        wanted: &'static str,
    },
    #[error("{flag}: {value} is out of range; give {range}")]
    OutOfRange {
        flag: &'static str,
        value: String,
        range: &'static str,
    },
    #[error("{0} and {1} cannot be given together; {2}")]
    Conflict(&'static str, &'static str, &'static str),
    #[error("{flag} needs {needs}")]
    Needs {
        flag: &'static str,
        needs: &'static str,
    },
    #[error("{flag} is for {role} only; leave it out")]
    WrongRole { flag: String, role: &'static str },
    #[error("{flag} is for all variants; give it before the first --variant")]
    OfAllVariants { flag: String },
    #[error("--variant: {0} is given twice; give each variant a name of its own")]
    SameName(String),
    /// One of several variants is wrong.
    #[error("variant {name}: {source}")]
    OfVariant { name: String, source: Box<CliError> },
}
