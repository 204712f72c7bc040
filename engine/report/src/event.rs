//! The lines that `nettest-engine --measurement-stream` writes to stdout: one JSON object a line,
//! `{"event": …, "data": …}` as in iperf3's `--json-stream`. The operator reads them from pods/log,
//! `kubectl nettest run --local` from the child's stdout. Lines that do not parse are noise from elsewhere
//! (a wrapper, an injected library) and are skipped; the digest's checksum tells whether all is there.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "data", rename_all = "lowercase")]
#[allow(
    clippy::large_enum_variant,
    reason = "one at a time, written or read and dropped"
)]
pub enum Event {
    /// Progress: the sum of one interval of one flow.
    Interval(IntervalSum),
    /// One finished repeat, with its whole iperf3 document.
    Measurement(Measurement),
    /// Always the last line.
    Digest(Digest),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalSum {
    pub variant: String,
    /// 1-based.
    pub repeat: u32,
    pub flow: String,
    pub start: f64,
    pub end: f64,
    pub bytes: u64,
    pub bits_per_second: f64,
    pub omitted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// UID of the run.
    pub run: String,
    pub attempt: u32,
    pub variant: String,
    pub repeat: u32,
    /// Some of the document was left out to keep the log small: rows of single streams, all rows, single streams, or all
    /// of it.
    #[serde(default)]
    pub thinned: bool,
    /// The iperf3 document; `null`: there was no room for it.
    pub report: serde_json::Value,
}

impl Event {
    /// Parse one line; `None` for a line that is not one of ours.
    pub fn parse(line: &str) -> Option<Event> {
        serde_json::from_str(line.trim()).ok()
    }

    /// One line without its newline.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}
