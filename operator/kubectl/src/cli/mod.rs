//! The command line.

mod access;
mod named;

pub use access::AccessArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
pub use named::{
    CleanupArgs, CompareArgs, Form, HistoryArgs, MatrixArgs, ReportArgs, ReportFormat, WatchArgs,
    WhyArgs,
};
use std::path::PathBuf;
use std::time::Duration;

/// Measure the network with NetTests: on this machine or in a cluster.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-nettest",
    bin_name = "kubectl nettest",
    version,
    max_term_width = 100
)]
pub struct Cli {
    /// No colours, whatever the terminal; so does the variable NO_COLOR.
    #[arg(long, global = true)]
    pub no_color: bool,

    #[command(flatten)]
    pub access: AccessArgs,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the NetTests of a file and show what they measured.
    #[command(after_help = AFTER_RUN)]
    Run(RunArgs),

    /// Follow a run that is going: its rows, its pairs, and the result at its end.
    #[command(after_help = AFTER_WATCH)]
    Watch(WatchArgs),

    /// Write a report of the latest run that has ended.
    #[command(after_help = AFTER_REPORT)]
    Report(ReportArgs),

    /// Two runs side by side: what changed, and whether it is more than noise.
    Compare(CompareArgs),

    /// A mesh as a table: from each node to each.
    Matrix(MatrixArgs),

    /// The runs of a test.
    History(HistoryArgs),

    /// Why a run ended as it did, or what it waits for.
    Why(WhyArgs),

    /// Delete finished runs, and with them their pods and ConfigMaps.
    Cleanup(CleanupArgs),

    /// Completions of this command line for a shell.
    Completion {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

const AFTER_REPORT: &str = "\
Examples:
  kubectl nettest report mesh --out mesh.html
  kubectl nettest report run/mesh-3 -o csv > mesh.csv";

const AFTER_WATCH: &str = "\
The rows come from the logs of the client pods, with your own rights (pods/log). Ctrl-C ends the watching; the run
goes on. The exit code is the run's, as of kubectl nettest run.";

const AFTER_RUN: &str = "\
Exit codes:
  0  every test was measured and met its thresholds
  1  a test was measured, and missed a threshold or was unstable
  2  a test could not be measured, or the command line or a file is wrong

Examples:
  kubectl nettest run --local -f examples/quickstart.yaml
  kubectl nettest run -f examples/pair-tcp.yaml -o yaml
  cat test.yaml | kubectl nettest run -f - --report result.json";

#[derive(Debug, Clone, Copy, Args)]
pub struct ProgressArgs {
    /// No progress on standard error.
    #[arg(short, long, visible_alias = "no-progress")]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// File with one or more NetTests (YAML or JSON); `-` reads standard input. May be given several times.
    #[arg(short = 'f', long = "filename", value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Run on this machine, without a cluster: client and server on the loopback address, or with topology.type
    /// External the client alone.
    #[arg(long)]
    pub local: bool,

    /// What to print when a test has ended.
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table"
    )]
    pub output: Output,

    /// Write a report to this file, by the end of its name: .html, .md, .xml (JUnit), .csv; .json and .yaml: the
    /// NetTests with their status. Its directory must exist.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub progress: ProgressArgs,

    /// In a cluster: the rows of each interval as they are measured, on standard error.
    #[arg(long, conflicts_with = "local")]
    pub watch: bool,

    /// The measuring program; else the one beside this program, else from PATH.
    #[arg(long, env = "NETTEST_ENGINE", value_name = "PATH")]
    pub engine: Option<PathBuf>,

    /// Take over fields that another tool set, such as `kubectl apply`.
    #[arg(long, conflicts_with = "local")]
    pub force_conflicts: bool,

    /// Stop waiting for a test after this time, e.g. 90s or 1h. The test itself goes on in the cluster.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_time, conflicts_with = "local")]
    pub timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table of results, the thresholds, the verdict; with --local before them each repeat's rows (of long
    /// tests only the totals).
    Table,
    /// As table, with more columns; with --local every row of long tests too.
    Wide,
    /// The NetTests with their status.
    Yaml,
    Json,
}

/// A deadline further off than the clock counts would be a panic of `Instant`.
const LONGEST: Duration = Duration::from_secs(8_760 * 3_600);

/// As Kubernetes writes it (`1m30s`); a bare number is seconds, as kubectl takes it.
fn parse_time(text: &str) -> Result<Duration, String> {
    let with_unit = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{text}s")
    } else {
        text.to_owned()
    };
    let wrong = || format!("'{text}' is no time; write for example 90s, 5m or 1h30m");
    let span: jiff::SignedDuration = with_unit.parse().map_err(|_| wrong())?;
    let time = Duration::try_from(span).map_err(|_| wrong())?;
    if time.is_zero() {
        return Err("give more than 0s".to_owned());
    }
    if time > LONGEST {
        return Err("give at most 8760h, which is a year".to_owned());
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> Result<RunArgs, String> {
        let words = ["kubectl-nettest", "run"].iter().chain(words);
        let parsed = Cli::try_parse_from(words).and_then(|cli| {
            cli.access.check(&cli.command)?;
            Ok(cli.command)
        });
        match parsed {
            Ok(Command::Run(args)) => Ok(args),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn times_are_kubernetes_times_or_seconds() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("1m30s", 90), ("1h", 3600)] {
            let args = run(&["-f", "x", "--timeout", text]).unwrap();
            assert_eq!(args.timeout, Duration::from_secs(seconds), "{text}");
        }
        for text in [
            "0",
            "0s",
            "-5s",
            "soon",
            "1d2x",
            "",
            "8761h",
            "9223372036854775807",
        ] {
            let words = ["-f".into(), "x".into(), format!("--timeout={text}")];
            let error = run(&words.each_ref().map(|word: &String| word.as_str())).unwrap_err();
            assert!(error.contains("--timeout"), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_is_needed() {
        assert!(run(&["--local"]).unwrap_err().contains("--filename"));
    }

    #[test]
    fn cluster_flags_mean_nothing_with_local() {
        for flags in [["--context", "a"], ["--kubeconfig", "b"]] {
            let error = run(&[&["-f", "x", "--local"], &flags[..]].concat()).unwrap_err();
            assert!(error.contains("cannot be used with"), "{error}");
        }
    }

    #[test]
    fn where_to_look_may_be_said_before_the_command_and_after_it() {
        for line in [
            "kubectl-nettest -n lab --context far why rack",
            "kubectl-nettest why rack -n lab --context far",
            "kubectl-nettest -n lab why rack --context far",
        ] {
            let cli = Cli::try_parse_from(line.split(' ')).unwrap();
            assert_eq!(cli.access.namespace.as_deref(), Some("lab"), "{line}");
            assert_eq!(cli.access.context.as_deref(), Some("far"), "{line}");
        }
        for (line, words) in [
            ("-n lab why rack -A", "contradict"),
            ("run -A -f x", "means nothing to run"),
        ] {
            let words_of = std::iter::once("kubectl-nettest").chain(line.split(' '));
            let cli = Cli::try_parse_from(words_of).unwrap();
            let error = cli.access.check(&cli.command).unwrap_err().to_string();
            assert!(error.contains(words), "{line}: {error}");
        }
    }
}
