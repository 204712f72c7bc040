//! Arguments of the commands that are about a test or a run that is there.

use super::{Output, ProgressArgs, parse_time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const NAME: &str = "A NetTest, of which the latest run is meant; or run/NAME, one of its runs";

#[derive(Debug, Clone, Args)]
pub struct WatchArgs {
    #[arg(value_name = "NAME", help = NAME)]
    pub name: String,

    #[command(flatten)]
    pub progress: ProgressArgs,

    /// Stop watching after this time, e.g. 90s or 1h. The run itself goes on.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_time)]
    pub timeout: Duration,

    /// What to print at the end; the rows go to standard error where it is yaml or json.
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table"
    )]
    pub output: Output,
}

/// For people, or the same for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Table,
    Yaml,
    Json,
}

#[derive(Debug, Clone, Args)]
pub struct FormArgs {
    /// What to print.
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table"
    )]
    pub output: Form,
}

#[derive(Debug, Clone, Args)]
pub struct WhyArgs {
    #[arg(value_name = "NAME", help = NAME)]
    pub name: String,

    #[command(flatten)]
    pub form: FormArgs,
}

#[derive(Debug, Clone, Args)]
pub struct HistoryArgs {
    /// A NetTest.
    #[arg(value_name = "NAME")]
    pub name: String,

    #[command(flatten)]
    pub form: FormArgs,
}

#[derive(Debug, Clone, Args)]
pub struct MatrixArgs {
    #[arg(value_name = "NAME", help = NAME)]
    pub name: String,

    /// Zones in place of nodes: the median of their pairs.
    #[arg(long)]
    pub zones: bool,

    /// Only this variant of a sweep.
    #[arg(long, value_name = "VARIANT")]
    pub variant: Option<String>,

    #[command(flatten)]
    pub form: FormArgs,
}

#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    #[arg(value_name = "BEFORE", help = NAME)]
    pub before: String,

    #[arg(value_name = "AFTER", help = NAME)]
    pub after: String,

    #[command(flatten)]
    pub form: FormArgs,
}

#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    #[arg(value_name = "NAME", help = NAME)]
    pub name: String,

    /// Form of the report; else what the end of the name of --out says; without --out Markdown.
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<ReportFormat>,

    /// Write it to this file; else to standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub progress: ProgressArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One file with everything in it, to look at or to print.
    Html,
    /// Markdown.
    Md,
    /// The run, its pairs, and the documents of what was measured.
    Json,
    /// For CI: a testcase a threshold.
    Junit,
    /// A row a pair, variant and direction.
    Csv,
}

#[derive(Debug, Clone, Args)]
pub struct CleanupArgs {
    /// A NetTest, whose finished runs are deleted; or run/NAME.
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub name: Option<String>,

    /// All finished runs of the namespace.
    #[arg(long)]
    pub all: bool,

    /// Only say what would be deleted.
    #[arg(long)]
    pub dry_run: bool,

    /// Do not ask.
    #[arg(short, long)]
    pub yes: bool,

    #[command(flatten)]
    pub form: FormArgs,

    #[command(flatten)]
    pub progress: ProgressArgs,
}
