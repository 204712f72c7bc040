//! A world of one test, in which the operator may die before each of its writes.

use super::*;
use jiff::SignedDuration;
use proptest::prelude::*;
use std::collections::BTreeSet;

const START: &str = "2027-03-27T20:00:00Z";

/// What the API server has.
struct World {
    test: NetTest,
    runs: Vec<NetTestRun>,
    /// Names of all runs that ever were.
    made: Vec<String>,
    /// … and have ended.
    ended: BTreeSet<String>,
    now: Timestamp,
}

impl World {
    fn new(spec: &str) -> World {
        let test = format!(
            "{{apiVersion: nettest.dev/v1alpha1, kind: NetTest, metadata: {{name: rack, namespace: default, uid: u, generation: 1, \
             creationTimestamp: '{START}'}}, spec: {spec}}}"
        );
        World {
            test: serde_yaml::from_str(&test).unwrap(),
            runs: Vec::new(),
            made: Vec::new(),
            ended: BTreeSet::new(),
            now: START.parse().unwrap(),
        }
    }

    /// A pass of an operator that dies after so many writes.
    fn pass(&mut self, mut writes: usize) {
        let plan = plan(
            &self.test,
            &self.runs,
            &Policy::with_host_network("default"),
            self.now,
        );
        let mut alive = || {
            writes = writes.saturating_sub(1);
            writes > 0
        };
        for gone in plan.stop.iter().chain(&plan.tidy) {
            if !alive() {
                return;
            }
            self.runs.retain(|run| run.name_any() != gone.name);
        }
        for run in &plan.make {
            if !alive() {
                return;
            }
            let name = run.name_any();
            if self.runs.iter().all(|there| there.name_any() != name) {
                let mut run = run.clone();
                run.metadata.uid = Some(name.clone());
                run.metadata.creation_timestamp = Some(Time(self.now));
                self.runs.push(run);
                self.made.push(name);
            }
        }
        if alive() {
            self.test.status = Some(status(&self.test, &self.runs, &plan, self.now));
        }
    }

    /// Every run that goes on ends.
    fn end_runs(&mut self, passed: bool) {
        for run in self.runs.iter_mut().filter(|run| !is_finished(run)) {
            let (verdict, state, reason) = match passed {
                true => ("Passed", "True", "Passed"),
                false => ("Failed", "False", "ThresholdNotMet"),
            };
            let now = self.now;
            let status = format!(
                "{{verdict: {verdict}, finishTime: '{now}', conditions: [{{type: Succeeded, status: '{state}', reason: {reason}, message: m, lastTransitionTime: '{now}'}}]}}"
            );
            run.status = Some(serde_yaml::from_str(&status).unwrap());
            self.ended.insert(run.name_any());
        }
    }

    /// The user changes the spec.
    fn change(&mut self, what: impl FnOnce(&mut nettest_api::NetTestSpec)) {
        what(&mut self.test.spec);
        let generation = self.test.metadata.generation.get_or_insert(1);
        *generation += 1;
    }
}

fn no_name_twice(made: &[String]) -> bool {
    made.iter().collect::<BTreeSet<_>>().len() == made.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever an operator dies between, and with limits that keep nothing: no time has two runs, and no result goes
    /// unseen.
    #[test]
    fn no_run_is_made_twice(
        policy in prop::sample::select(vec!["Forbid", "Allow", "Replace"]),
        limit in 0usize..3,
        ttl in prop::sample::select(vec!["", ", ttlAfterFinished: 0s", ", ttlAfterFinished: 30m"]),
        steps in prop::collection::vec((0i64..2500, 1usize..7, 0u8..6), 1..80),
    ) {
        let mut world = World::new(&format!(
            "{{schedule: {{cron: '*/20 * * * *', timeZone: Europe/Berlin, jitter: 5m, concurrencyPolicy: {policy}}}, \
             cleanup: {{successfulRunsHistoryLimit: {limit}, failedRunsHistoryLimit: 0{ttl}}}}}"
        ));
        for (step, writes, what) in steps {
            world.now += SignedDuration::from_secs(step);
            match what {
                0 => world.end_runs(true),
                1 => world.end_runs(false),
                2 if step < 300 => world.change(|spec| spec.repeats.count = spec.repeats.count % 5 + 1),
                3 if step < 300 => world.change(|spec| spec.rerun = Some(format!("token-{step}"))),
                _ => {}
            }
            world.pass(writes);
            prop_assert!(no_name_twice(&world.made), "{:?}", world.made);
        }
        // Left in peace, it comes to rest: all that ended is in the history, and nothing is past the limits.
        world.end_runs(true);
        for _ in 0..4 {
            world.pass(usize::MAX);
            world.end_runs(true);
        }
        let status = world.test.status.clone().unwrap();
        let remembered: Vec<&str> = status.history.iter().map(|past| past.run.as_str()).collect();
        prop_assert_eq!(remembered.len(), world.ended.len().min(20));
        prop_assert!(remembered.iter().all(|name| world.ended.contains(*name)));
        prop_assert!(status.next_run_time.as_ref().is_some_and(|next| next.0 > world.now));
        prop_assert!(world.runs.len() <= limit, "{:?}", world.runs.len());
        world.pass(usize::MAX);
        prop_assert_eq!(world.test.status.unwrap(), status);
    }

    /// A test without a schedule: one run for each generation that was there long enough, whatever the limits.
    #[test]
    fn a_generation_has_one_run(
        limit in 0..3,
        steps in prop::collection::vec((1usize..5, 0u8..5), 1..60),
    ) {
        let mut world = World::new(&format!("{{cleanup: {{successfulRunsHistoryLimit: {limit}, failedRunsHistoryLimit: {limit}}}}}"));
        for (writes, what) in steps {
            world.now += SignedDuration::from_secs(7);
            match what {
                0 => world.end_runs(true),
                1 => world.end_runs(false),
                2 => world.change(|spec| spec.rerun = Some(format!("token-{writes}"))),
                _ => {}
            }
            world.pass(writes);
            prop_assert!(no_name_twice(&world.made), "{:?}", world.made);
        }
        for _ in 0..4 {
            world.pass(usize::MAX);
            world.end_runs(true);
        }
        world.pass(usize::MAX);
        let generation = world.test.metadata.generation.unwrap();
        prop_assert!(is_settled(&world.test, generation));
        prop_assert!(world.made.contains(&names::run_name("rack", generation)));
        prop_assert!(world.test.status.as_ref().unwrap().last_rerun == world.test.spec.rerun);
    }
}
