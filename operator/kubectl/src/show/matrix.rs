//! A mesh as a table: from each node in a row to each in a column.

use super::colour::Colour;
use nettest_api::result::{Flow, PairState};
use nettest_core::ledger::PairRecord;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is known of one way between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Bits per second; of several lanes or pairs the median.
    Rate(i64),
    NotMeasured,
}

/// One variant of a mesh: by the places of sender and receiver among the names.
#[derive(Debug, Default)]
pub struct Matrix {
    names: Vec<String>,
    cells: BTreeMap<(usize, usize), Cell>,
}

/// A cell, for programs.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Way<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// `None`: not measured.
    pub throughput_bits_per_second: Option<i64>,
}

/// Nodes, or the zones that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Node,
    Zone,
}

/// The variants of a run, in the order of their names.
pub fn variants(pairs: &BTreeMap<u32, PairRecord>) -> BTreeSet<&str> {
    let results = pairs.values().flat_map(|record| &record.results);
    results.map(|result| result.variant.as_str()).collect()
}

impl Matrix {
    /// Of the first pass: a second one tells nodes apart and is no result.
    pub fn of(pairs: &BTreeMap<u32, PairRecord>, variant: &str, by: By) -> Matrix {
        let name = |node: &String, zone: &Option<String>| match by {
            By::Node => node.clone(),
            By::Zone => zone.clone().unwrap_or_else(|| "(no zone)".to_owned()),
        };
        let first = || pairs.values().filter(|record| !record.second_pass);
        let ends = |record: &PairRecord| {
            [
                name(&record.client, &record.client_zone),
                name(&record.server, &record.server_zone),
            ]
        };
        let names: BTreeSet<String> = first().flat_map(ends).collect();
        let names: Vec<String> = names.into_iter().collect();
        let index = |name: &String| names.binary_search(name).unwrap_or(0);
        let mut rates: BTreeMap<(usize, usize), Vec<i64>> = BTreeMap::new();
        let mut cells = BTreeMap::new();
        let mut results = first().flat_map(|record| &record.results);
        let both_ways = results.any(|result| result.flow == Flow::ServerToClient);
        for record in first() {
            let [client, server] = ends(record).map(|name| index(&name));
            if record.state == PairState::Failed {
                cells.insert((client, server), Cell::NotMeasured);
                if both_ways {
                    cells.insert((server, client), Cell::NotMeasured);
                }
            }
            for result in record.results.iter().filter(|r| r.variant == variant) {
                let way = match result.flow {
                    Flow::ClientToServer => (client, server),
                    Flow::ServerToClient => (server, client),
                };
                let rate = result.throughput_bits_per_second.median;
                rates.entry(way).or_default().push(rate);
            }
        }
        for (way, mut rates) in rates {
            rates.sort_unstable();
            if let Some(median) = rates.get((rates.len() - 1) / 2) {
                cells.insert(way, Cell::Rate(*median));
            }
        }
        Matrix { names, cells }
    }

    /// From each to each, in the order of the names.
    pub fn ways(&self) -> Vec<Way<'_>> {
        let name = |index: usize| self.names.get(index).map_or("", String::as_str);
        let way = |(&(from, to), cell): (&(usize, usize), &Cell)| Way {
            from: name(from),
            to: name(to),
            throughput_bits_per_second: match cell {
                Cell::Rate(rate) => Some(*rate),
                Cell::NotMeasured => None,
            },
        };
        self.cells.iter().map(way).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// As many columns side by side as fit; the rest below. `width`: of a terminal.
    pub fn text(&self, width: Option<usize>, colour: Colour) -> String {
        let rates = self.cells.values().filter_map(|cell| match cell {
            Cell::Rate(rate) => Some(*rate),
            Cell::NotMeasured => None,
        });
        let rates: Vec<i64> = rates.collect();
        let (unit, size) = unit(rates.iter().copied().max().unwrap_or(0));
        let lowest = rates
            .iter()
            .copied()
            .min()
            .filter(|low| rates.iter().any(|rate| rate > low));
        let digits = self.names.len().to_string().len();
        let longest = self.names.iter().map(|name| name.chars().count()).max();
        let front = longest.unwrap_or(0) + digits + 1;
        let cell = 8.max(digits + 2);
        let fits = width
            .map_or(usize::MAX, |width| width.saturating_sub(front) / cell)
            .max(1);
        let mut out = format!("from the row's to the column's, {unit}\n");
        let columns: Vec<usize> = (0..self.names.len()).collect();
        for block in columns.chunks(fits.min(self.names.len().max(1))) {
            out.push('\n');
            let _ = write!(out, "{:front$}", "");
            for column in block {
                let _ = write!(out, "{:>cell$}", column + 1);
            }
            out.push('\n');
            for (row, name) in self.names.iter().enumerate() {
                let _ = write!(
                    out,
                    "{:>digits$} {name:<rest$}",
                    row + 1,
                    rest = front - digits - 1
                );
                for column in block {
                    let known = self.cells.get(&(row, *column));
                    let text = match known {
                        Some(Cell::Rate(rate)) => {
                            let mark = if Some(*rate) == lowest { "*" } else { "" };
                            format!("{mark}{:.2}", *rate as f64 / size)
                        }
                        Some(Cell::NotMeasured) => "x".to_owned(),
                        None if row == *column => "-".to_owned(),
                        None => ".".to_owned(),
                    };
                    let padded = format!("{text:>cell$}");
                    let is_bad = text.starts_with('*') || text == "x";
                    out += &if is_bad { colour.bad(&padded) } else { padded };
                }
                out.truncate(out.trim_end().len());
                out.push('\n');
            }
        }
        let mut notes = vec![];
        if lowest.is_some() {
            notes.push("* the lowest");
        }
        if self.cells.values().any(|cell| *cell == Cell::NotMeasured) {
            notes.push("x not measured");
        }
        if !notes.is_empty() {
            let _ = writeln!(out, "\n{}", notes.join(", "));
        }
        out
    }
}

/// By the highest, so that all are in one unit.
fn unit(highest: i64) -> (&'static str, f64) {
    match highest {
        1_000_000_000.. => ("Gbit/s", 1e9),
        1_000_000.. => ("Mbit/s", 1e6),
        _ => ("Kbit/s", 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(client: &str, server: &str, rates: Option<[i64; 2]>) -> PairRecord {
        let result = |flow: &str, rate: i64| {
            format!(
                "{{variant: tcp-p1, flow: {flow}, throughput: x, throughputBitsPerSecond: {{median: {rate}, min: 1, max: 1, spreadPercent: 0}}, \
                 senderBitsPerSecond: 1, receiverBitsPerSecond: 1, sentBytes: 1, receivedBytes: 1, repeats: 1}}"
            )
        };
        let (state, results) = match rates {
            Some([there, back]) => (
                "Measured",
                [
                    result("ClientToServer", there),
                    result("ServerToClient", back),
                ]
                .join(", "),
            ),
            None => ("Failed", String::new()),
        };
        serde_yaml::from_str(&format!(
            "{{client: {client}, server: {server}, clientZone: east, lane: {{client: Pod, server: Pod}}, state: {state}, attempt: 1, results: [{results}]}}"
        ))
        .unwrap()
    }

    fn mesh() -> BTreeMap<u32, PairRecord> {
        let pairs = [
            record("node1", "node2", Some([9_400_000_000, 9_300_000_000])),
            record("node1", "node3", Some([9_400_000_000, 941_000_000])),
            record("node2", "node3", None),
        ];
        (0..).zip(pairs).collect()
    }

    #[test]
    fn each_way_is_a_cell_and_the_lowest_is_marked() {
        let mesh = mesh();
        assert_eq!(variants(&mesh), ["tcp-p1"].into());
        let matrix = Matrix::of(&mesh, "tcp-p1", By::Node);
        let whole = "from the row's to the column's, Gbit/s\n\n\
                     \x20             1       2       3\n\
                     1 node1       -    9.40    9.40\n\
                     2 node2    9.30       -       x\n\
                     3 node3   *0.94       x       -\n\n\
                     * the lowest, x not measured\n";
        assert_eq!(matrix.text(None, Colour::none()), whole);
        let ways = matrix.ways();
        assert_eq!(ways.len(), 6);
        assert_eq!(ways[1].throughput_bits_per_second, Some(9_400_000_000));
        assert_eq!(
            (ways[3].from, ways[3].to, ways[3].throughput_bits_per_second),
            ("node2", "node3", None)
        );
        // Two columns, and the third below.
        let narrow = matrix.text(Some(24), Colour::none());
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 40),
            "{narrow}"
        );
        assert_eq!(narrow.matches("1 node1").count(), 2, "{narrow}");
    }

    #[test]
    fn zones_have_the_median_of_their_pairs() {
        let matrix = Matrix::of(&mesh(), "tcp-p1", By::Zone);
        let text = matrix.text(None, Colour::none());
        assert!(text.contains("1 (no zone)"), "{text}");
        assert!(text.contains("9.40"), "{text}");
        assert!(
            Matrix::of(&mesh(), "udp", By::Node)
                .text(None, Colour::none())
                .contains('x')
        );
    }
}
