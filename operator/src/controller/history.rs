//! Which runs of a NetTest are of use, and which can go: pure.

use jiff::Timestamp;
use kube::{Resource, ResourceExt};
use nettest_api::{NetTest, NetTestRun, NetTestSpec, cleanup::Cleanup, condition, result::Verdict};
use nettest_core::span;
use std::time::Duration;

/// Whether a run has come to its end.
pub fn is_finished(run: &NetTestRun) -> bool {
    run.status.as_ref().is_some_and(|status| {
        status.conditions.iter().any(|condition| {
            condition.type_ == condition::SUCCEEDED && condition.status != "Unknown"
        })
    })
}

/// Runs that are kept, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    passed: usize,
    others: usize,
    ttl: Option<Duration>,
}

impl Limits {
    /// As the test has it now, whatever its runs were made with. A time that is none (no schema let it through)
    /// deletes nothing.
    pub fn of(cleanup: &Cleanup) -> Limits {
        let Cleanup {
            pods: _,
            ttl_after_finished,
            successful_runs_history_limit,
            failed_runs_history_limit,
        } = cleanup;
        let count = |limit: i32| usize::try_from(limit).unwrap_or_default();
        Limits {
            passed: count(*successful_runs_history_limit),
            others: count(*failed_runs_history_limit),
            ttl: ttl_after_finished
                .as_ref()
                .and_then(|text| span::parse(text.as_str()).ok()),
        }
    }

    /// Finished runs that are past a limit or their time, oldest first.
    pub fn expired<'a>(&self, runs: &'a [NetTestRun], now: Timestamp) -> Vec<&'a NetTestRun> {
        let mut finished: Vec<&NetTestRun> = live(runs).filter(|run| is_finished(run)).collect();
        finished.sort_by_cached_key(|run| std::cmp::Reverse(age_key(run)));
        let (mut passed, mut others) = (0, 0);
        let mut expired: Vec<&NetTestRun> = finished
            .into_iter()
            .filter(|run| {
                let (count, most) = match has_passed(run) {
                    true => (&mut passed, self.passed),
                    false => (&mut others, self.others),
                };
                *count += 1;
                *count > most || self.end(run).is_some_and(|end| end <= now)
            })
            .collect();
        expired.reverse();
        expired
    }

    /// When the next finished run is past its time.
    pub fn next_end(&self, runs: &[NetTestRun], now: Timestamp) -> Option<Timestamp> {
        let ends = live(runs).filter_map(|run| self.end(run));
        ends.filter(|end| *end > now).min()
    }

    /// When the time of a finished run is over.
    pub fn end(&self, run: &NetTestRun) -> Option<Timestamp> {
        let finished = run.status.as_ref()?.finish_time.as_ref()?;
        if !is_finished(run) {
            return None;
        }
        finished.0.checked_add(self.ttl?).ok()
    }
}

/// How long a finished run stays that no test sees to: one that a user made alone, say. `None`: for good.
pub fn time_left(run: &NetTestRun, now: Timestamp) -> Option<Duration> {
    let of_a_test = run
        .owner_references()
        .iter()
        .any(|owner| owner.controller == Some(true) && owner.kind == NetTest::kind(&()));
    if of_a_test {
        return None;
    }
    let end = Limits::of(&run.spec.test.cleanup).end(run)?;
    Some(Duration::try_from(end.duration_since(now)).unwrap_or_default())
}

/// Unfinished runs whose spec is no longer asked for, so that their traffic must stop. A test with a schedule lets a
/// run go on if what it measures is the same: a change of the schedule does not end it.
pub fn superseded<'a>(runs: &'a [NetTestRun], test: &NetTest) -> Vec<&'a NetTestRun> {
    let generation = test.metadata.generation.unwrap_or(1);
    live(runs)
        .filter(|run| !is_finished(run))
        .filter(|run| run.spec.test_generation.is_some_and(|of| of < generation))
        .filter(|run| test.spec.schedule.is_none() || !measures(run, test))
        .collect()
}

/// The newest run that shows the test as it is now. Without a schedule a new generation has a run of its own; users
/// may ask for another of the same spec (`kubectl nettest run`).
pub fn latest_of<'a>(runs: &'a [NetTestRun], test: &NetTest) -> Option<&'a NetTestRun> {
    let generation = test.metadata.generation.unwrap_or(1);
    runs.iter()
        .filter(|run| {
            run.spec.test_generation == Some(generation)
                || (test.spec.schedule.is_some() && measures(run, test))
        })
        .max_by_key(|run| age_key(run))
}

/// Whether a run measures what the test asks for now: when and how often is no part of it.
fn measures(run: &NetTestRun, test: &NetTest) -> bool {
    let what = |spec: &NetTestSpec| NetTestSpec {
        schedule: None,
        cleanup: Cleanup::default(),
        rerun: None,
        ..spec.clone()
    };
    run.spec.test_generation.is_some() && what(&run.spec.test) == what(&test.spec)
}

fn live(runs: &[NetTestRun]) -> impl Iterator<Item = &NetTestRun> {
    runs.iter()
        .filter(|run| run.metadata.deletion_timestamp.is_none())
}

fn has_passed(run: &NetTestRun) -> bool {
    let status = run.status.as_ref();
    status.and_then(|status| status.verdict) == Some(Verdict::Passed)
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
        .filter(|run| has_passed(run))
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

    fn test(spec: &str, generation: i64) -> NetTest {
        serde_yaml::from_str(&format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: rack, generation: {generation}}}\nspec: {spec}\n"
        ))
        .unwrap()
    }

    fn names(runs: Vec<&NetTestRun>) -> Vec<String> {
        runs.into_iter().map(ResourceExt::name_any).collect()
    }

    fn at(minute: u32) -> Timestamp {
        format!("2026-11-30T17:{minute:02}:00Z").parse().unwrap()
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
        let named =
            |generation| latest_of(&runs, &test("{}", generation)).map(|run| run.name_any());
        assert_eq!(named(2).as_deref(), Some("rack-10-x7k2p"));
        assert_eq!(named(3).as_deref(), Some("rack-3"));
        assert_eq!(named(1), None);
        let mut reversed = runs.to_vec();
        reversed.reverse();
        let latest = latest_of(&reversed, &test("{}", 2)).map(|run| run.name_any());
        assert_eq!(latest.as_deref(), Some("rack-10-x7k2p"));
    }

    #[test]
    fn with_a_schedule_every_run_of_the_same_measurement_does() {
        let runs = [run(1, "Passed"), run(2, "")];
        let hourly = test(
            "{schedule: {cron: '@hourly'}, cleanup: {failedRunsHistoryLimit: 1}}",
            5,
        );
        assert_eq!(name(latest_of(&runs, &hourly)).as_deref(), Some("rack-2"));
        assert_eq!(superseded(&runs, &hourly), [] as [&NetTestRun; 0]);
        let other = test("{schedule: {cron: '@hourly'}, repeats: {count: 2}}", 5);
        assert_eq!(name(latest_of(&runs, &other)), None);
        assert_eq!(names(superseded(&runs, &other)), ["rack-2"]);
    }

    #[test]
    fn an_unfinished_run_of_an_older_spec_is_stopped() {
        let runs = [run(1, "Passed"), run(2, ""), run(3, "")];
        assert_eq!(names(superseded(&runs, &test("{}", 3))), ["rack-2"]);
    }

    #[test]
    fn the_oldest_past_the_limits_go() {
        let limits = |text: &str| Limits::of(&serde_yaml::from_str(text).unwrap());
        let mut runs: Vec<_> = [4, 2, 3, 1].map(|n| run(n, "Failed")).into();
        runs.extend([7, 5, 6].map(|n| run(n, "Passed")));
        runs.push(run(8, ""));
        let gone = |text| names(limits(text).expired(&runs, at(0)));
        assert_eq!(gone("{}"), ["rack-1"]);
        assert_eq!(
            gone("{successfulRunsHistoryLimit: 1, failedRunsHistoryLimit: 2}"),
            ["rack-1", "rack-2", "rack-5", "rack-6"]
        );
        // None is kept; one that goes on is no history.
        let none = gone("{successfulRunsHistoryLimit: 0, failedRunsHistoryLimit: 0}");
        assert_eq!(none.len(), 7);
    }

    #[test]
    fn finished_runs_go_when_their_time_is_over() {
        let mut runs = [run(1, "Passed"), run(2, "Failed"), run(3, "")];
        for (index, run) in runs.iter_mut().enumerate() {
            let status = run.status.get_or_insert_default();
            let minute = 10 * index as u32;
            status.finish_time = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(at(
                minute,
            )));
        }
        let limits = Limits::of(&serde_yaml::from_str("{ttlAfterFinished: 30m}").unwrap());
        assert_eq!(names(limits.expired(&runs, at(29))), [""; 0]);
        assert_eq!(limits.next_end(&runs, at(29)), Some(at(30)));
        assert_eq!(names(limits.expired(&runs, at(30))), ["rack-1"]);
        assert_eq!(limits.next_end(&runs, at(30)), Some(at(40)));
        assert_eq!(names(limits.expired(&runs, at(59))), ["rack-1", "rack-2"]);
        assert_eq!(limits.next_end(&runs, at(59)), None);
    }

    #[test]
    fn the_latest_finished_and_the_latest_passed_are_found() {
        let runs = [run(1, "Passed"), run(2, "Failed"), run(3, "")];
        assert_eq!(name(latest_finished(&runs)).as_deref(), Some("rack-2"));
        assert_eq!(name(latest_passed(&runs)).as_deref(), Some("rack-1"));
        assert_eq!(name(latest_finished(&runs[2..])), None);
    }
}
