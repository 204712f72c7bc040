//! Ranges: a row each from its middle to its far end, with a mark between, over one axis.

use super::{
    escaped, opening,
    scale::{number, ticks},
    shortened,
};
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 44.0;
const BOTTOM: f64 = 44.0;
/// Letters of a name; all are in the table.
const LONGEST: usize = 36;

#[derive(Debug, Clone)]
pub struct Range {
    pub name: String,
    /// What is said beside the name.
    pub said: String,
    /// The middle, the mark, the far end.
    pub at: [f64; 3],
}

#[derive(Debug, Clone)]
pub struct Ranges {
    pub title: String,
    pub description: String,
    /// Of the values, as they are given.
    pub unit: &'static str,
    /// What the three are called.
    pub words: [&'static str; 3],
    pub rows: Vec<Range>,
}

impl Ranges {
    pub fn svg(&self, id: &str) -> String {
        let most = self.rows.iter().flat_map(|row| row.at).fold(0.0, f64::max);
        let xs = ticks(most, 5);
        let furthest = xs.last().copied().unwrap_or(1.0).max(1e-9);
        let x = |value: f64| LEFT + value / furthest * (WIDTH - LEFT - RIGHT);
        let bottom = ROW * self.rows.len() as f64;
        let height = bottom + BOTTOM;
        let form = format!("class=\"chart ranges\" viewBox=\"0 0 {WIDTH} {height}\"");
        let mut out = opening(&form, id, &self.title, &self.description);
        for (index, tick) in xs.iter().enumerate() {
            let at = x(*tick);
            let anchor = if index == 0 { "start" } else { "middle" };
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{bottom}\"/><text class=\"tick{}\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                // A narrow page has larger letters and leaves out every other.
                if index % 2 == 1 { " odd" } else { "" },
                bottom + 18.0,
                number(*tick)
            );
        }
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            height - 4.0,
            self.unit
        );
        for (index, row) in self.rows.iter().enumerate() {
            let top = ROW * index as f64;
            let middle = top + 32.0;
            let _ = write!(
                out,
                "<text class=\"name\" x=\"{LEFT}\" y=\"{:.1}\">{}</text><text class=\"tick odd\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                top + 19.0,
                shortened(&row.name, LONGEST),
                WIDTH - RIGHT,
                top + 19.0,
                escaped(&row.said)
            );
            let [from, mark, to] = row.at.map(x);
            let told = self
                .words
                .iter()
                .zip(row.at)
                .map(|(word, value)| format!("{word} {} {}", number(value), self.unit));
            let told: Vec<String> = told.collect();
            let _ = write!(
                out,
                "<g><title>{}: {}</title><line class=\"span\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{middle}\" y2=\"{middle}\"/><line class=\"line s7\" x1=\"{mark:.1}\" x2=\"{mark:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/><circle class=\"dot s1\" cx=\"{to:.1}\" cy=\"{middle}\" r=\"4\"/><circle class=\"dot s0\" cx=\"{from:.1}\" cy=\"{middle}\" r=\"5\"/></g>",
                escaped(&row.name),
                told.join(", "),
                middle - 6.0,
                middle + 6.0
            );
        }
        out.push_str("</svg>");
        out
    }
}
