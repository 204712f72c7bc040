//! One run and everything that is known of it: what a report is made of.

use crate::cluster::{self, Connection, Problem};
use crate::show::{figures::counted, out, slow::Slow};
use kube::ResourceExt;
use nettest_api::{NetTest, NetTestRun, NetTestRunSpec, NetTestRunStatus};
use nettest_core::ledger::PairRecord;
use nettest_report::event::Measurement;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub struct Subject {
    /// Of the test; of a run of nobody's, its own.
    pub name: String,
    /// `None`: on this machine.
    pub namespace: Option<String>,
    /// A copy of the spec, and the status.
    pub run: NetTestRun,
    /// Of a run with several.
    pub pairs: BTreeMap<u32, PairRecord>,
    pub measurements: Vec<PairMeasurement>,
}

/// The document of one repeat.
#[derive(Debug, Clone)]
pub struct PairMeasurement {
    /// `None`: the only one.
    pub pair: Option<u32>,
    pub measurement: Measurement,
}

impl Subject {
    /// A test that was measured on this machine.
    pub fn local(test: &NetTest, measurements: &[Measurement]) -> Subject {
        let measurements = measurements.iter().map(|measurement| PairMeasurement {
            pair: None,
            measurement: measurement.clone(),
        });
        Subject {
            name: test.name_any(),
            namespace: None,
            run: run_of(test),
            pairs: BTreeMap::new(),
            measurements: measurements.collect(),
        }
    }

    /// A run of a cluster, with what its ConfigMaps keep.
    pub async fn kept(
        connection: &Connection,
        run: NetTestRun,
        slow: &Slow,
    ) -> Result<Subject, Problem> {
        let pairs = cluster::pairs(connection, &run).await?;
        let name = run.name_any();
        let on_read =
            |read, all| slow.note(|| format!("{name}: documents of {read} of {all} pairs read"));
        let (measurements, lost) = cluster::documents(connection, &run, &pairs, &on_read).await?;
        if lost > 0 {
            let of = counted(i64::try_from(lost).unwrap_or(i64::MAX), "ConfigMap");
            out::warn(&format!(
                "note: {of} of documents of {name} are gone or broken: what they had is not in the report"
            ));
        }
        Ok(Subject {
            name: run.spec.test_name.clone().unwrap_or_else(|| run.name_any()),
            namespace: run.namespace(),
            run,
            pairs,
            measurements,
        })
    }

    pub fn status(&self) -> NetTestRunStatus {
        self.run.status.clone().unwrap_or_default()
    }
}

/// The run that a test's status remembers.
pub fn run_of(test: &NetTest) -> NetTestRun {
    let status = test.status.clone().unwrap_or_default();
    let spec = NetTestRunSpec {
        test_name: test.metadata.name.clone(),
        test_generation: test.metadata.generation,
        rerun: None,
        scheduled_time: None,
        test: test.spec.clone(),
    };
    let name = status.latest_run.clone().unwrap_or_else(|| test.name_any());
    let mut run = NetTestRun::new(&name, spec);
    run.metadata.namespace = test.namespace();
    run.status = Some(NetTestRunStatus {
        conditions: status.conditions,
        verdict: status.verdict,
        finish_time: status.last_run_time,
        pair: status.pair,
        results: status.results,
        thresholds: status.thresholds,
        diagnosis: status.diagnosis,
        progress: status.progress,
        suspects: status.suspects,
        ..NetTestRunStatus::default()
    });
    run
}
