//! Throughput over the time of each repeat, from the documents' intervals.

use super::{page::Figure, table::numbers};
use crate::report::svg::lines::{COLOURS, Chart, Series};
use crate::subject::{PairMeasurement, Subject};
use serde_json::Value;
use std::collections::BTreeMap;

/// Charts on a page: the first variants; more would bury the rest.
const MOST: usize = 12;

/// A chart a variant and flow of a run with one pair; of several, the pairs have their own reports in the documents.
pub fn figures(subject: &Subject) -> Vec<Figure> {
    let mut groups: BTreeMap<(usize, String), Vec<Series>> = BTreeMap::new();
    let mut order: Vec<String> = vec![];
    let mut reach: BTreeMap<usize, f64> = BTreeMap::new();
    let one_pair = subject.measurements.iter().filter(|of| of.pair.is_none());
    for PairMeasurement { measurement, .. } in one_pair {
        let reverse = measurement
            .report
            .pointer("/start/test_start/reverse")
            .and_then(Value::as_i64)
            == Some(1);
        let both = measurement
            .report
            .pointer("/start/test_start/bidir")
            .and_then(Value::as_i64)
            == Some(1);
        let flows: &[(&str, &str)] = match (both, reverse) {
            (true, _) => &[
                ("sum", "client to server"),
                ("sum_bidir_reverse", "server to client"),
            ],
            (false, true) => &[("sum", "server to client")],
            (false, false) => &[("sum", "client to server")],
        };
        for (key, flow) in flows {
            let (points, end) = points(&measurement.report, key);
            if points.is_empty() {
                continue;
            }
            let title = format!("{}, {flow}", measurement.variant);
            let at = order
                .iter()
                .position(|known| *known == title)
                .unwrap_or_else(|| {
                    order.push(title.clone());
                    order.len() - 1
                });
            let furthest = reach.entry(at).or_default();
            *furthest = furthest.max(end);
            groups.entry((at, title)).or_default().push(Series {
                name: format!("repeat {}", measurement.repeat),
                points,
            });
        }
    }
    groups
        .into_iter()
        .take(MOST)
        .map(|((index, title), series)| {
            let reach = reach.get(&index).copied().unwrap_or_default();
            figure(index, title, series, reach)
        })
        .collect()
}

/// The middle of each interval that counts, and its rate; and where the last one ends.
fn points(document: &Value, key: &str) -> (Vec<(f64, f64)>, f64) {
    let intervals = document["intervals"].as_array().into_iter().flatten();
    let sums = intervals.map(|interval| &interval[key]);
    let counted = sums.filter(|sum| sum["omitted"].as_bool() != Some(true));
    let mut last = 0.0;
    let points = counted
        .filter_map(|sum| {
            let (start, end) = (sum["start"].as_f64()?, sum["end"].as_f64()?);
            let rate = sum["bits_per_second"].as_f64()?;
            last = end.max(last);
            Some((f64::midpoint(start, end), rate))
        })
        .collect();
    (points, last)
}

fn figure(index: usize, title: String, series: Vec<Series>, reach: f64) -> Figure {
    let longest = series.iter().max_by_key(|series| series.points.len());
    let xs: Vec<String> = longest.map_or(vec![], |series| {
        series
            .points
            .iter()
            .map(|point| format!("{:.1}", point.0))
            .collect()
    });
    let columns: Vec<_> = series
        .iter()
        .map(|series| {
            let values = series.points.iter().map(|point| Some(point.1));
            (series.name.clone(), values.collect())
        })
        .collect();
    let table = numbers(format!("{title}, by second"), "Second", &xs, &columns);
    let legend = series
        .iter()
        .enumerate()
        .map(|(index, series)| (index % COLOURS, series.name.clone()));
    let legend = legend.collect();
    let chart = Chart {
        description: format!(
            "Throughput of {} repeats over time; the numbers are in the table below.",
            series.len()
        ),
        title: title.clone(),
        axis: "seconds".to_owned(),
        series,
        categories: vec![],
        marks: vec![],
        reach,
    };
    Figure {
        svg: chart.svg(&format!("time-{index}")),
        title,
        legend,
        notes: vec![],
        table,
    }
}
