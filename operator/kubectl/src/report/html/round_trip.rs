//! The round-trip time of each variant: how long most waited, and how long the last hundredth did.

use super::{
    page::Figure,
    table::{Head, Table},
};
use crate::report::svg::ranges::{Range, Ranges};
use crate::show::figures::{flow, micros};
use crate::subject::Subject;
use nettest_api::result::{Percentiles, VariantResult};

/// Rows of the chart; the table has all.
const MOST: usize = 24;

/// `None`: no result tells.
pub fn figure(subject: &Subject) -> Option<Figure> {
    let status = subject.status();
    let known: Vec<(&VariantResult, Percentiles)> = status
        .results
        .iter()
        .filter_map(|result| Some((result, result.rtt_percentiles_microseconds?)))
        .collect();
    let worst = known.iter().max_by_key(|(_, of)| of.p99)?;
    let (unit, divide) = if worst.1.p99 >= 1_000 {
        ("ms", 1e3)
    } else {
        ("µs", 1.0)
    };
    let is_alone = |result: &VariantResult| {
        let same = known.iter().filter(|(of, _)| of.variant == result.variant);
        same.count() == 1
    };
    let name = |result: &VariantResult| {
        if is_alone(result) {
            result.variant.clone()
        } else {
            format!("{}, {}", result.variant, flow(result.flow))
        }
    };
    let row = |(result, of): &(&VariantResult, Percentiles)| Range {
        name: name(result),
        said: format!("p50 {}, p99 {}", micros(of.p50), micros(of.p99)),
        at: [of.p50, of.p90, of.p99].map(|micros| micros as f64 / divide),
    };
    let cells = |(result, of): &(&VariantResult, Percentiles)| {
        let figures = [of.p50, of.p90, of.p99].map(micros);
        std::iter::once(name(result)).chain(figures).collect()
    };
    let title = "Round-trip time, percentiles";
    let mut notes = vec![format!(
        "The longest: {}, of which one in a hundred waited {} or more.",
        name(worst.0),
        micros(worst.1.p99)
    )];
    if known.len() > MOST {
        notes.push(format!(
            "The first {MOST} of {}; all are in the numbers.",
            known.len()
        ));
    }
    let chart = Ranges {
        title: title.to_owned(),
        description: notes.join(" "),
        unit,
        words: ["p50", "p90", "p99"],
        rows: known.iter().take(MOST).map(row).collect(),
    };
    let percentile = |name: &str| Head::right(name);
    Some(Figure {
        title: title.to_owned(),
        svg: chart.svg("round-trip"),
        legend: [(0, "p50"), (7, "p90"), (1, "p99")]
            .map(|(colour, word)| (colour, word.to_owned()))
            .into(),
        notes,
        table: Table {
            caption: title.to_owned(),
            head: std::iter::once(Head::left("Variant"))
                .chain(["p50", "p90", "p99"].map(percentile))
                .collect(),
            rows: known.iter().map(cells).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::figure;
    use crate::report::tests::{recorded::recorded, sweep};

    #[test]
    fn the_longest_is_named_and_every_variant_has_a_row() {
        let figure = figure(&sweep("rack")).unwrap();
        assert_eq!(
            figure.notes,
            ["The longest: tcp-p8, of which one in a hundred waited 2.70 ms or more."]
        );
        assert_eq!(
            figure.table.rows[0],
            ["tcp-p1", "180 µs", "360 µs", "540 µs"]
        );
        assert_eq!(figure.table.rows.len(), 4);
        // A row: two dots, in the unit of the longest.
        assert_eq!(figure.svg.matches("<circle").count(), 8);
        assert!(
            figure
                .svg
                .contains("tcp-p1: p50 0.18 ms, p90 0.36 ms, p99 0.54 ms")
        );
    }

    #[test]
    fn datagrams_have_none_and_of_both_ways_the_sender_knows() {
        assert!(figure(&recorded("pair-udp")).is_none());
        let both = figure(&recorded("both-ways")).unwrap();
        assert_eq!(both.table.rows.len(), 1);
        assert_eq!(both.table.rows[0][0], "tcp-p2");
    }
}
