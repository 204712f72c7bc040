use super::*;
use crate::mesh::{
    Mesh, Selection,
    rendezvous::mix,
    tests::{any_selection, nodes, seed},
};
use proptest::prelude::*;

/// One after the other, from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % sides
    }
}

struct Outcome {
    measured: Vec<u32>,
    attempts: Vec<u32>,
    ticks: u64,
}

struct Weather {
    /// A pair takes 1 to this many ticks.
    longest: u64,
    /// Of a hundred pairs so many are put back once.
    put_back: u64,
    /// Of a hundred ticks so many see a node taken by another run.
    foreign: u64,
    seed: u64,
}

/// A whole run, tick by tick, as the operator does it: what ended is noted, then `next` is asked.
fn run(mesh: &Mesh, max_concurrent: usize, weather: &Weather) -> Outcome {
    let mut dice = Dice(weather.seed);
    let mut running: Vec<(usize, u64)> = Vec::new();
    let mut foreign: Vec<(u32, u64)> = Vec::new();
    let mut measured = vec![0u32; mesh.pairs.len()];
    let mut attempts = vec![0u32; mesh.pairs.len()];
    let mut ticks = 0;
    loop {
        running.retain(|(index, until)| {
            if *until > ticks {
                return true;
            }
            let fails = attempts[*index] == 1 && dice.below(100) < weather.put_back;
            measured[*index] += u32::from(!fails);
            false
        });
        foreign.retain(|(_, until)| *until > ticks);
        if measured.iter().all(|times| *times > 0) {
            break;
        }
        let mut busy = NodeSet::new(mesh.nodes.len());
        for (index, _) in &running {
            let pair = mesh.pairs[*index];
            assert!(
                busy.insert(pair.client) && busy.insert(pair.server),
                "a node twice"
            );
        }
        for (node, _) in &foreign {
            assert!(busy.insert(*node), "a node that another run holds");
        }
        if dice.below(100) < weather.foreign {
            let node = dice.below(mesh.nodes.len() as u64) as u32;
            if busy.insert(node) {
                foreign.push((node, ticks + 1 + dice.below(30)));
            }
        }
        let slots = max_concurrent - running.len();
        let is_running = |index: usize| running.iter().any(|(running, _)| *running == index);
        let starts = next(&mesh.pairs, &busy, slots, |index| {
            measured[index] == 0 && !is_running(index)
        });
        for index in starts {
            attempts[index] += 1;
            running.push((index, ticks + 1 + dice.below(weather.longest)));
        }
        assert!(running.len() <= max_concurrent);
        ticks += 1;
        assert!(ticks < 1_000_000, "no end");
    }
    Outcome {
        measured,
        attempts,
        ticks,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_pair_is_measured_once_whatever_happens(
        count in 2usize..40,
        selection in any_selection(),
        max_concurrent in 1usize..12,
        longest in 1u64..12,
        put_back in 0u64..60,
        foreign in 0u64..60,
        dice: u64,
    ) {
        let mesh = Mesh::new(&nodes(count), selection, &seed(1));
        let weather = Weather { longest, put_back, foreign, seed: dice };
        let Outcome { measured, attempts, .. } = run(&mesh, max_concurrent, &weather);
        prop_assert!(measured.iter().all(|times| *times == 1));
        prop_assert!(attempts.iter().all(|times| (1..=2).contains(times)));
    }

    #[test]
    fn when_nothing_is_late_it_takes_the_mesh_s_rounds(count in 2usize..40, selection in any_selection()) {
        let mesh = Mesh::new(&nodes(count), selection, &seed(1));
        let fair = Weather { longest: 1, put_back: 0, foreign: 0, seed: 0 };
        let ticks = run(&mesh, usize::MAX, &fair).ticks;
        match selection {
            Selection::Full => prop_assert_eq!(ticks, mesh.rounds() as u64),
            _ => prop_assert!(ticks <= mesh.rounds() as u64),
        }
    }
}

#[test]
fn a_late_pair_comes_first_when_its_nodes_are_free() {
    let mesh = Mesh::new(&nodes(4), Selection::Full, "uid");
    let nothing = NodeSet::new(4);
    assert_eq!(next(&mesh.pairs, &nothing, 8, |_| true), [0, 1]);
    assert_eq!(next(&mesh.pairs, &nothing, 1, |_| true), [0]);
    assert!(next(&mesh.pairs, &nothing, 0, |_| true).is_empty());
    // Node 3 is late: of the rest one pair is possible, then the first of those that waited.
    let mut busy = NodeSet::new(4);
    busy.insert(3);
    assert_eq!(next(&mesh.pairs, &busy, 8, |_| true), [1]);
    assert_eq!(next(&mesh.pairs, &busy, 8, |index| index != 1), [3]);
    assert_eq!(next(&mesh.pairs, &nothing, 8, |index| index != 1), [0]);
}
