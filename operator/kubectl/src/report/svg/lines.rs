//! A line chart: some series over one axis.

use super::{
    escaped, opening,
    scale::{number, ticks, unit},
};
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 44.0;
/// Colours of the page.
pub const COLOURS: usize = 8;

#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    /// In the order of x.
    pub points: Vec<(f64, f64)>,
}

/// A place on the x axis with a word, across the whole chart.
#[derive(Debug, Clone)]
pub struct Mark {
    pub x: f64,
    pub word: String,
}

#[derive(Debug, Clone)]
pub struct Chart {
    pub title: String,
    /// For who cannot see it.
    pub description: String,
    /// What x is, e.g. `seconds`.
    pub axis: String,
    /// Bits per second.
    pub series: Vec<Series>,
    /// Names of x = 0, 1, 2 …; else x is a number and has ticks.
    pub categories: Vec<String>,
    pub marks: Vec<Mark>,
    /// Where x ends, if beyond the last point.
    pub reach: f64,
}

impl Chart {
    pub fn svg(&self, id: &str) -> String {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let most = all().map(|point| point.1).fold(0.0, f64::max);
        let (unit, size) = unit(most);
        let ys = ticks(most / size, 5);
        let top = ys.last().copied().unwrap_or(1.0) * size;
        let furthest = all().map(|point| point.0).fold(self.reach, f64::max);
        let xs = match self.categories.len() {
            0 => ticks(furthest, 6),
            many => (0..many).map(|index| index as f64).collect(),
        };
        let (low, high) = match self.categories.len() {
            // The first and the last stand off the frame.
            many if many > 0 => (-0.5, many as f64 - 0.5),
            // Time ends where the repeat ends, to the tenth; a round tick beyond it would be an empty place.
            _ => (0.0, ((furthest * 10.0).floor() / 10.0).max(furthest * 0.95)),
        };
        let x = |value: f64| LEFT + (value - low) / (high - low).max(1e-9) * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / top.max(1e-9) * (HEIGHT - TOP - BOTTOM);

        let form = format!("class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\"");
        let mut out = opening(&form, id, &self.title, &self.description);
        for tick in &ys {
            let at = y(tick * size);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                at + 4.0,
                number(*tick)
            );
        }
        let _ = write!(out, "<text class=\"unit\" x=\"2\" y=\"16\">{unit}</text>");
        // Names that would touch are left out.
        let every = (self.categories.len() / 8 + 1).max(1);
        for (index, tick) in xs.iter().enumerate().filter(|(_, tick)| **tick <= high) {
            let name = match self.categories.get(index) {
                Some(_) if index % every != 0 => continue,
                Some(name) => escaped(name),
                None => number(*tick),
            };
            let _ = write!(
                out,
                "<text class=\"tick{}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                // A narrow page has larger letters and leaves out every other.
                if (index / every) % 2 == 1 { " odd" } else { "" },
                x(*tick),
                HEIGHT - BOTTOM + 18.0
            );
        }
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            HEIGHT - 6.0,
            escaped(&self.axis)
        );
        for (index, mark) in self.marks.iter().enumerate() {
            let at = x(mark.x);
            // Words of lines that are near each other stand in rows.
            let above = TOP - 18.0 + 22.0 * index as f64;
            // Words stay inside of the frame.
            let (anchor, shift) = if at > WIDTH / 2.0 {
                ("end", -6.0)
            } else {
                ("start", 6.0)
            };
            let _ = write!(
                out,
                "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/><text class=\"mark-word\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                HEIGHT - BOTTOM,
                at + shift,
                above,
                escaped(&mark.word)
            );
        }
        for (index, series) in self.series.iter().enumerate() {
            let class = index % COLOURS;
            let points: Vec<String> = series
                .points
                .iter()
                .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
                .collect();
            let _ = write!(
                out,
                "<polyline class=\"line s{class}\" points=\"{}\"/>",
                points.join(" ")
            );
            if series.points.len() <= 40 {
                for (at, value) in &series.points {
                    let _ = write!(
                        out,
                        "<circle class=\"dot s{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}: {} {unit}</title></circle>",
                        x(*at),
                        y(*value),
                        escaped(&series.name),
                        number(*value / size)
                    );
                }
            }
        }
        out.push_str("</svg>");
        out
    }
}
