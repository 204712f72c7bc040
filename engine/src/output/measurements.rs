//! `--measurement-stream`: interval sums while it runs, one measurement a repeat, the digest last.
//!
//! A pod's log is cut by the kubelet at 10 MiB, so what is written stays below 8: progress lines have a budget
//! of their own, and documents that would pass theirs lose the rows of single streams, then all rows.

use super::{Sink, complain};
use crate::cli::RunLabel;
use crate::session::Observer;
use nettest_report::digest::{Digest, DocumentSum};
use nettest_report::event::{Event, IntervalSum, Measurement};
use nettest_report::iperf::Document;
use nettest_report::report::{Interval, Report};
use nettest_report::sums::FlowInterval;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Measurements in all.
const DOCUMENT_BUDGET: usize = 6 << 20;
/// Interval lines in all.
const PROGRESS_BUDGET: usize = 1 << 20;

#[derive(Debug)]
pub struct Measurements {
    sink: Sink,
    label: RunLabel,
    repeats: u32,
    repeat: u32,
    progress: usize,
    sum: Sha256,
    bytes: usize,
}

impl Measurements {
    pub fn new(sink: &Sink, label: RunLabel, repeats: u32) -> Self {
        Measurements {
            sink: sink.clone(),
            label,
            repeats: repeats.max(1),
            repeat: 1,
            progress: 0,
            sum: Sha256::new(),
            bytes: 0,
        }
    }

    /// The checksum over the measurement lines so far.
    pub fn document(&self) -> DocumentSum {
        let hash = self.sum.clone().finalize();
        DocumentSum {
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            bytes: self.bytes as u64,
        }
    }

    /// The last line.
    pub fn digest(&self, digest: Digest) {
        if let Some(line) = self.encode(&Event::Digest(digest)) {
            self.sink.write(&line);
        }
    }

    fn encode(&self, event: &Event) -> Option<String> {
        match event.to_line() {
            Ok(line) => Some(line + "\n"),
            Err(error) => {
                complain(
                    "error",
                    &format!("an event could not be written as JSON: {error}"),
                );
                None
            }
        }
    }

    fn measurement(
        &self,
        report: &Report,
        document: &Document<'_>,
        thinned: bool,
    ) -> Option<String> {
        let mut value = document.to_value().ok()?;
        if let Value::Object(map) = &mut value {
            // What iperf3 has no key for.
            map.insert(
                "nettest".to_owned(),
                json!({
                    "clientHost": report.host,
                    "serverHost": report.peer_host,
                    "udp": report.end.as_ref().map(|end| {
                        end.streams.iter().filter_map(|s| s.udp.map(|udp| json!({
                            "socket": s.socket,
                            "duplicates": udp.duplicates,
                            "socketDrops": udp.socket_drops,
                        }))).collect::<Vec<_>>()
                    }),
                }),
            );
        }
        self.encode(&Event::Measurement(Measurement {
            run: self.label.uid.clone(),
            attempt: self.label.attempt,
            variant: self.label.variant.clone(),
            repeat: self.repeat,
            thinned,
            report: value,
        }))
    }

    /// The whole document, or as much of it as this repeat's share of the budget takes.
    fn fitted(&self, report: &Report) -> Option<String> {
        let left = self.repeats.saturating_sub(self.repeat) as usize + 1;
        let share = DOCUMENT_BUDGET.saturating_sub(self.bytes) / left;
        let mut document = Document::of(report);
        let whole = self.measurement(report, &document, false)?;
        if whole.len() <= share {
            return Some(whole);
        }
        document.thin();
        let thin = self.measurement(report, &document, true)?;
        if thin.len() <= share {
            return Some(thin);
        }
        document.drop_intervals();
        self.measurement(report, &document, true)
    }
}

impl Observer for Measurements {
    fn repeat(&mut self, number: u32) {
        self.repeat = number;
    }

    fn notice(&mut self, text: &str) {
        complain("warning", text);
    }

    fn interval(&mut self, _report: &Report, interval: &Interval) {
        for sum in FlowInterval::of(interval) {
            let event = Event::Interval(IntervalSum {
                variant: self.label.variant.clone(),
                repeat: self.repeat,
                flow: super::digest::flow_name(sum.flow).to_owned(),
                start: sum.start,
                end: sum.end,
                bytes: sum.bytes,
                bits_per_second: sum.bits_per_second(),
                omitted: sum.omitted,
                retransmits: sum.retransmits,
                lost: sum.udp.and_then(|u| u.lost),
                datagrams: sum.udp.map(|u| u.packets),
            });
            let Some(line) = self.encode(&event) else {
                return;
            };
            let before = self.progress;
            self.progress += line.len();
            if self.progress <= PROGRESS_BUDGET {
                self.sink.write(&line);
            } else if before <= PROGRESS_BUDGET {
                complain(
                    "note",
                    "no more progress lines, to keep the log small; the measurement goes on",
                );
            }
        }
    }

    fn finished(&mut self, report: &Report) {
        if report.error.is_some() || report.end.is_none() {
            return;
        }
        if let Some(line) = self.fitted(report) {
            self.sum.update(line.as_bytes());
            self.bytes += line.len();
            self.sink.write(&line);
        }
    }
}
