//! One figure against what it has to reach, and all of a threshold's.

use super::bar::{Bar, Base};
use nettest_api::result::Flow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Case<'a> {
    /// Of the pair, among those that are judged.
    pub number: usize,
    /// Client and server; `None` for the median of several.
    pub pair: Option<(&'a str, &'a str)>,
    pub variant: &'a str,
    pub flow: Flow,
    pub observed: Option<i64>,
    pub base: Base,
    /// `None`: what it is relative to is unknown.
    pub wanted: Option<i64>,
    pub met: bool,
}

/// The larger the worse: missed, unknown, and how far from what was wanted.
type Badness = (bool, bool, i128);

impl Case<'_> {
    fn badness(&self, bar: &Bar<'_>) -> Badness {
        let unknown = self.observed.is_none() || self.wanted.is_none();
        let observed = i128::from(self.observed.unwrap_or(0));
        let wanted = i128::from(self.wanted.unwrap_or(0)).max(1);
        let share = observed * 1_000_000 / wanted;
        let share = if bar.is_floor() { -share } else { share };
        (!self.met, unknown && self.base != Base::First, share)
    }
}

/// What is said of all cases of a threshold, without keeping them: a mesh of 1,000 nodes has a million.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    /// The first two.
    pub first: Vec<Case<'a>>,
    pub several_variants: bool,
    pub both_flows: bool,
    pub count: usize,
    /// Pairs with at least one case that misses.
    pub missed_pairs: usize,
    last_missed: Option<usize>,
    worst: Option<(Badness, Case<'a>)>,
}

impl<'a> Tally<'a> {
    /// Add a case. The cases of a pair come one after the other.
    pub fn add(&mut self, bar: &Bar<'_>, case: Case<'a>) {
        self.count += 1;
        if let Some(first) = self.first.first() {
            self.several_variants |= first.variant != case.variant;
            self.both_flows |= first.flow != case.flow;
        }
        if self.first.len() < 2 {
            self.first.push(case);
        }
        if !case.met && self.last_missed != Some(case.number) {
            self.last_missed = Some(case.number);
            self.missed_pairs += 1;
        }
        let badness = case.badness(bar);
        if self.worst.is_none_or(|(worst, _)| badness > worst) {
            self.worst = Some((badness, case));
        }
    }

    /// A case that misses when there is one.
    pub fn worst(&self) -> Option<&Case<'a>> {
        self.worst.as_ref().map(|(_, case)| case)
    }
}
