//! Throughput over the time of each repeat, from the documents' intervals.

use super::{page::Figure, table::numbers};
use crate::report::svg::lines::{COLOURS, Chart, Series};
use crate::subject::{PairMeasurement, Subject};
use nettest_core::ledger::PairRecord;
use nettest_report::event::Measurement;
use serde_json::Value;
use std::collections::BTreeMap;

/// Charts on a page: the first variants; more would bury the rest.
const MOST: usize = 12;

/// A chart a variant and flow; of several pairs those of the slowest.
pub fn figures(subject: &Subject) -> Vec<Figure> {
    let mut groups: BTreeMap<(usize, String), Vec<Series>> = BTreeMap::new();
    let mut order: Vec<String> = vec![];
    let mut reach: BTreeMap<usize, f64> = BTreeMap::new();
    for (pair, measurement) in slowest_first(subject) {
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
            let way = pair.map_or_else(
                || (*flow).to_owned(),
                |record| match *flow {
                    "server to client" => format!("{} to {}", record.server, record.client),
                    _ => format!("{} to {}", record.client, record.server),
                },
            );
            let title = format!("{}, {way}", measurement.variant);
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

/// Of one pair as they were measured. A second pass tells nodes apart and is no result.
fn slowest_first(subject: &Subject) -> Vec<(Option<&PairRecord>, &Measurement)> {
    let with_pair = |of: &'_ PairMeasurement| match of.pair {
        None => Some(None),
        Some(number) => {
            let record = subject.pairs.get(&number)?;
            (!record.second_pass).then_some(Some(record))
        }
    };
    let mut all: Vec<_> = subject
        .measurements
        .iter()
        .filter_map(|of| Some((with_pair(of)?, &of.measurement)))
        .collect();
    let lowest = |pair: Option<&PairRecord>| {
        let results = pair.iter().flat_map(|record| &record.results);
        results
            .map(|result| result.throughput_bits_per_second.median)
            .min()
    };
    // Stable: a pair's variants and repeats keep their order.
    all.sort_by_key(|(pair, _)| {
        (
            lowest(*pair),
            pair.map(|record| (&record.client, &record.server)),
        )
    });
    all
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

#[cfg(test)]
mod tests {
    use super::figures;
    use crate::report::tests::{measurement, mesh};
    use crate::subject::PairMeasurement;

    #[test]
    fn of_several_pairs_the_slowest_come_first_and_a_second_pass_does_not() {
        let mut subject = mesh(6, "worker-one");
        let documents = subject.pairs.keys().map(|number| PairMeasurement {
            pair: Some(*number),
            ..measurement("tcp-p1", 1, "a", &[1e9, 1e9, 1e9])
        });
        subject.measurements = documents.collect();
        for record in subject.pairs.values_mut() {
            record.second_pass = record.client == "worker-00";
        }
        let figures = figures(&subject);
        let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
        assert_eq!(titles.len(), 10, "{titles:?}");
        let slow = titles
            .iter()
            .take(4)
            .all(|title| title.contains("worker-one"));
        assert!(slow, "{titles:?}");
        assert_eq!(titles[0], "tcp-p1, worker-one to worker-02");
    }
}
