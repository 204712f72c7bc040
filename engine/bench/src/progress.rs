//! How long the runs that are left will take, by what the same runs took before. Pure.

use std::{collections::BTreeMap, fmt};

/// A row, a path and a program, by their places in the bench's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub place: usize,
    pub work: usize,
    pub peer: usize,
}

/// Starting, listening, connecting and ending, beside the seconds that were asked for.
const AROUND_A_RUN: f64 = 0.3;

/// What the runs of each cell took last time.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    guess: f64,
    last: BTreeMap<Cell, f64>,
}

impl Costs {
    /// Of runs that ask for so many seconds each.
    pub fn guessed(seconds: u32) -> Self {
        Costs {
            guess: f64::from(seconds) + AROUND_A_RUN,
            last: BTreeMap::new(),
        }
    }

    pub fn note(&mut self, cell: Cell, seconds: f64) {
        self.last.insert(cell, seconds);
    }

    pub fn of(&self, cells: impl Iterator<Item = Cell>) -> f64 {
        cells
            .map(|cell| self.last.get(&cell).copied().unwrap_or(self.guess))
            .sum()
    }
}

/// Where the bench is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    pub done: usize,
    pub all: usize,
    pub seconds_left: f64,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}/{}, {} left",
            self.done,
            self.all,
            time(self.seconds_left)
        )
    }
}

/// "about 42 min", or seconds when it is less than two minutes.
pub fn time(seconds: f64) -> String {
    if seconds < 120.0 {
        // Sums of nothing may be a negative zero.
        format!("about {:.0} s", seconds.abs())
    } else {
        format!("about {:.0} min", (seconds / 60.0).ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_replaces_the_guess() {
        let cell = |peer| Cell {
            place: 0,
            work: 3,
            peer,
        };
        let mut costs = Costs::guessed(1);
        let left = |costs: &Costs| costs.of([cell(0), cell(1), cell(0)].into_iter());
        assert!((left(&costs) - 3.9).abs() < 1e-9);
        costs.note(cell(0), 10.0);
        assert!((left(&costs) - 21.3).abs() < 1e-9);
    }

    #[test]
    fn as_it_is_printed() {
        let progress = |seconds_left| {
            Progress {
                done: 3,
                all: 1700,
                seconds_left,
            }
            .to_string()
        };
        assert_eq!(progress(2461.0), "3/1700, about 42 min left");
        assert_eq!(progress(59.7), "3/1700, about 60 s left");
    }
}
