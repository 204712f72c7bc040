//! What the operator gives its pods.

use clap::Args;
use std::path::PathBuf;

/// Flags here that only a client takes, by id.
pub const CLIENT_ONLY: &[&str] = &[
    "measurement_stream",
    "variant",
    "repeats",
    "repeat_pause",
    "max_spread_percent",
    "max_repeats",
];

#[derive(Debug, Args)]
#[command(next_help_heading = "In a cluster")]
pub struct Cluster {
    /// Secret that client and server share (also NETTEST_RUN_TOKEN)
    #[arg(long, value_name = "TOKEN")]
    pub run_token: Option<String>,
    /// So many CPUs must be this process's own
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub require_exclusive_cpus: Option<String>,
    /// Write event lines: intervals, measurements, the digest
    #[arg(long)]
    pub measurement_stream: bool,
    /// UID of the run
    #[arg(long, value_name = "UID")]
    pub run_uid: Option<String>,
    /// Number of the attempt
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub attempt: Option<String>,
    /// Name of the variant. Given several times (at most 128), what follows a name up to the next is that variant's alone,
    /// and what stands before the first is every variant's
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// How often to measure, each variant once a round
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub repeats: Option<String>,
    /// Seconds between two measurements
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub repeat_pause: Option<String>,
    /// After --repeats, measure a variant again while its received rates lie further apart than PERCENT of their median
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub max_spread_percent: Option<String>,
    /// Measure no variant more often, however far apart its rates lie
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_repeats: Option<String>,
    /// Write the digest to FILE at the end
    #[arg(long, value_name = "FILE")]
    pub digest_file: Option<PathBuf>,
}
