//! The observers of a test: text rows, one JSON document, JSON lines.

use super::text::{self, Style};
use super::{Sink, complain, summary};
use crate::cli::{OutputConfig, OutputKind};
use crate::host;
use crate::session::{Observer, Turn};
use nettest_report::iperf::{self, Document, StreamLine};
use nettest_report::report::{Interval, Report, Role, ServerOutput, Start};
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
            test: None,
            turn: None,
        }),
    }
}

/// What is written when nothing came to a test: a document with the error alone, if JSON was asked for. Text says it
/// on stderr only.
pub fn failed(output: &OutputConfig, sink: &Sink, role: Role, error: &str) {
    if !sink.is_untouched() {
        return;
    }
    let report = Report {
        error: Some(error.to_owned()),
        ..Report::blank(role, host::system_info())
    };
    match output.kind {
        OutputKind::Text | OutputKind::Measurements => {}
        OutputKind::Json => write_document(sink, &report),
        OutputKind::JsonStream { full } => {
            write_lines(sink, "", &report);
            if full {
                write_document(sink, &report);
            }
        }
    }
}

/// iperf3's rows.
#[derive(Debug)]
pub struct Text {
    sink: Sink,
    style: Style,
    timestamps: Option<String>,
    /// Which of several tests at a time these rows are of.
    test: Option<u64>,
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
            timestamps: output.timestamps.clone(),
            test: None,
            rows: 0,
        }
    }

    /// With the time and the title before every line, as iperf3.
    fn write(&self, report: &Report, text: &str) {
        let title = report.params.title.as_deref();
        self.write_titled(title.filter(|_| report.role == Role::Client), text);
    }

    fn write_titled(&self, title: Option<&str>, text: &str) {
        let time = self.timestamps.as_deref().map(|format| {
            let now = jiff::Zoned::now();
            // The command line has tried the format.
            jiff::fmt::strtime::format(format, &now).unwrap_or_default()
        });
        let test = self.test.map(|number| format!("#{number} "));
        let before = [time, test].into_iter().flatten().reduce(|a, b| a + &b);
        let text = prefixed(before.as_deref(), title, text);
        self.sink.write(&printable(text));
    }
}

/// The text with the time and the title at the start of every line.
fn prefixed(time: Option<&str>, title: Option<&str>, text: &str) -> String {
    if time.is_none() && title.is_none() {
        return text.to_owned();
    }
    let title = title.map(|title| format!("{title}:  ")).unwrap_or_default();
    let time = time.unwrap_or_default();
    text.lines()
        .map(|line| format!("{time}{title}{line}\n"))
        .collect()
}

/// A peer's words (its output, its host name) must not steer the terminal.
fn printable(text: String) -> String {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(steers) {
        text.replace(steers, "\u{fffd}")
    } else {
        text
    }
}

impl Observer for Text {
    fn repeat(&mut self, turn: Turn<'_>) {
        self.rows = 0;
        if turn.variants > 1 {
            let before = if self.sink.is_untouched() { "" } else { "\n" };
            self.write_titled(None, &format!("{before}{}", text::turn(turn)));
        }
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
            (Some(error), Role::Server) => match self.test {
                Some(number) => complain("error", &format!("test #{number}: {error}")),
                None => complain("error", error),
            },
            _ => {}
        }
        self.write(report, &rest);
    }

    fn listening(&mut self, port: u16, test_number: u64) {
        let mut banner = String::new();
        if self.style.verbose {
            banner += &text::about(&Start::default().version, &host::system_info());
        }
        banner += &text::banner(port, test_number);
        self.write_titled(None, &banner);
    }

    fn one_of_several(&mut self, test_number: u64) {
        self.test = Some(test_number);
    }

    fn accepted(&mut self, peer: SocketAddr) {
        let host = peer.ip().to_canonical().to_string();
        let mut accepted = String::new();
        if self.style.verbose {
            let now = jiff::Timestamp::now().as_microsecond();
            accepted += &format!("Time: {}\n", iperf::http_date(now));
        }
        accepted += &text::accepted(&host, peer.port());
        self.write_titled(None, &accepted);
    }

    fn in_line(&mut self, place: u32) {
        match place {
            1 => complain(
                "busy",
                "the server is busy; this client is next in its line",
            ),
            n => complain(
                "busy",
                &format!("the server is busy; this client is number {n} in its line"),
            ),
        }
    }

    fn turned_away(&mut self, peer: SocketAddr, why: &str) {
        complain("refused", &format!("{peer}: {why}"));
    }

    fn notice(&mut self, text: &str) {
        complain("warning", text);
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
        write_document(&self.sink, report);
        complain_of(report);
    }

    fn turned_away(&mut self, peer: SocketAddr, why: &str) {
        complain("refused", &format!("{peer}: {why}"));
    }

    fn notice(&mut self, text: &str) {
        complain("warning", text);
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
    /// Which of several tests at a time the lines are of.
    test: Option<u64>,
    /// Which variant's, of several, and which repeat.
    turn: Option<(String, u32)>,
}

impl JsonStream {
    /// Keys that iperf3 has no use for, since it runs one test.
    fn keys(&self) -> String {
        let test = self.test.map(|number| format!("\"test\":{number},"));
        let turn = self.turn.as_ref().map(|(variant, repeat)| {
            // The command line takes no name that JSON would escape.
            format!("\"variant\":\"{variant}\",\"repeat\":{repeat},")
        });
        test.into_iter().chain(turn).collect()
    }
}

/// `keys`: what stands before the others of the line.
fn write_line(sink: &Sink, keys: &str, line: &StreamLine<'_>) {
    match line.to_line() {
        Ok(text) => sink.write(&(text.replacen('{', &format!("{{{keys}"), 1) + "\n")),
        Err(error) => complain(
            "error",
            &format!("a line could not be written as JSON: {error}"),
        ),
    }
}

/// The last lines of a test.
fn write_lines(sink: &Sink, keys: &str, report: &Report) {
    for line in iperf::last_lines(report) {
        write_line(sink, keys, &line);
    }
}

impl Observer for JsonStream {
    fn repeat(&mut self, turn: Turn<'_>) {
        self.turn = (turn.variants > 1).then(|| (turn.variant.to_owned(), turn.repeat));
    }

    fn started(&mut self, report: &Report) {
        let line = StreamLine::Start(iperf::Start::of(report));
        write_line(&self.sink, &self.keys(), &line);
    }

    fn keeps_rows(&self, report: &Report) -> bool {
        self.full || asks_for_ours(report)
    }

    fn interval(&mut self, _report: &Report, interval: &Interval) {
        let line = StreamLine::Interval(iperf::Interval::of(interval));
        write_line(&self.sink, &self.keys(), &line);
    }

    fn finished(&mut self, report: &Report) {
        write_lines(&self.sink, &self.keys(), report);
        if self.full {
            write_document(&self.sink, report);
        }
        complain_of(report);
    }

    fn one_of_several(&mut self, test_number: u64) {
        self.test = Some(test_number);
    }

    fn turned_away(&mut self, peer: SocketAddr, why: &str) {
        complain("refused", &format!("{peer}: {why}"));
    }

    fn notice(&mut self, text: &str) {
        complain("warning", text);
    }

    fn server_output(&self, report: &Report) -> Option<ServerOutput> {
        json_output(report)
    }
}

fn write_document(sink: &Sink, report: &Report) {
    match Document::of(report).to_pretty() {
        Ok(text) => sink.write(&(text + "\n")),
        Err(error) => complain(
            "error",
            &format!("the document could not be written as JSON: {error}"),
        ),
    }
}

/// A server goes on after a test that failed, so its failure is told with the test.
fn complain_of(report: &Report) {
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
