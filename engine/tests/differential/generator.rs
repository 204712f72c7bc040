//! Combinations from a seed: each new one is the candidate that brings together the most pairs of values that
//! have not met yet. Pure: the same seed gives the same list everywhere.

use crate::axes::{Axis, CLIENT, DIRECTION, LIMIT, Need, PROTOCOL, SERVER, STREAMS, Value};
use crate::combination::Combination;
use crate::random::Random;
use std::collections::HashSet;

const CANDIDATES: usize = 24;
/// So often in a row nothing new: there is not enough to combine.
const PATIENCE: usize = 200;

/// What the machine and the programs can do.
#[derive(Debug, Clone, Copy)]
pub struct Available<'a> {
    /// Flags that must not be used.
    pub unknown: &'a [&'a str],
    pub ipv6: bool,
    pub keeps_measure: bool,
    pub cpus: usize,
}

/// Up to `count` different ones; the first are protocol x direction x one or four streams, plainly.
pub fn combinations(seed: u64, count: usize, available: Available) -> Vec<Combination> {
    let mut random = Random::new(seed);
    let mut met = Met::new();
    let mut seen = HashSet::new();
    let mut list = Vec::new();
    for plain in plain() {
        met.note(&plain);
        seen.insert(plain.clone());
        list.push(plain);
    }
    list.truncate(count);
    let mut failures = 0;
    while list.len() < count && failures < PATIENCE {
        let best = (0..CANDIDATES)
            .map(|_| candidate(&mut random, available))
            .filter(|candidate| !seen.contains(candidate))
            .max_by_key(|candidate| met.new_pairs(candidate));
        match best {
            None => failures += 1,
            Some(best) => {
                failures = 0;
                met.note(&best);
                seen.insert(best.clone());
                list.push(best);
            }
        }
    }
    list
}

fn axes() -> impl Iterator<Item = &'static Axis> + Clone {
    CLIENT.iter().chain(SERVER)
}

fn plain() -> impl Iterator<Item = Combination> {
    let nothing = vec![0; axes().count()];
    (0..2u8).flat_map(move |protocol| {
        let nothing = nothing.clone();
        (0..3u8).flat_map(move |direction| {
            let nothing = nothing.clone();
            [0, 3].into_iter().map(move |streams| {
                let mut choices = nothing.clone();
                choices[PROTOCOL] = protocol;
                choices[DIRECTION] = direction;
                choices[STREAMS] = streams;
                Combination { choices }
            })
        })
    })
}

/// One by chance; what cannot go together falls back to an axis's first value.
fn candidate(random: &mut Random, available: Available) -> Combination {
    let choices = axes()
        .map(|axis| {
            let weights = axis.values.iter().enumerate().map(|(index, value)| {
                let known = flags(value).all(|flag| !available.unknown.contains(&flag));
                // The first of an axis is what is left when nothing else is.
                if known || index == 0 { value.weight } else { 0 }
            });
            random.weighted(weights) as u8
        })
        .collect();
    let mut combination = Combination { choices };
    // A value that falls back can be what another needed: once more until nothing changes.
    while let Some(index) = first_misfit(&combination, available) {
        combination.choices[index] = 0;
    }
    combination
}

/// All flags that a client may get.
pub fn all_flags() -> impl Iterator<Item = &'static str> {
    CLIENT
        .iter()
        .flat_map(|axis| axis.values.iter().flat_map(flags))
}

fn flags(value: &Value) -> impl Iterator<Item = &'static str> {
    value
        .flags
        .split_whitespace()
        .filter(|word| word.starts_with('-'))
}

fn first_misfit(combination: &Combination, available: Available) -> Option<usize> {
    axes().zip(&combination.choices).position(|(axis, choice)| {
        let needs = axis.values[usize::from(*choice)].needs;
        needs
            .iter()
            .any(|need| !is_met(*need, combination, available))
    })
}

fn is_met(need: Need, combination: &Combination, available: Available) -> bool {
    match need {
        Need::Tcp => !combination.udp(),
        Need::Udp => combination.udp(),
        Need::Ipv4 => !combination.has("-6"),
        Need::Ipv6 => available.ipv6,
        Need::OverIpv6 => combination.has("-6"),
        Need::Timed => combination.has("-t"),
        Need::PlainSocket => {
            let flags = ["-S", "--dscp", "-L", "--fq-rate", "--snd-timeout"];
            !flags.iter().any(|flag| combination.has(flag))
        }
        Need::Lossless => !(combination.udp() && receives(combination)),
        Need::NoFile => !combination.sends_file(),
        Need::Measured => available.keeps_measure,
        Need::Counted => !combination.has("-t"),
        Need::Forward => !combination.reverse() && !combination.bidirectional(),
        Need::Receives => receives(combination),
        Need::FewStreams => combination.streams() <= 4,
        Need::TwoCpus => available.cpus >= 2,
    }
}

fn receives(combination: &Combination) -> bool {
    combination.reverse() || combination.bidirectional()
}

/// More values than any axis has, and than there are axes.
const WIDTH: usize = 16;
const AXES: usize = 64;
const VALUES: usize = WIDTH * AXES;

/// The pairs of values that have met.
struct Met(Vec<bool>);

impl Met {
    fn new() -> Self {
        Met(vec![false; VALUES * VALUES])
    }

    fn note(&mut self, combination: &Combination) {
        for pair in pairs(combination) {
            self.0[pair] = true;
        }
    }

    fn new_pairs(&self, combination: &Combination) -> usize {
        pairs(combination).filter(|pair| !self.0[*pair]).count()
    }
}

/// Pairs of values, as numbers.
fn pairs(combination: &Combination) -> impl Iterator<Item = usize> {
    let code = |axis: usize, choice: &u8| axis * WIDTH + usize::from(*choice);
    let choices = &combination.choices;
    choices.iter().enumerate().flat_map(move |(second, other)| {
        let other = code(second, other);
        let before = choices[..second].iter().enumerate();
        before.map(move |(first, choice)| code(first, choice) * VALUES + other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Available = Available {
        unknown: &[],
        ipv6: true,
        keeps_measure: true,
        cpus: 2,
    };

    #[test]
    fn one_seed_gives_one_list_and_another_seed_another() {
        let list = combinations(1, 60, ALL);
        assert_eq!(list, combinations(1, 60, ALL));
        assert_ne!(list, combinations(2, 60, ALL));
        assert_eq!(list[..12], combinations(2, 12, ALL)[..]);
    }

    #[test]
    fn all_differ_and_all_are_legal() {
        let list = combinations(7, 400, ALL);
        assert_eq!(list.len(), 400);
        assert_eq!(list.iter().collect::<HashSet<_>>().len(), 400);
        for combination in &list {
            assert_eq!(first_misfit(combination, ALL), None, "{combination}");
            let limits = ["-t", "-n", "-k", "-F"];
            let limits = limits.iter().filter(|flag| combination.has(flag)).count();
            assert_eq!(limits, 1, "{combination}");
        }
    }

    #[test]
    fn every_value_of_every_axis_is_used() {
        let list = combinations(7, 300, ALL);
        for (index, axis) in axes().enumerate() {
            for (choice, value) in axis.values.iter().enumerate() {
                let used = list.iter().any(|c| usize::from(c.choices[index]) == choice);
                assert!(used, "{}: {:?}", axis.name, value.flags);
            }
        }
    }

    #[test]
    fn a_flag_that_is_not_there_is_not_used() {
        let without = Available {
            unknown: &["--bidir", "-Z"],
            ..ALL
        };
        let list = combinations(7, 300, without);
        // The plain ones at the start are without condition: every version has their flags.
        assert!(
            list.iter()
                .skip(12)
                .all(|c| !c.has("--bidir") && !c.has("-Z"))
        );
        assert!(list.iter().any(|c| c.has("-R")));
    }

    #[test]
    fn most_pairs_that_can_meet_do() {
        let few: HashSet<usize> = combinations(7, 300, ALL).iter().flat_map(pairs).collect();
        let many: HashSet<usize> = combinations(8, 600, ALL).iter().flat_map(pairs).collect();
        assert!(
            few.len() * 10 > many.len() * 8,
            "{} of {}",
            few.len(),
            many.len()
        );
    }

    #[test]
    fn limits_are_one_axis() {
        assert!(
            CLIENT[LIMIT]
                .values
                .iter()
                .all(|value| !value.flags.is_empty())
        );
    }
}
