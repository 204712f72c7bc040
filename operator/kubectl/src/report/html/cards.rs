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

fn one(results: &[VariantResult], of: &str) -> Vec<Card> {
    let throughput = results.iter().map(|result| {
        let spread = &result.throughput_bits_per_second;
        let said = |value| rate(value).unwrap_or_default();
        let note = format!("{of}; {} to {}", said(spread.min), said(spread.max));
        card(
            format!("{}, {}", result.variant, flow(result.flow)),
            rate(spread.median),
            note,
        )
    });
    let spread = |r: &VariantResult| Some(r.throughput_bits_per_second.spread_percent);
    let rest = [
        worst(
            results,
            spread,
            "Spread",
            whole_percent,
            "(max - min) / median",
        ),
        worst(
            results,
            |r| r.rtt_microseconds,
            "Round-trip time",
            micros,
            "mean, smoothed",
        ),
        worst(
            results,
            |r| r.retransmits,
            "Retransmits",
            count,
            "segments, median repeat",
        ),
        worst(results, |r| r.loss_ppm, "Loss", percent, "of the datagrams"),
        worst(
            results,
            |r| r.jitter_microseconds,
            "Jitter",
            micros,
            "RFC 1889",
        ),
    ];
    let rest = rest.into_iter().flatten().map(|(card, _)| card);
    throughput.flatten().chain(rest).collect()
}

fn several(results: &[VariantResult], of: &str) -> Vec<Card> {
    let median = |result: &&VariantResult| result.throughput_bits_per_second.median;
    let named = |label: &str, result: Option<&VariantResult>| {
        let result = result?;
        let note = format!("{}, {}; {of}", result.variant, flow(result.flow));
        card(label.to_owned(), rate(median(&result)), note)
    };
    let spread = |r: &VariantResult| Some(r.throughput_bits_per_second.spread_percent);
    let rest = [
        worst(results, spread, "Widest spread", whole_percent, ""),
        worst(
            results,
            |r| r.rtt_microseconds,
            "Highest round-trip time",
            micros,
            "",
        ),
        worst(results, |r| r.retransmits, "Most retransmits", count, ""),
        worst(results, |r| r.loss_ppm, "Highest loss", percent, ""),
        worst(
            results,
            |r| r.jitter_microseconds,
            "Highest jitter",
            micros,
            "",
        ),
    ];
    let rest = rest.into_iter().flatten().map(|(card, result)| Card {
        note: format!("{}, {}", result.variant, flow(result.flow)),
        ..card
    });
    let ends = [
        named("Highest throughput", results.iter().max_by_key(median)),
        named("Lowest throughput", results.iter().min_by_key(median)),
    ];
    ends.into_iter().flatten().chain(rest).collect()
}

fn card(label: String, value: Option<String>, note: String) -> Option<Card> {
    let value = value?;
    Some(Card { label, value, note })
}

/// The highest of a figure of which more is worse, and whose it is; of none known, nothing.
fn worst<'a>(
    results: &'a [VariantResult],
    figure: fn(&VariantResult) -> Option<i64>,
    label: &str,
    say: fn(i64) -> String,
    note: &str,
) -> Option<(Card, &'a VariantResult)> {
    let known = results
        .iter()
        .filter_map(|result| Some((figure(result)?, result)));
    // Of equals the first, as in the table.
    let (value, result) = known.reduce(|most, next| if next.0 > most.0 { next } else { most })?;
    let card = card(label.to_owned(), Some(say(value)), note.to_owned())?;
    Some((card, result))
}

fn whole_percent(percent: i64) -> String {
    format!("{percent} %")
}

fn count(count: i64) -> String {
    count.to_string()
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
