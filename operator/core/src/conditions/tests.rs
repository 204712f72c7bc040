use super::*;
use crate::testing::at;

fn facts(succeeded: State, message: &str) -> Facts {
    let fact = Fact::new(State::Unknown, Reason::Pending, message);
    Facts {
        accepted: Fact::new(State::True, Reason::Valid, "ok"),
        scheduled: fact.clone(),
        measured: fact.clone(),
        within_thresholds: fact.clone(),
        cpu_pinned: fact.clone(),
        succeeded: Fact::new(succeeded, Reason::Running, message),
    }
}

fn times(conditions: &[Condition]) -> Vec<i64> {
    conditions
        .iter()
        .map(|condition| condition.last_transition_time.0.as_second() - at(0).as_second())
        .collect()
}

#[test]
fn all_are_there_from_the_first_visit() {
    let first = conditions(&[], &facts(State::Unknown, "a"), Some(3), at(1));
    let types: Vec<&str> = first
        .iter()
        .map(|condition| condition.type_.as_str())
        .collect();
    assert_eq!(types, condition::ALL);
    assert!(
        first
            .iter()
            .all(|condition| condition.observed_generation == Some(3))
    );
    assert_eq!(times(&first), [1; 7]);
}

#[test]
fn the_time_moves_only_with_the_status() {
    let first = conditions(&[], &facts(State::Unknown, "a"), Some(1), at(1));
    let same = conditions(
        &first,
        &facts(State::Unknown, "another message"),
        Some(2),
        at(50),
    );
    assert_eq!(times(&same), [1; 7]);
    assert_eq!(same[5].message, "another message");
    assert_eq!(same[5].observed_generation, Some(2));
    let moved = conditions(&same, &facts(State::True, "a"), Some(2), at(99));
    assert_eq!(times(&moved), [1, 1, 1, 1, 1, 99, 99]);
}

#[test]
fn what_others_set_is_kept() {
    let mut old = conditions(&[], &facts(State::Unknown, "a"), None, at(1));
    old.push(Condition {
        type_: "Reviewed".to_owned(),
        ..old[0].clone()
    });
    let new = conditions(&old, &facts(State::True, "b"), None, at(2));
    assert_eq!(new.len(), 8);
    assert_eq!(find(&new, "Reviewed"), find(&old, "Reviewed"));
}

#[test]
fn a_long_message_is_cut_between_letters() {
    let new = conditions(&[], &facts(State::True, &"ä".repeat(40_000)), None, at(1));
    assert!(new[5].message.len() <= 4_096 && new[5].message.ends_with("ä…"));
}
