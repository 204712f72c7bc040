//! A heat map: from each in a row to each in a column.

use super::{escaped, opening, scale::unit, shortened};
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
/// Letters of a name; all are in the table.
const LONGEST: usize = 28;

#[derive(Debug, Clone)]
pub struct HeatMap {
    pub title: String,
    pub description: String,
    pub names: Vec<String>,
    /// Bits per second by row and column; `None`: not measured.
    pub cells: BTreeMap<(usize, usize), Option<i64>>,
    /// Marked in rows and columns.
    pub suspects: Vec<String>,
}

impl HeatMap {
    pub fn most(&self) -> i64 {
        self.cells.values().flatten().copied().max().unwrap_or(0)
    }

    /// The step of a rate: by its share of the highest, since a node at half the rate of the others is what one looks for.
    fn step(&self, rate: i64) -> usize {
        let share = rate as f64 / self.most().max(1) as f64;
        match share {
            share if share >= 0.95 => 5,
            share if share >= 0.9 => 4,
            share if share >= 0.75 => 3,
            share if share >= 0.5 => 2,
            share if share >= 0.25 => 1,
            _ => 0,
        }
    }

    pub fn svg(&self, id: &str) -> String {
        let count = self.names.len().max(1);
        let longest = self
            .names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(0);
        let is_large = count > 40;
        let left = if is_large {
            40.0
        } else {
            longest.min(LONGEST) as f64 * 7.6 + 46.0
        };
        // The last number is wider than its column.
        let right = if is_large { 14.0 } else { 4.0 };
        let size = ((WIDTH - left - right) / count as f64).min(56.0);
        let (width, height) = (
            left + size * count as f64 + right,
            22.0 + size * count as f64 + 4.0,
        );
        // Narrower, its numbers could not be read: the page scrolls it sideways.
        let least = width.min(if is_large { WIDTH } else { width * 0.85 });
        let (unit, divide) = unit(self.most() as f64);
        let form = format!(
            "class=\"heat\" viewBox=\"0 0 {width:.0} {height:.0}\" style=\"max-width:{width:.0}px;min-width:{least:.0}px\""
        );
        let mut out = opening(&form, id, &self.title, &self.description);
        let every = if size >= 16.0 {
            1
        } else {
            (16.0 / size).ceil() as usize
        };
        let is_suspect: Vec<bool> = self
            .names
            .iter()
            .map(|name| self.suspects.contains(name))
            .collect();
        for (index, name) in self.names.iter().enumerate() {
            let middle = size * index as f64 + size / 2.0;
            let is_bad = is_suspect.get(index) == Some(&true);
            let class = if is_bad { "tick bad" } else { "tick" };
            // A suspect's number stands, and no other one so near that they would touch.
            let near = is_suspect
                .iter()
                .skip((index + 1).saturating_sub(every))
                .take(2 * every - 1);
            let is_shown = is_bad || index % every == 0 && near.into_iter().all(|bad| !bad);
            if is_shown {
                let _ = write!(
                    out,
                    "<text class=\"{class}\" x=\"{:.1}\" y=\"14\" text-anchor=\"middle\">{}</text>",
                    left + middle,
                    index + 1
                );
                let label = if is_large {
                    (index + 1).to_string()
                } else {
                    format!("{}  {}", index + 1, shortened(name, LONGEST))
                };
                let _ = write!(
                    out,
                    "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                    left - 8.0,
                    22.0 + middle + 4.0
                );
            }
        }
        for ((row, column), rate) in &self.cells {
            let (x, y) = (left + size * *column as f64, 22.0 + size * *row as f64);
            let name = |index: &usize| self.names.get(*index).map_or("", String::as_str);
            let (class, said) = match rate {
                Some(rate) => (
                    format!("h{}", self.step(*rate)),
                    format!("{:.2}", *rate as f64 / divide),
                ),
                None => ("hx".to_owned(), "×".to_owned()),
            };
            let told = match rate {
                Some(_) => format!("{said} {unit}"),
                None => "not measured".to_owned(),
            };
            let gap = if size > 12.0 { 2.0 } else { 0.5 };
            let _ = write!(
                out,
                "<g><title>{} to {}: {told}</title><rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{}\"/>",
                escaped(name(row)),
                escaped(name(column)),
                size - gap,
                size - gap,
                if size > 20.0 { 4 } else { 0 }
            );
            if size >= 36.0 {
                let _ = write!(
                    out,
                    "<text class=\"cell {class}-ink\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{said}</text>",
                    x + (size - gap) / 2.0,
                    y + size / 2.0 + 3.0
                );
            }
            out.push_str("</g>");
        }
        out.push_str("</svg>");
        out
    }
}
