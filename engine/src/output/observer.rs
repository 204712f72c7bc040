//! The observers of a test: text rows, one JSON document, JSON lines.

use super::text::{self, Style};
use super::{Sink, complain, summary};
use crate::cli::{OutputConfig, OutputKind};
use crate::session::Observer;
use nettest_report::iperf::{self, Document, StreamLine};
use nettest_report::report::{Interval, Report, Role, ServerOutput};
use serde_json::Value;
use std::net::SocketAddr;

/// The observer of one test for every kind of output but the measurement stream.
pub fn of(output: &OutputConfig, sink: &Sink) -> Box<dyn Observer> {
    match output.kind {
        OutputKind::Text | OutputKind::Measurements => Box::new(Text::new(output, sink)),
        OutputKind::Json => Box::new(Json { sink: sink.clone() }),
        OutputKind::JsonStream { full } => Box::new(JsonStream {
            sink: sink.clone(),
            full,
        }),
    }
}

/// iperf3's rows.
#[derive(Debug)]
pub struct Text {
    sink: Sink,
    style: Style,
    rows: u64,
}

impl Text {
    pub fn new(output: &OutputConfig, sink: &Sink) -> Self {
        Text {
            sink: sink.clone(),
            style: Style {
                format: output.format,
                verbose: output.verbose,
            },
            rows: 0,
        }
    }

    /// With the title before every line, as iperf3.
    fn write(&self, report: &Report, text: &str) {
        match &report.params.title {
            Some(title) if report.role == Role::Client => {
                let titled: String = text
                    .lines()
                    .map(|line| format!("{title}:  {line}\n"))
                    .collect();
                self.sink.write(&titled);
            }
            _ => self.sink.write(text),
        }
    }
}

impl Observer for Text {
    fn repeat(&mut self, _number: u32) {
        self.rows = 0;
    }

    fn started(&mut self, report: &Report) {
        self.write(report, &text::start(report, self.style));
    }

    fn keeps_rows(&self, report: &Report) -> bool {
        asks_for_ours(report)
    }

    fn interval(&mut self, report: &Report, interval: &Interval) {
        let rows = text::interval(report, interval, self.rows == 0, self.style);
        self.rows += 1;
        self.write(report, &rows);
    }

    fn finished(&mut self, report: &Report) {
        let mut rest = summary::end(report, self.style);
        match (&report.error, report.role) {
            (None, Role::Client) => rest += summary::done(),
            (Some(error), Role::Server) => complain("error", error),
            _ => {}
        }
        self.write(report, &rest);
    }

    fn listening(&mut self, port: u16, test_number: u64) {
        self.sink.write(&text::banner(port, test_number));
    }

    fn accepted(&mut self, peer: SocketAddr) {
        let host = peer.ip().to_canonical().to_string();
        self.sink.write(&text::accepted(&host, peer.port()));
    }

    fn server_output(&self, report: &Report) -> Option<ServerOutput> {
        Some(ServerOutput::Text(text::server_report(report, self.style)))
    }
}

/// One iperf3 document a test.
#[derive(Debug)]
pub struct Json {
    sink: Sink,
}

impl Observer for Json {
    fn finished(&mut self, report: &Report) {
        document(&self.sink, report);
    }

    fn server_output(&self, report: &Report) -> Option<ServerOutput> {
        json_output(report)
    }
}

/// iperf3's `--json-stream`.
#[derive(Debug)]
pub struct JsonStream {
    sink: Sink,
    full: bool,
}

impl JsonStream {
    fn line(&self, line: &StreamLine<'_>) {
        match line.to_line() {
            Ok(text) => self.sink.write(&(text + "\n")),
            Err(error) => complain(
                "error",
                &format!("a line could not be written as JSON: {error}"),
            ),
        }
    }
}

impl Observer for JsonStream {
    fn started(&mut self, report: &Report) {
        self.line(&StreamLine::Start(iperf::Start::of(report)));
    }

    fn keeps_rows(&self, report: &Report) -> bool {
        self.full || asks_for_ours(report)
    }

    fn interval(&mut self, _report: &Report, interval: &Interval) {
        self.line(&StreamLine::Interval(iperf::Interval::of(interval)));
    }

    fn finished(&mut self, report: &Report) {
        for line in iperf::last_lines(report) {
            self.line(&line);
        }
        if self.full {
            document(&self.sink, report);
        } else if let (Some(error), Role::Server) = (&report.error, report.role) {
            complain("error", error);
        }
    }

    fn server_output(&self, report: &Report) -> Option<ServerOutput> {
        json_output(report)
    }
}

fn document(sink: &Sink, report: &Report) {
    match Document::of(report).to_pretty() {
        Ok(text) => sink.write(&(text + "\n")),
        Err(error) => complain(
            "error",
            &format!("the document could not be written as JSON: {error}"),
        ),
    }
    if let (Some(error), Role::Server) = (&report.error, report.role) {
        complain("error", error);
    }
}

/// A client that asks a server for its report gets its rows too.
fn asks_for_ours(report: &Report) -> bool {
    report.role == Role::Server && report.params.get_server_output
}

fn json_output(report: &Report) -> Option<ServerOutput> {
    let value: Option<Value> = Document::of(report).to_value().ok();
    value.map(ServerOutput::Json)
}
