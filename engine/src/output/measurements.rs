//! `--measurement-stream`: interval sums while it runs, one measurement a repeat, the digest last.
//!
//! A pod's log is cut by the kubelet at 10 MiB, so what is written stays below 8: progress lines have a budget
//! of their own, and documents that would pass theirs are thinned ([`Detail`]). Each measurement has an equal share of
//! what is left, and no repeat of a variant is told in more detail than the one before.

use super::{Sink, complain};
use crate::cli::RunLabel;
use crate::session::{Observer, Turn};
use nettest_report::digest::{Digest, DocumentSum};
use nettest_report::event::{Event, IntervalSum, Measurement};
use nettest_report::iperf::{Detail, Document};
use nettest_report::report::{Interval, Report};
use nettest_report::sums::FlowInterval;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Measurements and the digest in all. Half a MiB is left to warnings.
const BUDGET: usize = 13 << 19;
/// Interval lines in all.
const PROGRESS_BUDGET: usize = 1 << 20;
/// A measurement's figures in the digest, both ways: 20 numbers, few of which have more than 12 digits.
const FIGURES: usize = 512;

#[derive(Debug)]
pub struct Measurements {
    sink: Sink,
    label: RunLabel,
    /// Measurements that may still come.
    left: usize,
    variant: String,
    several: bool,
    repeat: u32,
    /// In how much detail a variant's documents are told, if not in all.
    details: BTreeMap<String, Detail>,
    thinned: u32,
    /// Bytes of interval lines: of all, and of this measurement with its share.
    progress: usize,
    spent: usize,
    share: usize,
    quiet: bool,
    /// By variant, so that a warning is given once.
    warned: BTreeSet<(String, String)>,
    sum: Sha256,
    bytes: usize,
    /// Of the measurements.
    budget: usize,
}

impl Measurements {
    /// `most`: measurements that may come.
    pub fn new(sink: &Sink, label: RunLabel, most: usize) -> Self {
        Measurements {
            sink: sink.clone(),
            label,
            left: most.max(1),
            variant: String::new(),
            several: false,
            repeat: 1,
            details: BTreeMap::new(),
            thinned: 0,
            progress: 0,
            spent: 0,
            share: PROGRESS_BUDGET / most.max(1),
            quiet: false,
            warned: BTreeSet::new(),
            sum: Sha256::new(),
            bytes: 0,
            budget: BUDGET.saturating_sub(most.saturating_mul(FIGURES)),
        }
    }

    /// Measurement lines so far that hold less than the whole document.
    pub fn thinned(&self) -> u32 {
        self.thinned
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

    fn measurement(&self, report: &Report, detail: Detail) -> Option<String> {
        let document = match detail {
            Detail::Nothing => Value::Null,
            detail => document(report, detail)?,
        };
        self.encode(&Event::Measurement(Measurement {
            run: self.label.uid.clone(),
            attempt: self.label.attempt,
            variant: self.variant.clone(),
            repeat: self.repeat,
            thinned: detail != Detail::Whole,
            report: document,
        }))
    }

    /// The whole document, or as much of it as this repeat's share of the budget takes.
    fn fitted(&self, report: &Report) -> Option<(Detail, String)> {
        let share = self.budget.saturating_sub(self.bytes) / self.left.max(1);
        let before = self.details.get(&self.variant);
        let most = before.copied().unwrap_or(Detail::Whole);
        Detail::ALL
            .into_iter()
            .filter(|detail| *detail >= most)
            .find_map(|detail| {
                let line = self.measurement(report, detail)?;
                let fits = line.len() <= share || detail == Detail::Nothing;
                fits.then_some((detail, line))
            })
    }
}

/// What iperf3 has no key for stands under `nettest`.
fn document(report: &Report, detail: Detail) -> Option<Value> {
    let mut value = Document::in_detail(report, detail).to_value().ok()?;
    let streams = detail < Detail::Sums;
    let udp = report.end.as_ref().filter(|_| streams).map(|end| {
        let of = end.streams.iter().filter_map(|s| s.udp.map(|udp| (s, udp)));
        of.map(|(s, udp)| {
            json!({
                "socket": s.socket,
                "duplicates": udp.duplicates,
                "socketDrops": udp.socket_drops,
            })
        })
        .collect::<Vec<_>>()
    });
    if let Value::Object(map) = &mut value {
        map.insert(
            "nettest".to_owned(),
            json!({
                "clientHost": report.host,
                "serverHost": report.peer_host,
                "udp": udp,
            }),
        );
    }
    Some(value)
}

impl Observer for Measurements {
    fn repeat(&mut self, turn: Turn<'_>) {
        self.variant = turn.variant.to_owned();
        self.several = turn.variants > 1;
        self.repeat = turn.repeat;
        self.spent = 0;
        self.share = PROGRESS_BUDGET.saturating_sub(self.progress) / self.left.max(1);
    }

    fn notice(&mut self, text: &str) {
        if !self.warned.insert((self.variant.clone(), text.to_owned())) {
            return;
        }
        if self.several {
            complain("warning", &format!("variant {}: {text}", self.variant));
        } else {
            complain("warning", text);
        }
    }

    fn interval(&mut self, _report: &Report, interval: &Interval) {
        for sum in FlowInterval::of(interval) {
            let event = Event::Interval(IntervalSum {
                variant: self.variant.clone(),
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
            // Once too much, a measurement writes no more: a later row that is shorter would stand alone.
            self.spent += line.len();
            if self.spent <= self.share {
                self.progress += line.len();
                self.sink.write(&line);
            } else if !std::mem::replace(&mut self.quiet, true) {
                complain(
                    "note",
                    "not all progress lines are written, to keep the log small; the measurements are whole",
                );
            }
        }
    }

    fn finished(&mut self, report: &Report) {
        let told = report.error.is_none() && report.end.is_some();
        if told && let Some((detail, line)) = self.fitted(report) {
            if detail != Detail::Whole {
                self.thinned += 1;
                self.details.insert(self.variant.clone(), detail);
            }
            self.sum.update(line.as_bytes());
            self.bytes += line.len();
            self.sink.write(&line);
        }
        self.left = self.left.saturating_sub(1);
    }
}
