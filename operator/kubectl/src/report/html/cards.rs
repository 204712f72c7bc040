//! What is seen first: the key figures in large.

use crate::show::figures::{flow, micros, percent, rate};
use nettest_api::{NetTestRunStatus, result::VariantResult};

/// A figure in large.
#[derive(Debug, PartialEq, Eq)]
pub struct Card {
    pub label: String,
    pub value: String,
    pub note: String,
}

/// Of one variant its figures; of several the highest and the lowest throughput and the worst of the rest.
pub fn cards(status: &NetTestRunStatus) -> Vec<Card> {
    let of = match &status.progress {
        Some(_) => "median over the pairs",
        None => "median of the repeats",
    };
    let results = &status.results;
    let mut variants: Vec<&str> = results.iter().map(|r| r.variant.as_str()).collect();
    variants.dedup();
    match variants.as_slice() {
        [] => vec![],
        [_] => one(results, of),
        _ => several(results, of),
    }
}

/// A figure of which more is worse.
struct Bad {
    figure: fn(&VariantResult) -> Option<i64>,
    say: fn(i64) -> String,
    /// Of one variant, and what is said of it.
    label: &'static str,
    note: &'static str,
    /// Of several.
    worst: &'static str,
}

const BAD: [Bad; 5] = [
    Bad {
        figure: |r| Some(r.throughput_bits_per_second.spread_percent),
        say: |percent| format!("{percent} %"),
        label: "Spread",
        note: "(max - min) / median",
        worst: "Widest spread",
    },
    Bad {
        figure: |r| r.rtt_microseconds,
        say: micros,
        label: "Round-trip time",
        note: "mean, smoothed",
        worst: "Highest round-trip time",
    },
    Bad {
        figure: |r| r.retransmits,
        say: |count| count.to_string(),
        label: "Retransmits",
        note: "segments, median repeat",
        worst: "Most retransmits",
    },
    Bad {
        figure: |r| r.loss_ppm,
        say: percent,
        label: "Loss",
        note: "of the datagrams",
        worst: "Highest loss",
    },
    Bad {
        figure: |r| r.jitter_microseconds,
        say: micros,
        label: "Jitter",
        note: "RFC 1889",
        worst: "Highest jitter",
    },
];

fn one(results: &[VariantResult], of: &str) -> Vec<Card> {
    let throughput = results.iter().map(|result| {
        let spread = &result.throughput_bits_per_second;
        let said = |value| rate(value).unwrap_or_default();
        let note = format!("{of}; {} to {}", said(spread.min), said(spread.max));
        card(whose(result), rate(spread.median), note)
    });
    let rest = BAD.iter().map(|bad| {
        let (value, _) = bad.highest(results)?;
        card(bad.label.to_owned(), Some(value), bad.note.to_owned())
    });
    throughput.chain(rest).flatten().collect()
}

fn several(results: &[VariantResult], of: &str) -> Vec<Card> {
    let median = |result: &&VariantResult| result.throughput_bits_per_second.median;
    let named = |label: &str, result: Option<&VariantResult>| {
        let result = result?;
        let note = format!("{}; {of}", whose(result));
        card(label.to_owned(), rate(median(&result)), note)
    };
    let ends = [
        named("Highest throughput", results.iter().max_by_key(median)),
        named("Lowest throughput", results.iter().min_by_key(median)),
    ];
    let rest = BAD.iter().map(|bad| {
        let (value, result) = bad.highest(results)?;
        card(bad.worst.to_owned(), Some(value), whose(result))
    });
    ends.into_iter().chain(rest).flatten().collect()
}

fn card(label: String, value: Option<String>, note: String) -> Option<Card> {
    let value = value?;
    Some(Card { label, value, note })
}

fn whose(result: &VariantResult) -> String {
    format!("{}, {}", result.variant, flow(result.flow))
}

impl Bad {
    /// In words, and whose it is; of none known, nothing. Of equals the first, as in the table.
    fn highest<'a>(&self, results: &'a [VariantResult]) -> Option<(String, &'a VariantResult)> {
        let known = results
            .iter()
            .filter_map(|result| Some(((self.figure)(result)?, result)));
        let (value, result) =
            known.reduce(|most, next| if next.0 > most.0 { next } else { most })?;
        Some(((self.say)(value), result))
    }
}

#[cfg(test)]
mod tests {
    use super::cards;
    use crate::report::tests::{mesh, sweep};

    #[test]
    fn a_sweep_shows_its_ends_and_says_whose_they_are() {
        let cards = cards(&sweep("rack").status());
        let said: Vec<(&str, &str, &str)> = cards
            .iter()
            .map(|card| (card.label.as_str(), card.value.as_str(), card.note.as_str()))
            .collect();
        let of = "median of the repeats";
        assert_eq!(
            said,
            [
                (
                    "Highest throughput",
                    "9.40 Gbit/s",
                    &*format!("tcp-p8, client to server; {of}")
                ),
                (
                    "Lowest throughput",
                    "2.40 Gbit/s",
                    &*format!("tcp-p1, client to server; {of}")
                ),
                ("Widest spread", "8 %", "tcp-p1, client to server"),
                (
                    "Highest round-trip time",
                    "900 µs",
                    "tcp-p8, client to server"
                ),
                ("Most retransmits", "12", "tcp-p1, client to server"),
            ]
        );
    }

    #[test]
    fn one_variant_shows_both_ways() {
        let cards = cards(&mesh(4, "b").status());
        let labels: Vec<&str> = cards.iter().map(|card| card.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "tcp-p1, client to server",
                "tcp-p1, server to client",
                "Spread",
                "Round-trip time",
                "Retransmits"
            ]
        );
    }
}
