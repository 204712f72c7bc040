//! Throughput over the time of each repeat, from the documents' intervals.

use super::page::{Figure, numbers};
use crate::report::svg::lines::{COLOURS, Chart, Series};
use crate::subject::{PairMeasurement, Subject};
use serde_json::Value;
use std::collections::BTreeMap;

/// Charts on a page: the first variants; more would bury the rest.
const MOST: usize = 12;
/// Of the usual interval, in seconds.
const HALF: f64 = 0.5;

/// A chart a variant and flow of a run with one pair; of several, the pairs have their own reports in the documents.
pub fn figures(subject: &Subject) -> Vec<Figure> {
    let mut groups: BTreeMap<(usize, String), Vec<Series>> = BTreeMap::new();
    let mut order: Vec<String> = vec![];
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
            let points = points(&measurement.report, key);
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
            groups.entry((at, title)).or_default().push(Series {
                name: format!("repeat {}", measurement.repeat),
                points,
            });
        }
    }
    groups
        .into_iter()
        .take(MOST)
        .map(|((index, title), series)| figure(index, title, series))
        .collect()
}

/// The middle of each interval that counts, and its rate.
fn points(document: &Value, key: &str) -> Vec<(f64, f64)> {
    let intervals = document["intervals"].as_array().into_iter().flatten();
    let sums = intervals.map(|interval| &interval[key]);
    sums.filter(|sum| sum["omitted"].as_bool() != Some(true))
        .filter_map(|sum| {
            let middle = f64::midpoint(sum["start"].as_f64()?, sum["end"].as_f64()?);
            Some((middle, sum["bits_per_second"].as_f64()?))
        })
        .collect()
}

fn figure(index: usize, title: String, series: Vec<Series>) -> Figure {
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
    let ends = series.iter().filter_map(|series| series.points.last());
    // Points stand in the middle of their intervals; the last one ends half an interval later.
    let reach = ends.map(|end| end.0 + HALF).fold(0.0, f64::max);
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
