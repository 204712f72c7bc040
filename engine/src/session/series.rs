//! A series: variants of a test, each measured several times, round by round: what drifts meanwhile spreads over all.

use super::observer::Turn;
use super::*;
use nettest_report::report::Flow;
use nettest_report::spread;
use nettest_report::sums::FlowEnd;

pub async fn run(
    variants: &[Variant],
    repeats: Repeats,
    observer: &mut dyn Observer,
    mut stop: Stop,
    mut measured: impl FnMut(usize, Report),
) -> Result<(), SeriesError> {
    let mut rounds = Rounds::new(repeats, variants.len());
    let mut pause = Duration::ZERO;
    for number in 1.. {
        let due = rounds.due(number);
        if due.is_empty() {
            break;
        }
        for (at, variant) in variants.iter().enumerate() {
            if !due.contains(&at) {
                continue;
            }
            let failed = |error| SeriesError { variant: at, error };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                cause = stop.asked() => return Err(failed(SessionError::Interrupted(cause.describe()))),
            }
            pause = repeats.pause;
            observer.repeat(Turn {
                variant: &variant.name,
                variants: variants.len(),
                repeat: number,
                repeats: repeats.count,
            });
            let (report, result) = run_client(&variant.config, observer, stop.clone()).await;
            rounds.note(at, &report);
            measured(at, report);
            result.map_err(failed)?;
        }
    }
    Ok(())
}

/// Who is measured in which round.
#[derive(Debug)]
struct Rounds {
    repeats: Repeats,
    /// By variant: each flow's received rates, bits per second.
    rates: Vec<Vec<(Flow, Vec<u64>)>>,
}

impl Rounds {
    fn new(repeats: Repeats, variants: usize) -> Self {
        Rounds {
            repeats,
            rates: vec![Vec::new(); variants],
        }
    }

    fn note(&mut self, variant: usize, report: &Report) {
        let (Some(flows), Some(end)) = (self.rates.get_mut(variant), &report.end) else {
            return;
        };
        for sum in FlowEnd::of(end) {
            // An unknown rate is no reason to measure again: the next one would be unknown too.
            let Some(rate) = sum.received.whole_bits_per_second() else {
                continue;
            };
            match flows.iter_mut().find(|(flow, _)| *flow == sum.flow) {
                Some((_, rates)) => rates.push(rate),
                None => flows.push((sum.flow, vec![rate])),
            }
        }
    }

    /// The variants of the `number`th round (from 1); none: that was all.
    fn due(&self, number: u32) -> Vec<usize> {
        let Repeats { count, extra, .. } = self.repeats;
        let all = 0..self.rates.len();
        match extra {
            _ if number <= count.max(1) => all.collect(),
            Some(extra) if number <= extra.max_count => {
                all.filter(|at| self.is_unsteady(*at, extra)).collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn is_unsteady(&self, variant: usize, extra: Extra) -> bool {
        self.rates
            .get(variant)
            .into_iter()
            .flatten()
            .any(|(_, rates)| {
                spread::percent(rates).is_some_and(|percent| percent > extra.max_spread_percent)
            })
    }
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
