//! iperf3's JSON document, made from a [`Report`]: the keys of iperf3 3.21 for each mode, in its order. What it has no
//! key for is under `nettest` in `start` and in `end` ([`nettest`]).
//!
//! Two differences, both on purpose: what is unknown is `null` where iperf3 prints 0 (esnet/iperf#1410), and
//! no key occurs twice (#856, #1196). The bare UDP `sum` is the sender's count over the sender's time.

mod end;
mod interval;
mod nettest;
mod number;
mod start;
#[cfg(test)]
mod tests;

pub use end::End;
pub use interval::Interval;
pub use start::{Start, http_date};

use crate::report::{Report, Role, ServerOutput};
use serde::Serialize;
use serde_json::Value;

/// The whole document. It borrows the texts of its report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document<'a> {
    start: Start<'a>,
    intervals: Vec<Interval>,
    end: End<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_output_json: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_output_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> Document<'a> {
    pub fn of(report: &'a Report) -> Self {
        let (json, text) = match &report.server_output {
            Some(ServerOutput::Json(value)) => (Some(value), None),
            Some(ServerOutput::Text(text)) => (None, Some(text.as_str())),
            None => (None, None),
        };
        Document {
            start: Start::of(report),
            intervals: report.intervals.iter().map(Interval::of).collect(),
            end: End::of(report),
            title: report.params.title.as_deref(),
            extra_data: report.params.extra_data.as_deref(),
            server_output_json: json,
            server_output_text: text,
            error: report.error.as_deref(),
        }
    }

    /// With less than all, to keep a log small. [`Detail::Nothing`] is the same as [`Detail::Sums`] here.
    pub fn in_detail(report: &'a Report, detail: Detail) -> Self {
        let mut document = Document::of(report);
        if detail >= Detail::NoStreamRows {
            document.intervals.iter_mut().for_each(Interval::thin);
        }
        if detail >= Detail::NoRows {
            document.intervals.clear();
        }
        if detail >= Detail::Sums {
            document.start.drop_streams();
            document.end.drop_streams();
            // Another whole document.
            document.server_output_json = None;
            document.server_output_text = None;
        }
        document
    }

    /// Indented with tabs, as iperf3 prints it, without a final newline.
    pub fn to_pretty(&self) -> Result<String, serde_json::Error> {
        let mut out = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(
            &mut out,
            serde_json::ser::PrettyFormatter::with_indent(b"\t"),
        );
        self.serialize(&mut writer)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// On one line.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// How much of a test's document is told, from all to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    Whole,
    /// Without the rows of single streams in `intervals`: the sums stay.
    NoStreamRows,
    /// Without `intervals`.
    NoRows,
    /// Without single streams at all.
    Sums,
    /// No document.
    Nothing,
}

impl Detail {
    pub const ALL: [Detail; 5] = [
        Detail::Whole,
        Detail::NoStreamRows,
        Detail::NoRows,
        Detail::Sums,
        Detail::Nothing,
    ];
}

/// One line of `--json-stream`.
#[allow(
    clippy::large_enum_variant,
    reason = "one at a time, written and dropped"
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum StreamLine<'a> {
    Start(Start<'a>),
    Interval(Interval),
    ServerOutputJson(&'a Value),
    ServerOutputText(&'a str),
    Error(&'a str),
    End(End<'a>),
}

impl StreamLine<'_> {
    /// One line without its newline.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// The lines that end a stream: the server's output, the error, the end section (empty after an error, as iperf3).
pub fn last_lines(report: &Report) -> Vec<StreamLine<'_>> {
    let mut lines = Vec::new();
    match &report.server_output {
        Some(ServerOutput::Json(value)) => lines.push(StreamLine::ServerOutputJson(value)),
        Some(ServerOutput::Text(text)) => lines.push(StreamLine::ServerOutputText(text)),
        None => {}
    }
    if let Some(error) = &report.error {
        lines.push(StreamLine::Error(error));
    }
    lines.push(StreamLine::End(End::of(report)));
    lines
}

/// Whether this end prints the far sender's TCP figures: a server does not, whatever it knows (iperf3's keys).
fn shows_sender_detail(role: Role, sender: bool, retransmits: Option<u64>) -> bool {
    sender || (role == Role::Client && retransmits.is_some())
}
