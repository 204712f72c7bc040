//! The rounds: every program once a row and round, each time another one first.

use crate::{
    calls::Counter,
    command::{self, Setting},
    peer::Peer,
    place::Place,
    progress::{Cell, Costs, Progress},
    run::{Outcome, Run},
    trial,
    work::Work,
};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// Between two runs: sockets close, caches of the last one settle.
const PAUSE: Duration = Duration::from_millis(50);
/// A program that had to be ended so often in a row of the table is not tried there again, and one that had to be so often
/// in all is not tried any more: it would take most of the time.
const HANGS: u32 = 2;
const HANGS_IN_ALL: u32 = 6;

#[derive(Debug)]
pub struct Bench<'a> {
    pub places: &'a [Place],
    pub works: &'a [&'a Work],
    pub peers: &'a [Peer],
    pub rounds: u32,
    pub seconds: u32,
    pub congestion: Option<&'a str>,
}

/// How often each program had to be ended where.
#[derive(Debug, Default)]
pub struct Hangs(BTreeMap<Cell, u32>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    round: u32,
    cell: Cell,
}

impl Bench<'_> {
    /// All rounds. What is done is told as it happens, and at the end of each round all of it.
    pub fn rounds(
        &self,
        hangs: &mut Hangs,
        mut told: impl FnMut(&Run, Progress),
        mut round_over: impl FnMut(&[Run]),
    ) -> Vec<Run> {
        let turns = self.turns(self.rounds);
        let mut costs = Costs::guessed(self.seconds);
        let mut runs: Vec<Run> = Vec::new();
        for (index, turn) in turns.iter().enumerate() {
            let begun = Instant::now();
            let run = self.unless_given_up(turn, None, hangs);
            let took = begun.elapsed();
            costs.note(turn.cell, took.as_secs_f64());
            let next = &turns[index + 1..];
            let progress = Progress {
                done: index + 1,
                all: turns.len(),
                seconds_left: costs.of(next.iter().map(|turn| turn.cell)),
            };
            told(&run, progress);
            runs.push(run);
            if next.first().is_none_or(|next| next.round != turn.round) {
                round_over(&runs);
            }
        }
        runs
    }

    /// One more run of each under the counter, but of what hung in the rounds.
    pub fn counted(
        &self,
        counter: Counter,
        hangs: &mut Hangs,
        mut told: impl FnMut(&Run),
    ) -> Vec<Run> {
        let run = |turn: Turn| {
            let run = self.unless_given_up(&turn, Some(counter), hangs);
            told(&run);
            run
        };
        self.turns(1).into_iter().map(run).collect()
    }

    /// How long it takes, before anything is known of the programs, in seconds; with the runs that count if there are such.
    pub fn guess(&self, counting: bool) -> f64 {
        let able = |turn: &Turn| {
            let Cell { place, work, peer } = turn.cell;
            let setting = self.setting(&self.places[place]);
            command::plan(&self.peers[peer], self.works[work], &setting).is_ok()
        };
        let rounds = self.rounds + u32::from(counting);
        let turns = self.turns(rounds).into_iter().filter(able);
        Costs::guessed(self.seconds).of(turns.map(|turn| turn.cell))
    }

    /// Each row's programs one after the other, so that what is compared is near in time.
    fn turns(&self, rounds: u32) -> Vec<Turn> {
        let mut turns = Vec::new();
        for round in 0..rounds {
            for work in 0..self.works.len() {
                for place in 0..self.places.len() {
                    for peer in order(self.peers.len(), round) {
                        let cell = Cell { place, work, peer };
                        turns.push(Turn { round, cell });
                    }
                }
            }
        }
        turns
    }

    fn setting<'a>(&'a self, place: &'a Place) -> Setting<'a> {
        Setting {
            seconds: self.seconds,
            congestion: self.congestion,
            address: place.address,
        }
    }

    fn unless_given_up(&self, turn: &Turn, counter: Option<Counter>, hangs: &mut Hangs) -> Run {
        if hangs.given_up(turn.cell) {
            let why = "not tried again: it did not end in time, several times";
            return self.not_run(turn, Outcome::Failed(why.to_owned()));
        }
        let begun = Instant::now();
        let run = self.one(turn, counter);
        if matches!(run.outcome, Outcome::Failed(_))
            && begun.elapsed() >= trial::allowed(self.seconds)
        {
            *hangs.0.entry(turn.cell).or_default() += 1;
        }
        run
    }

    fn one(&self, turn: &Turn, counter: Option<Counter>) -> Run {
        let Cell { place, work, peer } = turn.cell;
        let (place, work, peer) = (&self.places[place], self.works[work], &self.peers[peer]);
        let plan = match command::plan(peer, work, &self.setting(place)) {
            Err(why) => return self.not_run(turn, Outcome::Unable(why.to_owned())),
            Ok(plan) => plan,
        };
        let outcome = match trial::run(place, peer, work, &plan, self.seconds, counter) {
            Ok(measured) => Outcome::Done(measured),
            Err(error) => Outcome::Failed(format!("{error:#}")),
        };
        thread::sleep(PAUSE);
        Run {
            without: plan.without.into_iter().map(str::to_owned).collect(),
            ..self.not_run(turn, outcome)
        }
    }

    fn not_run(&self, turn: &Turn, outcome: Outcome) -> Run {
        let Cell { place, work, peer } = turn.cell;
        Run {
            path: self.places[place].path,
            work: self.works[work].name.to_owned(),
            peer: self.peers[peer].kind,
            round: turn.round,
            without: Vec::new(),
            outcome,
        }
    }
}

impl Hangs {
    fn given_up(&self, cell: Cell) -> bool {
        let in_all: u32 = self
            .0
            .iter()
            .filter(|(other, _)| other.peer == cell.peer)
            .map(|(_, times)| times)
            .sum();
        self.0.get(&cell).is_some_and(|times| *times >= HANGS) || in_all >= HANGS_IN_ALL
    }
}

/// Who goes first changes from round to round: the first after a pause may find the machine cooler.
fn order(count: usize, round: u32) -> impl Iterator<Item = usize> {
    (0..count).map(move |index| (index + round as usize) % count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        peer::{Abilities, Kind},
        work,
    };

    #[test]
    fn each_program_is_first_in_its_turn() {
        let orders: Vec<Vec<usize>> = (0..4).map(|round| order(3, round).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
        assert_eq!(order(0, 3).count(), 0);
    }

    #[test]
    fn who_hangs_is_given_up_there_and_then_everywhere() {
        let cell = |work, peer| Cell {
            place: 0,
            work,
            peer,
        };
        let mut hangs = Hangs(BTreeMap::from([(cell(0, 1), 2), (cell(1, 1), 1)]));
        assert!(hangs.given_up(cell(0, 1)));
        assert!(!hangs.given_up(cell(1, 1)));
        hangs.0.extend([(cell(2, 1), 2), (cell(3, 1), 1)]);
        assert!(hangs.given_up(cell(9, 1)));
        assert!(!hangs.given_up(cell(0, 0)));
    }

    fn no_such_program() -> Peer {
        Peer {
            kind: Kind::Iperf3,
            name: "no such program".to_owned(),
            program: "/nonexistent/iperf3".into(),
            abilities: Abilities::default(),
        }
    }

    #[test]
    fn who_was_given_up_in_the_rounds_is_not_started_under_the_counter() {
        let bench = Bench {
            places: &[
                Place::make(work::Path::Lo, false).expect("the machine's own loopback device")
            ],
            works: &[
                work::named("tcp1").expect("a row"),
                work::named("small").expect("a row"),
            ],
            peers: &[no_such_program()],
            rounds: 1,
            seconds: 1,
            congestion: None,
        };
        let hung = Cell {
            place: 0,
            work: 0,
            peer: 0,
        };
        let mut hangs = Hangs(BTreeMap::from([(hung, HANGS)]));
        let mut told = 0;
        let runs = bench.counted(Counter::Strace, &mut hangs, |_| told += 1);
        let failed = |run: &Run, says: &str| matches!(&run.outcome, Outcome::Failed(why) if why.contains(says));
        assert_eq!((runs.len(), told), (2, 2));
        assert!(failed(&runs[0], "not tried again"), "{runs:?}");
        assert!(!failed(&runs[1], "not tried again"), "{runs:?}");
    }

    #[test]
    fn who_does_not_do_the_work_is_noted_in_every_round() {
        let place = Place::make(work::Path::Lo, false).expect("the machine's own loopback device");
        let bench = Bench {
            places: &[place],
            works: &[
                work::named("small").expect("a row"),
                work::named("skip1").expect("a row"),
            ],
            peers: &[no_such_program()],
            rounds: 2,
            seconds: 1,
            congestion: None,
        };
        let (mut told, mut over) = (Vec::new(), Vec::new());
        let runs = bench.rounds(
            &mut Hangs::default(),
            |_, progress| told.push((progress.done, progress.all)),
            |runs| over.push(runs.len()),
        );
        assert_eq!(told, [(1, 4), (2, 4), (3, 4), (4, 4)]);
        assert_eq!(over, [2, 4]);
        assert!(
            matches!(&runs[0].outcome, Outcome::Failed(why) if why.contains("does not start")),
            "{runs:?}"
        );
        assert!(
            matches!(&runs[1].outcome, Outcome::Unable(why) if why.contains("--skip-rx-copy")),
            "{runs:?}"
        );
        // Only what can be done takes time.
        assert!(
            (bench.guess(false) - 2.6).abs() < 1e-9,
            "{}",
            bench.guess(false)
        );
        assert!(
            (bench.guess(true) - 3.9).abs() < 1e-9,
            "{}",
            bench.guess(true)
        );
    }
}
