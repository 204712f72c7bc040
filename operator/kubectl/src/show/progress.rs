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
    series: Series,
}

/// What is measured, for the words of each repeat.
#[derive(Debug, Clone, Copy, Default)]
struct Series {
    /// Of each variant.
    repeats: u32,
    /// Several variants.
    several: bool,
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
        Progress {
            kind,
            series: Series::default(),
        }
    }

    /// A test begins.
    pub fn begin(&mut self, name: &str, test: &ValidTest) {
        self.series = Series {
            repeats: test.repeats.count,
            several: test.variants.len() > 1,
        };
        let what = format!("{name}: {}", what(test));
        match &self.kind {
            Kind::Silent => {}
            Kind::Lines => say(&what),
            Kind::Bar(bar) => {
                if let Some(time) = time(test) {
                    bar.set_length(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
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

    /// Write to standard output while the bar is away.
    pub fn above(&self, write: impl FnOnce()) {
        match &self.kind {
            Kind::Bar(bar) => bar.suspend(write),
            Kind::Silent | Kind::Lines => write(),
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
                bar.set_message(now(interval, self.series));
            }
            (Kind::Lines, Event::Measurement(measurement)) => {
                say(&finished(measurement, self.series))
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

/// E.g. `tcp-p1, 3 x 10 s`.
fn what(test: &ValidTest) -> String {
    let each = match test.variants.first().map(|variant| variant.traffic.end) {
        Some(End::Time(time)) => format!("{} s", time.as_secs()),
        Some(End::Bytes(bytes)) => format!("{} bytes", bytes.0),
        Some(End::Blocks(blocks)) => format!("{blocks} blocks"),
        None => return "nothing".to_owned(),
    };
    let who = match test.variants.as_slice() {
        [one] => format!("{}, ", one.name),
        many => format!("{} variants, each ", many.len()),
    };
    let (count, most) = (test.repeats.count, test.repeats.most());
    let often = if most > count {
        format!("{count} to {most}")
    } else {
        count.to_string()
    };
    format!("{who}{often} x {each}")
}

/// How long it takes, unless that depends on the network.
fn time(test: &ValidTest) -> Option<Duration> {
    let mut each = Duration::ZERO;
    for variant in &test.variants {
        let End::Time(time) = variant.traffic.end else {
            return None;
        };
        each += time + variant.traffic.omit;
    }
    let variants = u32::try_from(test.variants.len()).unwrap_or(u32::MAX);
    let measurements = variants.saturating_mul(test.repeats.count);
    let pauses = test
        .repeats
        .pause
        .saturating_mul(measurements.saturating_sub(1));
    Some(
        each.saturating_mul(test.repeats.count)
            .saturating_add(pauses),
    )
}

/// E.g. `tcp-p4, repeat 2 of 3`; those beyond the asked ones steady an unsteady figure.
fn which(variant: &str, repeat: u32, series: Series) -> String {
    let whose = match series.several {
        true => format!("{variant}, "),
        false => String::new(),
    };
    if repeat > series.repeats {
        return format!("{whose}repeat {repeat}, for the spread");
    }
    format!("{whose}repeat {repeat} of {}", series.repeats)
}

fn now(interval: &IntervalSum, series: Series) -> String {
    format!(
        "{}{}: {}",
        which(&interval.variant, interval.repeat, series),
        if interval.omitted {
            " (omitted part)"
        } else {
            ""
        },
        units::bits_per_second(interval.bits_per_second as u64)
    )
}

fn finished(measurement: &Measurement, series: Series) -> String {
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
    let which = which(&measurement.variant, measurement.repeat, series);
    format!("{which}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_api::NetTestSpec;
    use nettest_core::{policy::Policy, validate::validate};
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
        let series = |several| Series {
            repeats: 3,
            several,
        };
        let line = |report| finished(&measurement(report), series(false));
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
        let sweep = |repeat| {
            let mut one = measurement(json!({"end": {"sum_received": rate}}));
            one.repeat = repeat;
            finished(&one, series(true))
        };
        assert_eq!(sweep(2), "tcp-p1, repeat 2 of 3: 9.41 Gbit/s");
        assert_eq!(sweep(4), "tcp-p1, repeat 4, for the spread: 9.41 Gbit/s");
    }

    #[test]
    fn a_test_in_words_and_its_time() {
        let of = |spec: &str| {
            let spec: NetTestSpec = serde_yaml::from_str(spec).unwrap();
            let test = validate(&spec, "lab", &Policy::everything()).unwrap();
            (what(&test), time(&test).map(|time| time.as_secs()))
        };
        for (spec, words, seconds) in [
            ("{}", "tcp-p1, 3 x 10 s", Some(32)),
            (
                "{sweep: {parallelStreams: [1, 4], protocols: [TCP, UDP]}, traffic: {duration: 2s, omit: 1s}, repeats: {count: 2, maxSpreadPercent: 10}}",
                "4 variants, each 2 to 9 x 2 s",
                Some(31),
            ),
            ("{traffic: {bytes: 1M}}", "tcp-p1, 3 x 1000000 bytes", None),
        ] {
            assert_eq!(of(spec), (words.to_owned(), seconds), "{spec}");
        }
    }
}
