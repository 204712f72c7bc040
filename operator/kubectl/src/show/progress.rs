//! Progress on standard error: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use nettest_core::units;
use nettest_core::valid::{End, ValidTest};
use nettest_report::event::{Event, IntervalSum, Measurement};
use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Shows how far a test is. Gone from the terminal when dropped.
#[derive(Debug)]
pub struct Progress {
    kind: Kind,
    repeats: u32,
}

#[derive(Debug)]
enum Kind {
    Silent,
    Lines,
    Bar(ProgressBar),
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let kind = if quiet {
            Kind::Silent
        } else if std::io::stderr().is_terminal() {
            Kind::Bar(bar())
        } else {
            Kind::Lines
        };
        Progress { kind, repeats: 0 }
    }

    /// A test begins.
    pub fn begin(&mut self, name: &str, test: &ValidTest) {
        let count = test.repeats.count;
        self.repeats = count;
        let Some(variant) = test.variants.first() else {
            return;
        };
        let (each, what) = match variant.traffic.end {
            End::Time(time) => (
                Some(time + variant.traffic.omit),
                format!("{} s", time.as_secs()),
            ),
            End::Bytes(bytes) => (None, format!("{} bytes", bytes.0)),
            End::Blocks(blocks) => (None, format!("{blocks} blocks")),
        };
        let what = format!("{name}: {}, {count} x {what}", variant.name);
        match &self.kind {
            Kind::Silent => {}
            Kind::Lines => say(&what),
            Kind::Bar(bar) => {
                if let Some(each) = each {
                    let all = each * count + test.repeats.pause * count.saturating_sub(1);
                    bar.set_length(u64::try_from(all.as_millis()).unwrap_or(u64::MAX));
                }
                bar.set_prefix(what);
                bar.enable_steady_tick(Duration::from_millis(100));
            }
        }
    }

    /// A sentence on the way, e.g. what a test in a cluster waits for.
    pub fn note(&self, text: &str) {
        match &self.kind {
            Kind::Silent => {}
            Kind::Lines => say(text),
            Kind::Bar(bar) => {
                bar.enable_steady_tick(Duration::from_millis(100));
                bar.set_message(text.to_owned());
            }
        }
    }

    pub fn event(&self, event: &Event) {
        match (&self.kind, event) {
            (Kind::Bar(bar), Event::Interval(interval)) => {
                bar.set_position(
                    u64::try_from(bar.elapsed().as_millis())
                        .unwrap_or(0)
                        .min(bar.length().unwrap_or(0)),
                );
                bar.set_message(now(interval, self.repeats));
            }
            (Kind::Lines, Event::Measurement(measurement)) => {
                say(&finished(measurement, self.repeats))
            }
            _ => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{prefix}  [{bar:24}]  {elapsed}  {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

fn say(text: &str) {
    // Nobody reads standard error any more: no reason to stop a measurement.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn now(interval: &IntervalSum, repeats: u32) -> String {
    format!(
        "repeat {} of {repeats}{}: {}",
        interval.repeat,
        if interval.omitted {
            " (omitted part)"
        } else {
            ""
        },
        units::bits_per_second(interval.bits_per_second as u64)
    )
}

fn finished(measurement: &Measurement, repeats: u32) -> String {
    let received = ["sum_received", "sum_received_bidir_reverse"]
        .iter()
        .filter_map(|key| measurement.report["end"][key]["bits_per_second"].as_f64())
        .map(|rate| units::bits_per_second(rate as u64))
        .collect::<Vec<_>>();
    let what = match (
        received.is_empty(),
        measurement.report.get("error").and_then(Value::as_str),
    ) {
        (false, _) => received.join(" and "),
        (true, Some(error)) => error.to_owned(),
        (true, None) => "no rate known".to_owned(),
    };
    format!("repeat {} of {repeats}: {what}", measurement.repeat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_finished_repeat_in_a_line() {
        let measurement = |report| Measurement {
            run: "r".into(),
            attempt: 1,
            variant: "tcp-p1".into(),
            repeat: 2,
            thinned: false,
            report,
        };
        let line = |report| finished(&measurement(report), 3);
        let rate = json!({"bits_per_second": 9.412e9});
        assert_eq!(
            line(json!({"end": {"sum_received": rate}})),
            "repeat 2 of 3: 9.41 Gbit/s"
        );
        assert_eq!(
            line(json!({"end": {"sum_received": rate, "sum_received_bidir_reverse": rate}})),
            "repeat 2 of 3: 9.41 Gbit/s and 9.41 Gbit/s"
        );
        assert_eq!(
            line(json!({"error": "cut short"})),
            "repeat 2 of 3: cut short"
        );
        assert_eq!(line(json!(null)), "repeat 2 of 3: no rate known");
    }
}
