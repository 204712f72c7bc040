//! Which runs of a NetTest are of use, and which can go: pure.

use kube::ResourceExt;
use nettest_api::{NetTestRun, condition, result::Verdict};

/// Finished runs that are kept for each NetTest.
pub const KEPT_RUNS: usize = 3;

/// Whether a run has come to its end.
pub fn is_finished(run: &NetTestRun) -> bool {
    run.status.as_ref().is_some_and(|status| {
        status.conditions.iter().any(|condition| {
            condition.type_ == condition::SUCCEEDED && condition.status != "Unknown"
        })
    })
}

/// The run to delete now, if any: an unfinished one of an older generation (its spec is no longer asked
/// for, so its traffic must stop), else the oldest finished one past the limit.
pub fn to_delete(runs: &[NetTestRun], generation: i64) -> Option<&NetTestRun> {
    let live = || {
        runs.iter()
            .filter(|run| run.metadata.deletion_timestamp.is_none())
    };
    let superseded = live().find(|run| {
        !is_finished(run) && run.spec.test_generation.is_some_and(|of| of < generation)
    });
    if superseded.is_some() {
        return superseded;
    }
    let mut finished: Vec<&NetTestRun> = live().filter(|run| is_finished(run)).collect();
    if finished.len() <= KEPT_RUNS {
        return None;
    }
    finished.sort_by_key(|run| age_key(run));
    finished.first().copied()
}

/// The newest run of a generation: users may ask for another of the same spec (`kubectl nettest run`).
pub fn latest_of(runs: &[NetTestRun], generation: i64) -> Option<&NetTestRun> {
    runs.iter()
        .filter(|run| run.spec.test_generation == Some(generation))
        .max_by_key(|run| age_key(run))
}

/// The finished run that is the latest.
pub fn latest_finished(runs: &[NetTestRun]) -> Option<&NetTestRun> {
    runs.iter()
        .filter(|run| is_finished(run))
        .max_by_key(|run| age_key(run))
}

/// The latest run that passed.
pub fn latest_passed(runs: &[NetTestRun]) -> Option<&NetTestRun> {
    runs.iter()
        .filter(|run| {
            let status = run.status.as_ref();
            status.and_then(|status| status.verdict) == Some(Verdict::Passed)
        })
        .max_by_key(|run| age_key(run))
}

fn age_key(run: &NetTestRun) -> (Option<jiff::Timestamp>, Option<i64>, String) {
    (
        run.creation_timestamp().map(|time| time.0),
        run.spec.test_generation,
        run.name_any(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(generation: i64, end: &str) -> NetTestRun {
        let status = if end.is_empty() {
            String::new()
        } else {
            format!(
                "status: {{verdict: {end}, conditions: [{{type: Succeeded, status: 'False', reason: R, message: m, lastTransitionTime: '2026-11-30T16:00:00Z'}}]}}"
            )
        };
        serde_yaml::from_str(&format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {{name: rack-{generation}, creationTimestamp: '2026-11-30T16:{generation:02}:00Z'}}\nspec: {{testName: rack, testGeneration: {generation}, test: {{}}}}\n{status}\n"
        ))
        .unwrap()
    }

    fn name(run: Option<&NetTestRun>) -> Option<String> {
        run.map(ResourceExt::name_any)
    }

    #[test]
    fn the_newest_run_of_a_generation_speaks_for_the_test() {
        let mut first = run(2, "Passed");
        first.metadata.name = Some("rack-2".to_owned());
        let mut again = run(2, "");
        // Sorts before the other by name and is younger.
        again.metadata.name = Some("rack-10-x7k2p".to_owned());
        again.metadata.creation_timestamp = run(9, "").metadata.creation_timestamp;
        let runs = [again, first, run(3, "Passed")];
        let named = |generation| latest_of(&runs, generation).map(|run| run.name_any());
        assert_eq!(named(2).as_deref(), Some("rack-10-x7k2p"));
        assert_eq!(named(3).as_deref(), Some("rack-3"));
        assert_eq!(named(1), None);
        let mut reversed = runs.to_vec();
        reversed.reverse();
        let latest = latest_of(&reversed, 2).map(|run| run.name_any());
        assert_eq!(latest.as_deref(), Some("rack-10-x7k2p"));
    }

    #[test]
    fn the_oldest_finished_run_past_three_goes() {
        let runs: Vec<_> = [4, 2, 3, 1].map(|n| run(n, "Failed")).into();
        assert_eq!(name(to_delete(&runs, 4)).as_deref(), Some("rack-1"));
        assert_eq!(name(to_delete(&runs[..3], 4)), None);
    }

    #[test]
    fn an_unfinished_run_of_an_older_spec_goes_first() {
        let runs = [run(1, "Passed"), run(2, ""), run(3, "")];
        assert_eq!(name(to_delete(&runs, 3)).as_deref(), Some("rack-2"));
        // The current one is never deleted, finished or not.
        assert_eq!(name(to_delete(&runs[2..], 3)), None);
    }

    #[test]
    fn the_latest_finished_and_the_latest_passed_are_found() {
        let runs = [run(1, "Passed"), run(2, "Failed"), run(3, "")];
        assert_eq!(name(latest_finished(&runs)).as_deref(), Some("rack-2"));
        assert_eq!(name(latest_passed(&runs)).as_deref(), Some("rack-1"));
        assert_eq!(name(latest_finished(&runs[2..])), None);
    }
}
