//! Throughput against what a sweep varies, with the knee, and the bandwidth-delay product beside windows.

use super::{page::Figure, table::numbers};
use crate::report::svg::lines::{COLOURS, Chart, Mark, Series};
use crate::show::figures::{bytes, flow};
use crate::subject::Subject;
use nettest_api::result::{Flow, VariantResult};
use nettest_core::{
    policy::Policy,
    valid::{ValidTraffic, ValidVariant},
    validate::validate,
};
use std::collections::BTreeMap;

/// What stands on the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Streams,
    MessageSize,
    Window,
}

impl Axis {
    const fn name(self) -> &'static str {
        match self {
            Axis::Streams => "Streams",
            Axis::MessageSize => "Message size",
            Axis::Window => "Window",
        }
    }

    fn of(self, traffic: &ValidTraffic) -> Option<u64> {
        match self {
            Axis::Streams => Some(u64::from(traffic.streams)),
            Axis::MessageSize => traffic.message_size.map(|size| size.0),
            Axis::Window => traffic.window.map(|size| size.0),
        }
    }
}

/// A figure an axis that has several values.
pub fn figures(subject: &Subject) -> Vec<Figure> {
    let namespace = subject.namespace.as_deref().unwrap_or("default");
    // A run of a newer release may have what this one does not know: then there is no curve.
    let Ok(test) = validate(&subject.run.spec.test, namespace, &Policy::everything()) else {
        return vec![];
    };
    let results = subject.status().results;
    [Axis::Streams, Axis::MessageSize, Axis::Window]
        .into_iter()
        .filter_map(|axis| figure(axis, &test.variants, &results))
        .collect()
}

fn figure(axis: Axis, variants: &[ValidVariant], results: &[VariantResult]) -> Option<Figure> {
    let mut values: Vec<u64> = variants
        .iter()
        .filter_map(|variant| axis.of(&variant.traffic))
        .collect();
    values.sort_unstable();
    values.dedup();
    if values.len() < 2 {
        return None;
    }
    // A line a combination of everything else.
    let mut lines: BTreeMap<Vec<String>, BTreeMap<usize, &VariantResult>> = BTreeMap::new();
    for result in results {
        let Some(variant) = variants
            .iter()
            .find(|variant| variant.name == result.variant)
        else {
            continue;
        };
        let Some(index) = axis
            .of(&variant.traffic)
            .and_then(|value| values.binary_search(&value).ok())
        else {
            continue;
        };
        lines
            .entry(rest(axis, variant, result.flow))
            .or_default()
            .insert(index, result);
    }
    lines.retain(|_, line| line.len() > 1);
    if lines.is_empty() {
        return None;
    }
    let lines = short(lines);
    let names: Vec<String> = values.iter().map(|value| said(axis, *value)).collect();
    let rate = |result: &VariantResult| result.throughput_bits_per_second.median as f64;
    let mut marks = vec![];
    let mut notes = vec![];
    for (name, line) in &lines {
        let rates: Vec<(usize, f64)> = line
            .iter()
            .map(|(index, result)| (*index, rate(result)))
            .collect();
        match knee(&values, &rates) {
            Some(at) => {
                let word = names.get(at).cloned().unwrap_or_default();
                notes.push(format!(
                    "{name}: the knee is at {word}; beyond it a doubling gains less than 5 %."
                ));
                if lines.len() == 1 {
                    marks.push(Mark {
                        x: at as f64,
                        word: format!("knee: {word}"),
                    });
                }
            }
            None => notes.push(format!(
                "{name}: no knee within these values; more may still help."
            )),
        }
        if axis == Axis::Window
            && let Some(bdp) = line
                .values()
                .filter_map(|result| delay_product(result))
                .max()
        {
            notes.push(format!(
                "{name}: the bandwidth-delay product is {} (throughput x RTT / 8): a smaller window cannot fill the way.",
                bytes(bdp)
            ));
            if lines.len() == 1
                && let Some(at) = place(&values, bdp)
            {
                marks.push(Mark {
                    x: at,
                    word: format!("BDP {}", bytes(bdp)),
                });
            }
        }
    }
    let series: Vec<Series> = lines
        .iter()
        .map(|(name, line)| Series {
            name: name.clone(),
            points: line
                .iter()
                .map(|(index, result)| (*index as f64, rate(result)))
                .collect(),
        })
        .collect();
    let columns: Vec<_> = lines
        .iter()
        .map(|(name, line)| {
            let values = (0..names.len()).map(|index| line.get(&index).map(|result| rate(result)));
            (name.clone(), values.collect())
        })
        .collect();
    let title = format!("Throughput against {}", axis.name().to_lowercase());
    let chart = Chart {
        title: title.clone(),
        description: notes.join(" "),
        axis: axis.name().to_lowercase(),
        categories: names.clone(),
        marks,
        reach: 0.0,
        series,
    };
    let legend = lines
        .keys()
        .enumerate()
        .map(|(index, name)| (index % COLOURS, name.clone()));
    Some(Figure {
        svg: chart.svg(&format!(
            "sweep-{}",
            axis.name().to_lowercase().replace(' ', "-")
        )),
        title: title.clone(),
        legend: legend.collect(),
        notes,
        table: numbers(title, axis.name(), &names, &columns),
    })
}

/// The first value from which on a doubling gains less than 5 %, however many follow. A step back before a higher rate is
/// no knee: repeats on a busy machine make such dents. `rates`: by the index of their values.
fn knee(values: &[u64], rates: &[(usize, f64)]) -> Option<usize> {
    let value = |at: usize| values.get(at).map_or(1.0, |value| *value as f64);
    let (_, before) = rates.split_last()?;
    let mut candidates = before.iter().enumerate();
    candidates.find_map(|(index, (at, rate))| {
        let mut later = rates.iter().skip(index + 1);
        let is_knee = later.all(|(next, faster)| {
            let doublings = (value(*next) / value(*at)).log2();
            *faster < rate * 1.05f64.powf(doublings)
        });
        is_knee.then_some(*at)
    })
}

/// Bytes on the way at once.
fn delay_product(result: &VariantResult) -> Option<u64> {
    let rate = u128::try_from(result.throughput_bits_per_second.median).ok()?;
    let rtt = u128::try_from(result.rtt_microseconds?).ok()?;
    u64::try_from(rate * rtt / 8 / 1_000_000)
        .ok()
        .filter(|bytes| *bytes > 0)
}

/// Where a value is among those of the axis, which are equally far apart.
fn place(values: &[u64], value: u64) -> Option<f64> {
    let above = values.iter().position(|known| *known >= value)?;
    let Some(below) = above.checked_sub(1) else {
        return Some(0.0);
    };
    let (low, high) = (*values.get(below)? as f64, *values.get(above)? as f64);
    // In steps of doubling.
    Some(below as f64 + ((value as f64).ln() - low.ln()) / (high.ln() - low.ln()).max(1e-9))
}

/// What else tells a variant from others.
fn rest(axis: Axis, variant: &ValidVariant, flow_of: Flow) -> Vec<String> {
    let traffic = &variant.traffic;
    let mut parts = vec![traffic.protocol.as_str().to_owned()];
    for other in [Axis::Streams, Axis::MessageSize, Axis::Window] {
        if other != axis
            && let Some(value) = other.of(traffic)
        {
            parts.push(match other {
                Axis::Streams => crate::show::figures::counted(
                    i64::try_from(value).unwrap_or(i64::MAX),
                    "stream",
                ),
                Axis::MessageSize => format!("{} messages", bytes(value)),
                Axis::Window => format!("{} window", bytes(value)),
            });
        }
    }
    if let Some(control) = &traffic.congestion_control {
        parts.push(control.as_str().to_owned());
    }
    parts.push(variant.path.as_str().to_owned());
    parts.push(flow(flow_of).to_owned());
    parts
}

/// Named by what tells the lines apart; what all have in common says nothing.
fn short<T>(lines: BTreeMap<Vec<String>, T>) -> BTreeMap<String, T> {
    let all: Vec<Vec<String>> = lines.keys().cloned().collect();
    let common = |part: &String| all.iter().all(|parts| parts.contains(part));
    let name = |parts: Vec<String>| match all.len() {
        1 => parts.join(", "),
        _ => {
            let own: Vec<String> = parts.into_iter().filter(|part| !common(part)).collect();
            own.join(", ")
        }
    };
    lines
        .into_iter()
        .map(|(parts, line)| (name(parts), line))
        .collect()
}

fn said(axis: Axis, value: u64) -> String {
    match axis {
        Axis::Streams => value.to_string(),
        Axis::MessageSize | Axis::Window => bytes(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_more_does_not_help() {
        let knee_of = |rates: &[f64]| {
            let rates: Vec<(usize, f64)> = rates.iter().copied().enumerate().collect();
            knee(&[1, 2, 4, 8, 16], &rates)
        };
        assert_eq!(knee_of(&[1.0, 2.0, 3.9, 4.0, 4.1]), Some(2));
        assert_eq!(knee_of(&[4.0, 3.0]), Some(0));
        // A dent, and the highest after it.
        assert_eq!(knee_of(&[8.4, 4.0, 12.7, 8.5]), Some(2));
        assert_eq!(knee_of(&[8.4, 4.0, 12.7]), None);
        assert_eq!(knee_of(&[9.0, 8.0, 9.0]), Some(0));
        assert_eq!(knee_of(&[1.0, 1.04, 1.08]), Some(0));
        assert_eq!(knee_of(&[1.0, 2.0]), None);
        assert_eq!(knee_of(&[1.0]), None);
        assert_eq!(knee_of(&[]), None);
        // Three doublings that gain 10 % together gain less than 5 % each.
        assert_eq!(knee(&[1, 8], &[(0, 1.0), (1, 1.1)]), Some(0));
    }

    #[test]
    fn a_value_between_two_is_placed_by_its_doublings() {
        let values = [256, 1024, 4096];
        assert_eq!(place(&values, 512), Some(0.5));
        assert_eq!(place(&values, 1024), Some(1.0));
        assert_eq!(place(&values, 100), Some(0.0));
        assert_eq!(place(&values, 9999), None);
    }
}
