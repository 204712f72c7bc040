//! A mesh as a heat map, one a variant.

use super::table::{Head, Table, none};
use crate::report::svg::{heat::HeatMap, scale::unit};
use crate::show::matrix::variants;
use crate::subject::Subject;
use nettest_api::result::{Flow, PairState};
use std::collections::{BTreeMap, BTreeSet};

/// Maps on a page.
const MOST: usize = 6;

#[derive(Debug)]
pub struct Map {
    pub title: String,
    /// Made by our own writer, which escapes.
    pub svg: String,
    pub unit: &'static str,
    pub table: Table,
}

pub fn maps(subject: &Subject) -> Vec<Map> {
    let names: BTreeSet<&String> = subject
        .pairs
        .values()
        .flat_map(|record| [&record.client, &record.server])
        .collect();
    if names.len() < 3 {
        return vec![];
    }
    let names: Vec<String> = names.into_iter().cloned().collect();
    let suspects: Vec<String> = subject
        .status()
        .suspects
        .iter()
        .map(|suspect| suspect.node.clone())
        .collect();
    let variants = variants(&subject.pairs);
    let shown = variants.iter().take(MOST).enumerate();
    shown
        .map(|(index, variant)| map(subject, index, variant, &names, &suspects))
        .collect()
}

fn map(
    subject: &Subject,
    index: usize,
    variant: &str,
    names: &[String],
    suspects: &[String],
) -> Map {
    let at = |name: &String| names.binary_search(name).unwrap_or(0);
    let mut cells: BTreeMap<(usize, usize), Option<i64>> = BTreeMap::new();
    let first = || subject.pairs.values().filter(|record| !record.second_pass);
    let mut results = first().flat_map(|record| &record.results);
    let both_ways = results.any(|result| result.flow == Flow::ServerToClient);
    for record in first() {
        let (client, server) = (at(&record.client), at(&record.server));
        if record.state == PairState::Failed {
            cells.entry((client, server)).or_insert(None);
            if both_ways {
                cells.entry((server, client)).or_insert(None);
            }
        }
        for result in record
            .results
            .iter()
            .filter(|result| result.variant == variant)
        {
            let way = match result.flow {
                Flow::ClientToServer => (client, server),
                Flow::ServerToClient => (server, client),
            };
            cells.insert(way, Some(result.throughput_bits_per_second.median));
        }
    }
    let title = format!("{variant}: from the row's node to the column's");
    let map = HeatMap {
        description: format!(
            "{} nodes; {} ways, the numbers are in the table below.{}",
            names.len(),
            cells.len(),
            match suspects {
                [] => String::new(),
                some => format!(" Suspect: {}.", some.join(", ")),
            }
        ),
        title: title.clone(),
        names: names.to_vec(),
        suspects: suspects.to_vec(),
        cells,
    };
    let (unit, divide) = unit(map.most() as f64);
    let row = |row: usize, name: &String| {
        let cell = |column: usize| match map.cells.get(&(row, column)) {
            Some(Some(rate)) => format!("{:.2}", *rate as f64 / divide),
            Some(None) => "not measured".to_owned(),
            None => none(),
        };
        std::iter::once(format!("{} {name}", row + 1))
            .chain((0..names.len()).map(cell))
            .collect()
    };
    let numbers = (1..=names.len()).map(|n| Head::right(format!("to {n}")));
    let table = Table {
        caption: format!("{title}, {unit}"),
        head: std::iter::once(Head::left("From")).chain(numbers).collect(),
        rows: names
            .iter()
            .enumerate()
            .map(|(index, name)| row(index, name))
            .collect(),
    };
    Map {
        svg: map.svg(&format!("mesh-{index}")),
        title,
        unit,
        table,
    }
}
