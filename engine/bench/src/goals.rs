//! What our engine shall reach in each row, and whether it did.

use crate::{
    peer::Kind,
    samples::{Figure, Samples},
    work::{Group, Work},
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// Ours at least (or, of what is better small, at most) so many times the best of these.
    Times(Figure, f64, &'static [Kind]),
    /// Loss not above the least of these.
    LossNotAbove(&'static [Kind]),
    NoLoss,
    /// Percent off the rate that was asked for.
    RateWithin(f64),
    WallUnder(f64),
    EveryByte,
    /// All clients served by one process.
    OneServer,
}

const RIVALS: &[Kind] = &[Kind::Iperf3Newest, Kind::Iperf3_18, Kind::Riperf3];
const NEWEST: &[Kind] = &[Kind::Iperf3Newest];
const RIPERF3: &[Kind] = &[Kind::Riperf3];

pub fn goals(work: &Work) -> Vec<Goal> {
    use Figure::{Bits, Cpu, Datagrams, Memory};
    match (work.group, work.name) {
        (Group::Tcp, "tcp1" | "tcp2") => {
            vec![
                Goal::Times(Bits, 1.05, RIVALS),
                Goal::Times(Cpu, 0.95, RIVALS),
            ]
        }
        (Group::Tcp, "tcp128") => {
            vec![
                Goal::Times(Bits, 1.05, RIVALS),
                Goal::Times(Memory, 1.0, RIVALS),
            ]
        }
        (Group::Tcp, _) => Vec::new(),
        (Group::TcpFast, _) => vec![Goal::Times(Bits, 1.10, RIVALS)],
        (Group::Udp, _) => vec![
            Goal::Times(Datagrams, 1.5, NEWEST),
            Goal::Times(Datagrams, 1.1, RIPERF3),
            Goal::LossNotAbove(RIVALS),
        ],
        (Group::UdpGso, _) => vec![Goal::Times(Bits, 1.2, RIVALS), Goal::LossNotAbove(RIVALS)],
        (Group::Paced, _) => vec![
            Goal::NoLoss,
            Goal::Times(Cpu, 0.7, RIVALS),
            Goal::RateWithin(0.5),
        ],
        (Group::Clients, _) => vec![Goal::OneServer, Goal::NoLoss],
        (Group::Small, _) => vec![Goal::WallUnder(0.010), Goal::EveryByte],
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub goal: String,
    pub found: String,
    /// None: there is nothing to judge by.
    pub met: Option<bool>,
}

pub fn judge(goal: Goal, samples: &Samples<'_>) -> Verdict {
    let work = samples.work;
    let ours = || samples.done(Kind::Ours).map(|(_, measured)| measured);
    let none = ours().next().is_none();
    let verdict = |goal: String, found: String, met: bool| Verdict {
        goal,
        found,
        met: Some(met),
    };
    let unknown = |goal: String, why: &str| Verdict {
        goal,
        found: why.to_owned(),
        met: None,
    };
    // Ours ran and failed is a no; ours did not run is nothing to judge by.
    let failed = |goal: String| Verdict {
        goal,
        found: "ours gave no figure".to_owned(),
        met: samples.failed(Kind::Ours).then_some(false),
    };
    match goal {
        Goal::Times(figure, factor, rivals) => {
            let goal = label(goal, work);
            if none {
                return failed(goal);
            }
            let Some((best, _)) = samples.best(rivals, figure) else {
                // They were there and delivered nothing, which is less than ours did.
                let beaten = rivals.iter().any(|&kind| samples.failed(kind));
                return Verdict {
                    goal,
                    found: "none of them gave a figure".to_owned(),
                    met: beaten.then_some(true),
                };
            };
            let Some(ratio) = samples.ratio(best, figure) else {
                return unknown(goal, "no round with both");
            };
            let met = if figure.less_is_better() {
                ratio.median <= factor
            } else {
                ratio.median >= factor
            };
            let found = format!(
                "{:.2} ({:.2}–{:.2}) × {best}",
                ratio.median, ratio.low, ratio.high
            );
            verdict(goal, found, met)
        }
        Goal::LossNotAbove(rivals) => {
            let goal = label(goal, work);
            let ours = samples.spread(Kind::Ours, Figure::Loss);
            match (ours, samples.best(rivals, Figure::Loss)) {
                (Some(ours), Some((best, theirs))) => verdict(
                    goal,
                    format!(
                        "{} against {} of {best}",
                        percent(ours.median),
                        percent(theirs)
                    ),
                    ours.median <= theirs,
                ),
                _ => unknown(goal, "nothing to compare"),
            }
        }
        _ if none => failed(label(goal, work)),
        Goal::NoLoss => {
            let worst = ours().map(|run| run.loss()).fold(0.0, f64::max);
            verdict(
                "loss 0".to_owned(),
                format!("at most {}", percent(worst)),
                worst == 0.0,
            )
        }
        Goal::RateWithin(most) => {
            let asked = work.rate.unwrap_or(0) as f64 * f64::from(work.clients);
            let rate = samples
                .spread(Kind::Ours, Figure::Bits)
                .map_or(0.0, |rate| rate.median);
            let off = (rate / asked - 1.0) * 100.0;
            verdict(label(goal, work), format!("{off:+.2} %"), off.abs() <= most)
        }
        Goal::WallUnder(most) => {
            let wall = samples
                .spread(Kind::Ours, Figure::Wall)
                .map_or(f64::INFINITY, |wall| wall.median);
            verdict(
                label(goal, work),
                format!("{:.1} ms", wall * 1e3),
                wall < most,
            )
        }
        Goal::EveryByte => {
            let asked = work.bytes.unwrap_or(0);
            let all = ours().count();
            let whole = ours().filter(|run| run.delivered_bytes == asked).count();
            verdict(
                label(goal, work),
                format!("in {whole} of {all} runs"),
                whole == all,
            )
        }
        Goal::OneServer => {
            let one = ours().all(|run| run.servers == 1 && run.clients == work.clients);
            verdict(
                label(goal, work),
                if one { "all served" } else { "not" }.to_owned(),
                one,
            )
        }
    }
}

fn label(goal: Goal, work: &Work) -> String {
    match goal {
        Goal::Times(figure, factor, rivals) => {
            let sign = if figure.less_is_better() {
                '≤'
            } else {
                '≥'
            };
            format!("{} {sign} {factor:.2} × {}", what(figure), among(rivals))
        }
        Goal::LossNotAbove(rivals) => format!("loss ≤ {}", among(rivals)),
        Goal::NoLoss => "loss 0".to_owned(),
        Goal::RateWithin(most) => format!("rate within {most} %"),
        Goal::WallUnder(most) => format!("under {:.0} ms", most * 1e3),
        Goal::EveryByte => "every byte counted".to_owned(),
        Goal::OneServer => format!("{} clients, one server", work.clients),
    }
}

fn what(figure: Figure) -> &'static str {
    match figure {
        Figure::Bits => "rate",
        Figure::Datagrams => "datagrams/s",
        Figure::Wall => "wall time",
        Figure::Cpu => "CPU/GB",
        Figure::Memory => "memory",
        Figure::Loss => "loss",
    }
}

fn among(rivals: &[Kind]) -> String {
    match rivals {
        [one] => one.to_string(),
        _ => "the best of iperf3 newest, 3.18, riperf3".to_owned(),
    }
}

pub fn percent(part: f64) -> String {
    match part * 100.0 {
        0.0 => "0 %".to_owned(),
        small if small < 0.01 => "<0.01 %".to_owned(),
        more => format!("{more:.2} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        run::{Measured, Outcome, Run},
        samples::tests::a_run,
        work::{self, Path},
    };

    fn judged(runs: &[Run], row: &str, goal: Goal) -> Verdict {
        let work = work::named(row).expect("a row");
        judge(goal, &Samples::of(runs, work, Path::Lo))
    }

    fn with(mut run: Run, change: impl FnOnce(&mut Measured)) -> Run {
        if let Outcome::Done(measured) = &mut run.outcome {
            change(measured);
        }
        run
    }

    #[test]
    fn a_rate_against_the_best_that_is_there() {
        let runs = [
            a_run("tcp1", Kind::Ours, 0, 5.0),
            a_run("tcp1", Kind::Iperf3Newest, 0, 4.0),
            a_run("tcp1", Kind::Riperf3, 0, 4.9),
        ];
        let goal = Goal::Times(Figure::Bits, 1.05, RIVALS);
        let verdict = judged(&runs, "tcp1", goal);
        assert_eq!(verdict.met, Some(false));
        assert_eq!(verdict.found, "1.02 (1.02–1.02) × riperf3");
        assert_eq!(judged(&runs[..2], "tcp1", goal).met, Some(true));
        assert_eq!(judged(&runs[..1], "tcp1", goal).met, None);
        assert_eq!(judged(&runs[1..], "tcp1", goal).met, None);
    }

    #[test]
    fn who_runs_and_fails_is_beaten() {
        let fail = |mut run: Run| {
            run.outcome = Outcome::Failed("delivered nothing".to_owned());
            run
        };
        let ours = a_run("gso8192", Kind::Ours, 0, 1.0);
        let theirs = a_run("gso8192", Kind::Iperf3Newest, 0, 1.0);
        let goal = Goal::Times(Figure::Bits, 1.2, RIVALS);
        let runs = [ours.clone(), fail(theirs.clone())];
        assert_eq!(judged(&runs, "gso8192", goal).met, Some(true));
        assert_eq!(
            judged(&[fail(ours), theirs], "gso8192", goal).met,
            Some(false)
        );
    }

    #[test]
    fn less_cpu_is_met_below() {
        let runs = [
            with(a_run("paced", Kind::Ours, 0, 1.0), |run| {
                run.client_cpu_seconds = 0.5
            }),
            a_run("paced", Kind::Iperf3Newest, 0, 1.0),
        ];
        let goal = Goal::Times(Figure::Cpu, 0.7, RIVALS);
        assert_eq!(judged(&runs, "paced", goal).met, Some(true));
    }

    #[test]
    fn one_lost_datagram_is_loss() {
        let clean = a_run("paced", Kind::Ours, 0, 1.0);
        assert_eq!(
            judged(std::slice::from_ref(&clean), "paced", Goal::NoLoss).met,
            Some(true)
        );
        let lossy = with(clean.clone(), |run| run.sent_bytes += 1400);
        let verdict = judged(&[clean, lossy], "paced", Goal::NoLoss);
        assert_eq!(
            (verdict.met, verdict.found.as_str()),
            (Some(false), "at most <0.01 %")
        );
    }

    #[test]
    fn the_asked_rate() {
        // 1 Gbit/s for 2 s are 0.25 GB.
        for (gigabytes, met) in [
            (0.25, true),
            (0.2490, true),
            (0.2480, false),
            (0.252, false),
        ] {
            let runs = [a_run("paced", Kind::Ours, 0, gigabytes)];
            let verdict = judged(&runs, "paced", Goal::RateWithin(0.5));
            assert_eq!(verdict.met, Some(met), "{gigabytes}: {verdict:?}");
        }
    }

    #[test]
    fn a_small_run_that_lost_its_data_is_not_met() {
        let lost = a_run("small", Kind::Ours, 0, 0.0);
        assert_eq!(judged(&[lost], "small", Goal::EveryByte).met, Some(false));
        let slow = a_run("small", Kind::Ours, 0, 0.001_048_576);
        assert_eq!(
            judged(std::slice::from_ref(&slow), "small", Goal::EveryByte).met,
            Some(true)
        );
        assert_eq!(
            judged(&[slow], "small", Goal::WallUnder(0.01)).met,
            Some(false)
        );
    }

    #[test]
    fn every_row_of_the_bars_has_goals() {
        for work in &work::ALL {
            let wanted =
                work.group != Group::Tcp || matches!(work.name, "tcp1" | "tcp2" | "tcp128");
            assert_eq!(!goals(work).is_empty(), wanted, "{}", work.name);
        }
    }
}
