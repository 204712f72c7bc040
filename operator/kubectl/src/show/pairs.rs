//! The pairs of a run with several: how many there are, which are worst, which nodes are suspect, where all of them are.

use super::figures::{counted, flow, micros, percent, rate};
use super::grid::{Column, Extent, Grid, grid};
use kube::ResourceExt;
use nettest_api::NetTestRun;
use nettest_api::result::{PairFigures, PairResult, PairState, Progress, Suspect};
use std::fmt::Write;

/// So many of the worst; the wide output has all that the run's status has.
const WORST: usize = 10;

/// How far the pairs are, in a line.
pub fn progress(progress: &Progress) -> String {
    let Progress {
        pairs,
        running,
        measured,
        failed,
    } = progress;
    let mut line = format!("{measured} of {} measured", counted(*pairs, "pair"));
    if *running > 0 {
        let _ = write!(line, ", {running} running");
    }
    if *failed > 0 {
        let _ = write!(line, ", {failed} could not be measured");
    }
    line
}

/// The worst pairs of a run.
pub fn worst(pairs: &[PairResult], extent: Extent) -> Grid {
    let most = if extent.wide { usize::MAX } else { WORST };
    let shown: Vec<PairResult> = pairs.iter().take(most).cloned().collect();
    let Grid { text, is_cut } = grid(&COLUMNS, &shown, extent);
    let title = match (shown.len(), pairs.len()) {
        (0, _) => String::new(),
        (shown, all) if shown < all => format!("the {shown} worst pairs:\n"),
        _ => "pairs, worst first:\n".to_owned(),
    };
    Grid {
        text: if title.is_empty() {
            title
        } else {
            title + &text
        },
        is_cut,
    }
}

/// A line a node.
pub fn suspects(suspects: &[Suspect]) -> String {
    let mut out = String::new();
    for suspect in suspects {
        let Suspect {
            node,
            confirmed,
            bad_pairs: _,
            good_pairs: _,
            message,
        } = suspect;
        let word = if *confirmed { "bad node" } else { "suspect" };
        let _ = writeln!(out, "{word} {node}: {message}");
    }
    out
}

/// How to see every pair's figures.
pub fn rest(run: &NetTestRun) -> Option<String> {
    run.status.as_ref()?.ledger.as_ref()?;
    let namespace = run.namespace().unwrap_or_default();
    let name = run.name_any();
    Some(format!(
        "every pair: kubectl nettest report run/{name} -n {namespace} -o csv\n"
    ))
}

const COLUMNS: [Column<PairResult>; 13] = [
    text("CLIENT", 0, |p| Some(p.client.clone())),
    text("SERVER", 0, |p| Some(p.server.clone())),
    text("PATH", 3, |p| Some(p.path?.as_str().to_owned())),
    text("RESULT", 0, |p| Some(result(p))),
    text("SLOWEST", 5, |p| Some(slowest(p)?.variant.clone())),
    text("FLOW", 4, |p| Some(flow(slowest(p)?.flow).to_owned())),
    number("THROUGHPUT", 0, |p| {
        rate(slowest(p)?.throughput_bits_per_second)
    }),
    number("RETR", 6, |p| Some(slowest(p)?.retransmits?.to_string())),
    number("RTT", 7, |p| slowest(p)?.rtt_microseconds.map(micros)),
    number("LOSS", 2, |p| {
        let all = p.figures.iter().filter_map(|figures| figures.loss_ppm);
        all.max().map(percent)
    }),
    number("JITTER", 8, |p| slowest(p)?.jitter_microseconds.map(micros)),
    text("WHY", 1, why),
    Column {
        wide: true,
        ..text("MESSAGE", 9, |p| p.message.clone())
    },
];

type Cell = fn(&PairResult) -> Option<String>;

const fn text(name: &'static str, spare: u8, cell: Cell) -> Column<PairResult> {
    Column {
        name,
        right: false,
        wide: false,
        spare,
        cell,
    }
}

const fn number(name: &'static str, spare: u8, cell: Cell) -> Column<PairResult> {
    Column {
        right: true,
        ..text(name, spare, cell)
    }
}

fn slowest(pair: &PairResult) -> Option<&PairFigures> {
    pair.figures
        .iter()
        .min_by_key(|figures| figures.throughput_bits_per_second)
}

fn result(pair: &PairResult) -> String {
    let word = match pair.state {
        PairState::Waiting => "waiting",
        PairState::Running => "running",
        PairState::Failed => "not measured",
        PairState::Measured if pair.missed.is_empty() => "good",
        PairState::Measured => "MISSED",
    };
    if pair.second_pass {
        format!("{word} (second pass)")
    } else {
        word.to_owned()
    }
}

fn why(pair: &PairResult) -> Option<String> {
    if !pair.missed.is_empty() {
        return Some(pair.missed.join(","));
    }
    pair.reason.clone()
}

#[cfg(test)]
mod tests;
