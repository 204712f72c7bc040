//! Throughput over the time of each repeat, from the documents' intervals.

use super::{page::Figure, table::numbers};
use crate::report::svg::lines::{COLOURS, Chart, Series};
use crate::show::figures::flow;
use crate::subject::{PairMeasurement, Subject};
use nettest_api::result::Flow;
use nettest_core::ledger::PairRecord;
use nettest_report::event::Measurement;
use serde_json::Value;

/// Charts on a page: the first variants; more would bury the rest.
const MOST: usize = 12;

/// What is one chart: the repeats of a variant, a way and a pair.
struct Group {
    title: String,
    series: Vec<Series>,
    /// Where its longest repeat ends, in seconds.
    reach: f64,
}

/// A chart a variant and flow; of several pairs those of the slowest.
pub fn figures(subject: &Subject) -> Vec<Figure> {
    let mut groups: Vec<Group> = vec![];
    for (pair, measurement) in slowest_first(subject) {
        for (key, way) in ways(&measurement.report) {
            let way = match (pair, way) {
                (None, way) => flow(*way).to_owned(),
                (Some(of), Flow::ClientToServer) => format!("{} to {}", of.client, of.server),
                (Some(of), Flow::ServerToClient) => format!("{} to {}", of.server, of.client),
            };
            let title = format!("{}, {way}", measurement.variant);
            let known = groups.iter().position(|group| group.title == title);
            if known.is_none() && groups.len() == MOST {
                continue;
            }
            let (points, end) = points(&measurement.report, key);
            if points.is_empty() {
                continue;
            }
            let series = Series {
                name: format!("repeat {}", measurement.repeat),
                points,
            };
            match known.and_then(|index| groups.get_mut(index)) {
                Some(group) => {
                    group.series.push(series);
                    group.reach = group.reach.max(end);
                }
                None => groups.push(Group {
                    title,
                    series: vec![series],
                    reach: end,
                }),
            }
        }
    }
    let figures = groups.into_iter().enumerate();
    figures
        .map(|(index, group)| figure(index, group.title, group.series, group.reach))
        .collect()
}

/// Where a document has the sums of each way that it measured.
fn ways(document: &Value) -> &'static [(&'static str, Flow)] {
    let is_set = |name: &str| document["start"]["test_start"][name].as_i64() == Some(1);
    match (is_set("bidir"), is_set("reverse")) {
        (true, _) => &[
            ("sum", Flow::ClientToServer),
            ("sum_bidir_reverse", Flow::ServerToClient),
        ],
        (false, true) => &[("sum", Flow::ServerToClient)],
        (false, false) => &[("sum", Flow::ClientToServer)],
    }
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
