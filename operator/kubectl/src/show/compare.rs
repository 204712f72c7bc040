//! Two runs side by side.

use super::figures::{flow, rate};
use super::grid::{Column, Extent, Grid, grid};
use nettest_api::result::Spread;
use nettest_core::compare::{Change, Comparison, Noise, OfPair};

const COLUMNS: [Column<Comparison>; 8] = [
    text("VARIANT", 0, |c| Some(c.variant.clone())),
    text("FLOW", 2, |c| Some(flow(c.flow).to_owned())),
    number("BEFORE", 0, |c| rate(c.before?.median)),
    number("SPREAD", 4, |c| c.before.map(spread)),
    number("AFTER", 0, |c| rate(c.after?.median)),
    number("SPREAD", 3, |c| c.after.map(spread)),
    number("CHANGE", 0, |c| Some(percent(c.change?.permille?))),
    text("", 0, |c| Some(words(c).to_owned())),
];

type Cell = fn(&Comparison) -> Option<String>;

const fn text(name: &'static str, spare: u8, cell: Cell) -> Column<Comparison> {
    Column {
        name,
        right: false,
        wide: false,
        spare,
        cell,
    }
}

const fn number(name: &'static str, spare: u8, cell: Cell) -> Column<Comparison> {
    Column {
        right: true,
        ..text(name, spare, cell)
    }
}

pub fn table(all: &[Comparison], extent: Extent) -> Grid {
    grid(&COLUMNS, all, extent)
}

/// What it comes to, in a line.
pub fn summary(all: &[Comparison]) -> String {
    let of = |noise: Noise| {
        let mut changes = all.iter().filter_map(|c| c.change);
        changes.any(|change| change.noise == noise)
    };
    let line = match (of(Noise::Beyond), of(Noise::Unknown), of(Noise::Within)) {
        (true, _, _) => {
            "a change beyond the spread of the repeats is real, as far as two runs can tell"
        }
        (false, true, _) => {
            "one repeat has no spread: whether this is noise cannot be told; set repeats.count to 3 or more"
        }
        (false, false, true) => {
            "no change beyond the spread of the repeats: the two runs tell no difference"
        }
        (false, false, false) => {
            "the two runs have nothing in common: other variants, or nothing measured"
        }
    };
    format!("{line}\n")
}

/// Rows of pairs for people; programs get all.
const MOST_PAIRS: usize = 20;

const PAIR_COLUMNS: [Column<OfPair>; 8] = [
    pair("CLIENT", 0, false, |p| Some(p.client.clone())),
    pair("SERVER", 0, false, |p| Some(p.server.clone())),
    pair("VARIANT", 1, false, |p| Some(p.comparison.variant.clone())),
    pair("FLOW", 2, false, |p| {
        Some(flow(p.comparison.flow).to_owned())
    }),
    pair("BEFORE", 0, true, |p| rate(p.comparison.before?.median)),
    pair("AFTER", 0, true, |p| rate(p.comparison.after?.median)),
    pair("CHANGE", 0, true, |p| {
        Some(percent(p.comparison.change?.permille?))
    }),
    pair("", 0, false, |p| Some(words(&p.comparison).to_owned())),
];

const fn pair(
    name: &'static str,
    spare: u8,
    right: bool,
    cell: fn(&OfPair) -> Option<String>,
) -> Column<OfPair> {
    Column {
        name,
        right,
        wide: false,
        spare,
        cell,
    }
}

/// Of two meshes: the pairs that changed, the largest losses first, and what it comes to.
pub fn pairs(all: &[OfPair], extent: Extent) -> String {
    let is = |pair: &&OfPair, noise: Noise| {
        pair.comparison
            .change
            .is_some_and(|change| change.noise == noise)
    };
    let changed: Vec<OfPair> = all
        .iter()
        .filter(|pair| !is(pair, Noise::Within))
        .take(MOST_PAIRS)
        .cloned()
        .collect();
    let beyond = all.iter().filter(|pair| is(pair, Noise::Beyond)).count();
    let unknown = all.iter().filter(|pair| is(pair, Noise::Unknown)).count();
    let mut out = match changed.as_slice() {
        [] => String::new(),
        some => grid(&PAIR_COLUMNS, some, extent).text + "\n",
    };
    let more = (beyond + unknown).saturating_sub(changed.len());
    if more > 0 {
        out += &format!("and {more} more: -o json has all\n");
    }
    out += &match (all.len(), beyond, unknown) {
        (0, _, _) => {
            "no pair is kept of both runs: whether a change is more than noise cannot be told\n"
                .to_owned()
        }
        (all, 0, 0) => format!(
            "none of {all} changed beyond the spread of its repeats: the two runs tell no difference\n"
        ),
        (all, 0, _) => format!(
            "all {all} have one repeat or no change: whether this is noise cannot be told; set repeats.count to 3 or more\n"
        ),
        (all, beyond, _) => format!("{beyond} of {all} changed beyond the spread of the repeats\n"),
    };
    out
}

fn spread(spread: Spread) -> String {
    format!("{} %", spread.spread_percent)
}

fn percent(permille: i64) -> String {
    let sign = if permille < 0 { '-' } else { '+' };
    let size = permille.unsigned_abs();
    format!("{sign}{}.{} %", size / 10, size % 10)
}

fn words(comparison: &Comparison) -> &'static str {
    match comparison.change {
        Some(Change { noise, .. }) => match noise {
            Noise::Within => "within the spread",
            Noise::Beyond => "beyond the spread",
            Noise::Unknown => "one repeat: noise cannot be told",
            Noise::OverPairs => "over the pairs",
        },
        None if comparison.before.is_some() => "only before",
        None => "only after",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_api::result::Flow;

    fn comparison(permille: i64, noise: Noise) -> Comparison {
        let spread = |median| Spread {
            median,
            min: median,
            max: median,
            spread_percent: 3,
        };
        Comparison {
            variant: "tcp-p1".into(),
            flow: Flow::ClientToServer,
            before: Some(spread(10_000_000_000)),
            after: Some(spread(10_000_000_000 + permille * 10_000_000)),
            change: Some(Change {
                permille: Some(permille),
                noise,
            }),
        }
    }

    #[test]
    fn of_meshes_the_pairs_that_changed_are_shown() {
        let pair = |server: &str, permille, noise| OfPair {
            client: "a".to_owned(),
            server: server.to_owned(),
            comparison: comparison(permille, noise),
        };
        let extent = Extent {
            wide: false,
            width: None,
        };
        let both = [pair("b", -500, Noise::Beyond), pair("c", 4, Noise::Within)];
        assert_eq!(
            pairs(&both, extent),
            "CLIENT  SERVER  VARIANT  FLOW                   BEFORE        AFTER   CHANGE\n\
             a       b       tcp-p1   client to server  10.0 Gbit/s  5.00 Gbit/s  -50.0 %  beyond the spread\n\n\
             1 of 2 changed beyond the spread of the repeats\n"
        );
        assert!(pairs(&both[1..], extent).contains("no difference"));
        assert!(pairs(&[], extent).contains("no pair is kept of both"));
        let once = [pair("b", -500, Noise::Unknown)];
        assert!(pairs(&once, extent).contains("repeats.count"));
        let many = vec![pair("b", -500, Noise::Beyond); 30];
        assert!(pairs(&many, extent).contains("and 10 more"));
    }

    #[test]
    fn a_row_a_variant_and_what_it_means() {
        let rows = [
            comparison(-203, Noise::Beyond),
            comparison(4, Noise::Within),
        ];
        let extent = Extent {
            wide: false,
            width: None,
        };
        assert_eq!(
            table(&rows, extent).text,
            "VARIANT  FLOW                   BEFORE  SPREAD        AFTER  SPREAD   CHANGE\n\
             tcp-p1   client to server  10.0 Gbit/s     3 %  7.97 Gbit/s     3 %  -20.3 %  beyond the spread\n\
             tcp-p1   client to server  10.0 Gbit/s     3 %  10.0 Gbit/s     3 %   +0.4 %  within the spread\n"
        );
        assert!(summary(&rows).contains("is real"));
        assert!(summary(&rows[1..]).contains("no difference"));
        assert!(summary(&[comparison(4, Noise::Unknown)]).contains("repeats.count"));
        assert!(summary(&[]).contains("nothing in common"));
    }
}
