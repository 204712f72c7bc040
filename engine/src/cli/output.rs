//! What is written, and where to.

use super::flags::Flags;
use super::{CliError, value};
use nettest_report::units::Format;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputConfig {
    pub kind: OutputKind,
    pub format: Format,
    pub verbose: bool,
    /// `-d`: 0 (nothing) to 4.
    pub debug: u8,
    /// Before every line of text, in strftime's format.
    pub timestamps: Option<String>,
    /// In place of stdout; appended to.
    pub logfile: Option<PathBuf>,
    pub pidfile: Option<PathBuf>,
    pub digest_file: Option<PathBuf>,
    pub run: RunLabel,
    /// Every failure exits 1.
    pub iperf3_exit_codes: bool,
    /// What is told on stderr first: flags that were taken without effect.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputKind {
    #[default]
    Text,
    Json,
    /// `--json-stream`; `full`: the whole document too.
    JsonStream {
        full: bool,
    },
    /// `--measurement-stream`.
    Measurements,
}

/// What the operator calls this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLabel {
    pub uid: String,
    pub attempt: u32,
}

impl Default for RunLabel {
    fn default() -> Self {
        RunLabel {
            uid: String::new(),
            attempt: 1,
        }
    }
}

/// What both roles say about their output.
pub fn output(flags: &Flags) -> Result<OutputConfig, CliError> {
    let (both, cluster) = (&flags.both, &flags.cluster);
    let stream = both.json_stream || both.json_stream_full_output;
    let kind = match (cluster.measurement_stream, stream, both.json) {
        (true, ..) => OutputKind::Measurements,
        (false, true, _) => OutputKind::JsonStream {
            full: both.json_stream_full_output,
        },
        (false, false, true) => OutputKind::Json,
        (false, false, false) => OutputKind::Text,
    };
    let format = match both.format.as_deref() {
        Some(letter) => Format::from_letter(letter).ok_or_else(|| CliError::NotA {
            flag: "-f",
            value: letter.to_owned(),
            wanted: "one of k m g t (bits) K M G T (bytes)",
        })?,
        None => Format::Auto,
    };
    let debug = match both.debug.as_deref() {
        Some(text) => value::count("-d", text, 1..=4, "1 to 4")? as u8,
        None => 0,
    };
    let timestamps = both
        .timestamps
        .as_deref()
        .map(value::strftime)
        .transpose()?;
    Ok(OutputConfig {
        kind,
        format,
        verbose: both.verbose,
        debug,
        notes: notes(flags, kind),
        timestamps,
        logfile: both.logfile.clone(),
        pidfile: both.pidfile.clone(),
        digest_file: cluster.digest_file.clone(),
        run: label(flags)?,
        iperf3_exit_codes: both.iperf3_exit_codes,
    })
}

/// Flags that change nothing, or not everywhere.
fn notes(flags: &Flags, kind: OutputKind) -> Vec<String> {
    let text = kind == OutputKind::Text;
    let no_text = "the output is JSON, which has base units and its own times";
    let given = [
        (
            flags.client.pacing_timer.is_some(),
            "--pacing-timer",
            "pacing has no timer",
        ),
        (!text && flags.both.format.is_some(), "-f", no_text),
        (
            !text && flags.both.timestamps.is_some(),
            "--timestamps",
            no_text,
        ),
    ];
    let without_effect = given
        .iter()
        .filter(|(given, ..)| *given)
        .map(|(_, flag, why)| format!("{flag} has no effect: {why}"));
    // Before anything is connected nobody knows which one it has; the result says it.
    let fq = (flags.client.udp && flags.client.fq_rate.is_some()).then(|| {
        "--fq-rate paces datagrams only where the interface has the fq queueing discipline; -b always does"
            .to_owned()
    });
    let (fast, sctp) = (flags.client.fast, flags.client.sctp);
    let of_a_file = (fast && flags.both.file.is_some())
        .then(|| "--fast: with -F receivers read what arrives, since it may be written".to_owned());
    let none = (fast && sctp)
        .then(|| "--fast: SCTP has no fast path; the test runs as without it".to_owned());
    without_effect
        .chain(fq)
        .chain(of_a_file)
        .chain(none)
        .collect()
}

fn label(flags: &Flags) -> Result<RunLabel, CliError> {
    let cluster = &flags.cluster;
    let defaults = RunLabel::default();
    Ok(RunLabel {
        uid: match cluster.run_uid.as_deref() {
            Some(uid) => value::name(
                "--run-uid",
                uid,
                64,
                |b| b.is_ascii_alphanumeric() || b == b'-',
                "a UID (1 to 64 letters, digits and dashes)",
            )?,
            None => defaults.uid,
        },
        attempt: match cluster.attempt.as_deref() {
            Some(text) => value::count("--attempt", text, 0..=1_000_000, "0 to 1000000")? as u32,
            None => defaults.attempt,
        },
    })
}
