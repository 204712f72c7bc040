//! What only a server takes.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = super::SERVER)]
pub struct Server {
    /// Go into the background once it listens
    #[arg(short = 'D', long)]
    pub daemon: bool,
    /// Leave after one test
    #[arg(short = '1', long)]
    pub one_off: bool,
    /// Tests at a time (default 1)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub max_tests: Option<String>,
    /// Clients of ours that may stand in line when all tests are taken (default 16); one address has a quarter of
    /// the places at the most; others are told "busy"
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub queue: Option<String>,
    /// Seconds that an idle server waits for a test, and then ends with an error; only with -1 or --run-token, any
    /// other server waits on
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub idle_timeout: Option<String>,
    /// Refuse tests that ask for more bits per second in all, and end those that exceed it in the mean of SECONDS
    /// (default 5)
    #[arg(long, value_name = "RATE[KMGT][/SECONDS]", allow_hyphen_values = true)]
    pub server_bitrate_limit: Option<String>,
    /// Refuse tests longer than so many seconds, the omitted part included (0: no limit)
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub server_max_duration: Option<String>,
    /// RSA private key (PEM) that reads logins; with --authorized-users-path only known users may test
    #[arg(long, value_name = "FILE")]
    pub rsa_private_key_path: Option<PathBuf>,
    /// Users who may test: lines of name,SHA-256
    #[arg(long, value_name = "FILE")]
    pub authorized_users_path: Option<PathBuf>,
    /// Seconds that a client's clock may be off at the login (default 10)
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub time_skew_threshold: Option<String>,
    /// Answer GET /healthz on PORT, apart from the test port
    #[arg(long, value_name = "PORT", allow_hyphen_values = true)]
    pub health_port: Option<String>,
}
