//! The runs of one row on one path, by program, and ratios between programs.

use crate::{
    peer::Kind,
    run::{Measured, Outcome, Run},
    statistics::{Estimate, Spread, estimate, median, spread},
    work::{Main, Path, Work},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Bits a second.
    Bits,
    /// Datagrams a second.
    Datagrams,
    Wall,
    /// CPU seconds a gigabyte (10^9 bytes delivered), both ends.
    Cpu,
    /// Peak memory of the servers, bytes.
    Memory,
    Loss,
}

impl Figure {
    pub fn main(work: &Work) -> Self {
        match work.main {
            Main::Bits => Figure::Bits,
            Main::Datagrams => Figure::Datagrams,
            Main::Wall => Figure::Wall,
        }
    }

    pub fn of(self, measured: &Measured, work: &Work) -> f64 {
        match self {
            Figure::Bits => measured.bits_per_second(),
            Figure::Datagrams => {
                let datagram = f64::from(work.length.unwrap_or(1)) * 8.0;
                measured.bits_per_second() / datagram
            }
            Figure::Wall => measured.wall_seconds,
            Figure::Cpu => {
                (measured.client_cpu_seconds + measured.server_cpu_seconds) / measured.gigabytes()
            }
            Figure::Memory => measured.server_rss_bytes as f64,
            Figure::Loss => measured.loss(),
        }
    }

    pub fn less_is_better(self) -> bool {
        matches!(
            self,
            Figure::Wall | Figure::Cpu | Figure::Memory | Figure::Loss
        )
    }
}

#[derive(Debug, Clone)]
pub struct Samples<'a> {
    pub work: &'a Work,
    pub path: Path,
    runs: Vec<&'a Run>,
}

impl<'a> Samples<'a> {
    pub fn of(runs: &'a [Run], work: &'a Work, path: Path) -> Self {
        Samples {
            work,
            path,
            runs: runs
                .iter()
                .filter(|run| run.path == path && run.work == work.name)
                .collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn runs(&self, kind: Kind) -> impl Iterator<Item = &'a Run> {
        self.runs
            .iter()
            .copied()
            .filter(move |run| run.peer == kind)
    }

    /// Runs that gave figures, with their rounds.
    pub fn done(&self, kind: Kind) -> impl Iterator<Item = (u32, &'a Measured)> {
        self.runs(kind).filter_map(|run| match &run.outcome {
            Outcome::Done(measured) => Some((run.round, measured)),
            Outcome::Failed(_) | Outcome::Unable(_) => None,
        })
    }

    /// It ran, and not one run gave figures.
    pub fn failed(&self, kind: Kind) -> bool {
        self.done(kind).next().is_none()
            && self
                .runs(kind)
                .any(|run| matches!(run.outcome, Outcome::Failed(_)))
    }

    pub fn spread(&self, kind: Kind, figure: Figure) -> Option<Spread> {
        spread(&self.values(kind, |measured| figure.of(measured, self.work)))
    }

    pub fn median(&self, kind: Kind, figure: impl Fn(&Measured) -> f64) -> Option<f64> {
        median(&self.values(kind, figure))
    }

    /// The median of what not every run tells.
    pub fn median_of_known(
        &self,
        kind: Kind,
        figure: impl Fn(&Measured) -> Option<f64>,
    ) -> Option<f64> {
        let known: Vec<f64> = self
            .done(kind)
            .filter_map(|(_, measured)| figure(measured))
            .collect();
        median(&known)
    }

    fn values(&self, kind: Kind, figure: impl Fn(&Measured) -> f64) -> Vec<f64> {
        self.done(kind)
            .map(|(_, measured)| figure(measured))
            .collect()
    }

    /// Ours by theirs, the two of one round each: what the machine did in that round, it did to both.
    pub fn ratio(&self, theirs: Kind, figure: Figure) -> Option<Estimate> {
        let ratios: Vec<f64> = self
            .done(Kind::Ours)
            .filter_map(|(round, ours)| {
                let (_, theirs) = self.done(theirs).find(|(other, _)| *other == round)?;
                let ratio = figure.of(ours, self.work) / figure.of(theirs, self.work);
                ratio.is_finite().then_some(ratio)
            })
            .collect();
        estimate(&ratios)
    }

    /// Of these programs the one with the best median.
    pub fn best(&self, rivals: &[Kind], figure: Figure) -> Option<(Kind, f64)> {
        let medians = rivals
            .iter()
            .filter_map(|&kind| Some((kind, self.spread(kind, figure)?.median)));
        if figure.less_is_better() {
            medians.min_by(|a, b| a.1.total_cmp(&b.1))
        } else {
            medians.max_by(|a, b| a.1.total_cmp(&b.1))
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::{run, work};

    /// One run that delivered so many gigabytes in 2 s.
    pub fn a_run(work: &str, peer: Kind, round: u32, gigabytes: f64) -> Run {
        let bytes = (gigabytes * 1e9) as u64;
        Run {
            path: Path::Lo,
            work: work.to_owned(),
            peer,
            round,
            without: Vec::new(),
            outcome: Outcome::Done(Measured {
                delivered_bytes: bytes,
                sent_bytes: bytes,
                ..run::tests::measured()
            }),
        }
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        // A machine that halves its speed in the second round: the ratio does not change.
        let mut runs = Vec::new();
        for (round, speed) in [(0, 1.0), (1, 0.5), (2, 1.0)] {
            runs.push(a_run("tcp1", Kind::Ours, round, 6.0 * speed));
            runs.push(a_run("tcp1", Kind::Iperf3, round, 4.0 * speed));
        }
        runs.push(a_run("tcp1", Kind::Ours, 3, 60.0));
        let work = work::named("tcp1").expect("a row");
        let samples = Samples::of(&runs, work, Path::Lo);
        let ratio = samples.ratio(Kind::Iperf3, Figure::Bits).expect("pairs");
        assert_eq!((ratio.low, ratio.median, ratio.high), (1.5, 1.5, 1.5));
        assert_eq!(samples.ratio(Kind::Riperf3, Figure::Bits), None);
    }

    #[test]
    fn the_best_is_the_most_or_the_least_by_figure() {
        let runs = [
            a_run("tcp1", Kind::Iperf3, 0, 4.0),
            a_run("tcp1", Kind::Riperf3, 0, 5.0),
        ];
        let work = work::named("tcp1").expect("a row");
        let samples = Samples::of(&runs, work, Path::Lo);
        let rivals = [Kind::Iperf3, Kind::Riperf3, Kind::Neper];
        let best = |figure| samples.best(&rivals, figure).map(|(kind, _)| kind);
        assert_eq!(best(Figure::Bits), Some(Kind::Riperf3));
        // The same CPU seconds for more bytes.
        assert_eq!(best(Figure::Cpu), Some(Kind::Riperf3));
        assert!(Samples::of(&runs, work, Path::Veth).is_empty());
    }

    #[test]
    fn datagrams_are_bytes_by_length() {
        let runs = [a_run("udp64", Kind::Ours, 0, 0.064)];
        let work = work::named("udp64").expect("a row");
        let samples = Samples::of(&runs, work, Path::Lo);
        let found = samples
            .spread(Kind::Ours, Figure::Datagrams)
            .expect("a run");
        assert!((found.median - 500_000.0).abs() < 1e-6);
    }
}
