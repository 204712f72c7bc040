use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn feed(numbers: impl IntoIterator<Item = u64>) -> SequenceTracker {
    let mut tracker = SequenceTracker::default();
    for number in numbers {
        tracker.arrive(number, Width::Bits32);
    }
    tracker
}

#[test]
fn report_025_swapped_pairs_are_reordered_not_lost() {
    let mut numbers: Vec<u64> = (1..=1000).collect();
    for pair in 0..40 {
        numbers.swap(10 + pair * 20, 11 + pair * 20);
    }
    let tracker = feed(numbers);
    assert_eq!(
        (tracker.lost(), tracker.out_of_order(), tracker.duplicates()),
        (0, 40, 0)
    );
}

#[test]
fn report_026_duplicates_never_hide_a_loss() {
    let mut numbers: Vec<u64> = (1..=1000).filter(|n| !(100..130).contains(n)).collect();
    let at = numbers.iter().position(|n| *n == 500).unwrap();
    numbers.swap(at, at + 1);
    numbers.extend([250; 5]);
    let tracker = feed(numbers);
    assert_eq!(
        (tracker.lost(), tracker.duplicates(), tracker.out_of_order()),
        (30, 5, 1)
    );
    assert_eq!((tracker.received(), tracker.highest()), (970, 1000));
}

#[test]
fn thirty_two_bit_numbers_go_on_after_their_wrap() {
    let mut tracker = SequenceTracker {
        highest: u64::from(u32::MAX) - 1,
        ..Default::default()
    };
    tracker.received = tracker.highest;
    for raw in [u64::from(u32::MAX), 0, 2, 1] {
        tracker.arrive(raw, Width::Bits32);
    }
    assert_eq!(tracker.highest(), u64::from(u32::MAX) + 3);
    assert_eq!((tracker.lost(), tracker.out_of_order()), (0, 1));
}

/// Past 2^31 and 2^32 datagrams, in numbers of 32 and of 64 bits: losses before and after are all there.
#[test]
fn loss_is_exact_past_two_to_the_thirty_first_datagrams() {
    for width in [Width::Bits32, Width::Bits64] {
        let mut tracker = SequenceTracker::default();
        let mut number = 1u64;
        let mut arrived = 0;
        while number < 5 << 31 {
            tracker.arrive(number, width);
            tracker.arrive(number + 1, width);
            arrived += 2;
            number += (1 << 30) + 7;
        }
        let highest = number - (1 << 30) - 7 + 1;
        assert_eq!(tracker.highest(), highest, "{width:?}");
        assert_eq!(tracker.lost(), highest - arrived, "{width:?}");
        assert_eq!(
            (tracker.duplicates(), tracker.out_of_order()),
            (0, 0),
            "{width:?}"
        );
    }
}

#[test]
fn foreign_numbers_are_left_out() {
    let mut tracker = SequenceTracker::default();
    assert_eq!(tracker.arrive(0, Width::Bits64), Arrival::Foreign);
    assert_eq!(tracker.arrive(u64::MAX, Width::Bits64), Arrival::Foreign);
    assert_eq!(tracker.arrive(1 << 40, Width::Bits64), Arrival::Foreign);
    assert_eq!(
        tracker.arrive(u64::from(u32::MAX), Width::Bits32),
        Arrival::Foreign
    );
    assert_eq!(
        (tracker.highest(), tracker.received(), tracker.lost()),
        (0, 0, 0)
    );
}

#[test]
fn older_than_the_window_stays_lost() {
    let mut tracker = feed([1, 3, 3 + WINDOW]);
    assert_eq!(tracker.arrive(2, Width::Bits32), Arrival::TooLate);
    assert_eq!(tracker.lost(), WINDOW);
    assert_eq!(tracker.arrive(4, Width::Bits32), Arrival::Late);
    assert_eq!(tracker.lost(), WINDOW - 1);
}

proptest! {
    /// Any runs, also past the window's end, across a wrap of 32 bits, and behind the highest.
    #[test]
    fn a_run_is_its_numbers_one_by_one(
        begin in prop_oneof![Just(0), Just(u64::from(u32::MAX) - 500)],
        runs in proptest::collection::vec((prop_oneof![Just(1i64), -300i64..300], 1u64..200), 1..2000),
        wide: bool,
    ) {
        let width = if wide { Width::Bits64 } else { Width::Bits32 };
        let start = || SequenceTracker { highest: begin, ..Default::default() };
        let (mut together, mut singly) = (start(), start());
        for (step, count) in runs {
            let raw = together.highest().saturating_add_signed(step);
            let counted = together.arrive_run(raw, count, width);
            let mut expected = Counted::default();
            for number in raw..raw + count {
                match singly.arrive(number, width) {
                    Arrival::Ahead | Arrival::Late => expected.new += 1,
                    Arrival::Foreign => expected.foreign += 1,
                    Arrival::Duplicate | Arrival::TooLate => {}
                }
            }
            prop_assert_eq!(counted, expected);
            prop_assert_eq!(together.highest(), singly.highest());
            prop_assert_eq!(together.lost(), singly.lost());
            prop_assert_eq!(together.duplicates(), singly.duplicates());
            prop_assert_eq!(together.out_of_order(), singly.out_of_order());
        }
    }

    /// Against the plain definition, over jumps that cross the window's words.
    #[test]
    fn agrees_with_a_set(steps in proptest::collection::vec(-200i64..400, 1..500)) {
        let mut tracker = SequenceTracker::default();
        let (mut seen, mut highest, mut duplicates, mut late) = (HashSet::new(), 0u64, 0u64, 0u64);
        for step in steps {
            let number = (highest as i64 + step).max(1) as u64;
            tracker.arrive(number, Width::Bits64);
            if !seen.insert(number) {
                duplicates += 1;
            } else if number < highest {
                late += 1;
            }
            highest = highest.max(number);
        }
        prop_assert_eq!(tracker.highest(), highest);
        prop_assert_eq!(tracker.received(), seen.len() as u64);
        prop_assert_eq!(tracker.lost(), highest - seen.len() as u64);
        prop_assert_eq!(tracker.duplicates(), duplicates);
        prop_assert_eq!(tracker.out_of_order(), late);
    }
}
