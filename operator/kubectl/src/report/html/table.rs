//! Tables: the results, the pairs, the numbers of charts.

use crate::report::{
    rows::{Row, worst_first},
    svg::scale::unit,
};
use crate::show::figures::{cpu, flow, micros, percent, rate};
use crate::subject::Subject;
use nettest_api::result::VariantResult;
use std::collections::BTreeSet;

/// Rows of the pairs' table; the other reports have all.
const MOST_PAIRS: usize = 500;

#[derive(Debug, Default)]
pub struct Table {
    pub caption: String,
    pub head: Vec<Head>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Debug)]
pub struct Head {
    pub name: String,
    pub right: bool,
}

impl Head {
    pub fn left(name: impl Into<String>) -> Head {
        let name = name.into();
        Head { name, right: false }
    }

    /// Of numbers.
    pub fn right(name: impl Into<String>) -> Head {
        let name = name.into();
        Head { name, right: true }
    }
}

type Cell = fn(&VariantResult) -> Option<String>;

const RESULTS: [(&str, bool, Cell); 17] = [
    ("Variant", false, |r| Some(r.variant.clone())),
    ("Flow", false, |r| Some(flow(r.flow).to_owned())),
    ("Path", false, |r| Some(r.path.as_str().to_owned())),
    ("Throughput", true, |r| {
        rate(r.throughput_bits_per_second.median)
    }),
    ("Min", true, |r| rate(r.throughput_bits_per_second.min)),
    ("Max", true, |r| rate(r.throughput_bits_per_second.max)),
    ("Spread", true, |r| {
        Some(format!("{} %", r.throughput_bits_per_second.spread_percent))
    }),
    ("Retr.", true, |r| {
        r.retransmits.map(|count| count.to_string())
    }),
    ("RTT", true, |r| r.rtt_microseconds.map(micros)),
    ("RTT p50", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p50))
    }),
    ("p90", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p90))
    }),
    ("p99", true, |r| {
        Some(micros(r.rtt_percentiles_microseconds?.p99))
    }),
    ("Loss", true, |r| r.loss_ppm.map(percent)),
    ("Jitter", true, |r| r.jitter_microseconds.map(micros)),
    ("Client CPU", true, |r| r.client_cpu_milli.map(cpu)),
    ("Server CPU", true, |r| r.server_cpu_milli.map(cpu)),
    ("Repeats", true, |r| Some(r.repeats.to_string())),
];

/// Columns that nothing has a value for are left out, and the path when all have the same: it stands above then.
pub fn results(results: &[VariantResult]) -> Table {
    let paths: BTreeSet<_> = results.iter().map(|result| result.path.as_str()).collect();
    let columns = RESULTS
        .iter()
        .filter(|(_, _, cell)| results.iter().any(|result| cell(result).is_some()))
        .filter(|(name, _, _)| *name != "Path" || paths.len() > 1);
    let columns: Vec<_> = columns.collect();
    let row = |result| {
        columns
            .iter()
            .map(|(_, _, cell)| cell(result).unwrap_or_else(none))
            .collect()
    };
    Table {
        caption: "Results".to_owned(),
        head: columns
            .iter()
            .map(|(name, right, _)| Head {
                name: (*name).to_owned(),
                right: *right,
            })
            .collect(),
        rows: results.iter().map(row).collect(),
    }
}

pub fn none() -> String {
    "–".to_owned()
}

pub fn pairs(subject: &Subject) -> Option<Table> {
    if subject.pairs.is_empty() {
        return None;
    }
    let mut all = worst_first(subject);
    let more = all.len().saturating_sub(MOST_PAIRS);
    all.truncate(MOST_PAIRS);
    let row = |row: Row<'_>| {
        let result = row.result;
        let of =
            |cell: fn(&VariantResult) -> Option<String>| result.and_then(cell).unwrap_or_else(none);
        let second = if row.second_pass { "second pass" } else { "" };
        vec![
            row.client,
            row.server,
            of(|result| Some(result.variant.clone())),
            of(|result| Some(flow(result.flow).to_owned())),
            of(|result| rate(result.throughput_bits_per_second.median)),
            of(|result| result.retransmits.map(|count| count.to_string())),
            of(|result| result.rtt_microseconds.map(micros)),
            if row.reason.is_empty() {
                second.to_owned()
            } else {
                row.reason
            },
        ]
    };
    let head = [
        ("Client", false),
        ("Server", false),
        ("Variant", false),
        ("Flow", false),
        ("Throughput", true),
        ("Retr.", true),
        ("RTT", true),
        ("Note", false),
    ];
    let caption = match more {
        0 => "Pairs, worst first".to_owned(),
        more => format!("Pairs, worst first; {more} more rows are in the CSV report"),
    };
    Some(Table {
        caption,
        head: head
            .map(|(name, right)| Head {
                name: name.to_owned(),
                right,
            })
            .into(),
        rows: all.into_iter().map(row).collect(),
    })
}

/// The numbers of a chart: x, and a column a series, by the same x.
pub fn numbers(
    caption: String,
    axis: &str,
    xs: &[String],
    series: &[(String, Vec<Option<f64>>)],
) -> Table {
    let all = series
        .iter()
        .flat_map(|(_, values)| values.iter().flatten());
    let (unit, divide) = unit(all.copied().fold(0.0, f64::max));
    let cell =
        |value: &Option<f64>| value.map_or_else(none, |value| format!("{:.2}", value / divide));
    let rows = xs.iter().enumerate().map(|(index, x)| {
        let values = series
            .iter()
            .map(|(_, values)| values.get(index).map_or_else(none, cell));
        std::iter::once(x.clone()).chain(values).collect()
    });
    let names = series
        .iter()
        .map(|(name, _)| Head::right(format!("{name}, {unit}")));
    Table {
        caption,
        head: std::iter::once(Head::right(axis)).chain(names).collect(),
        rows: rows.collect(),
    }
}
