//! The runs of a test: the whole result is theirs.

use crate::{Namespace, seconds, until::Seen, until::until};
use anyhow::{Context, Result, bail};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{Api, ListParams};
use nettest_api::{
    NetTestRun, condition,
    net_test_run::NetTestRunStatus,
    result::{Flow, PairResult, PairState, VariantResult},
};
use std::time::Duration;

/// A run's condition.
pub fn condition<'a>(run: &'a NetTestRun, kind: &str) -> Option<&'a Condition> {
    let conditions = &run.status.as_ref()?.conditions;
    conditions.iter().find(|condition| condition.type_ == kind)
}

/// Whether it has ended, well or not.
pub fn is_over(run: &NetTestRun) -> bool {
    condition(run, condition::SUCCEEDED).is_some_and(|c| c.status != "Unknown")
}

impl Namespace {
    /// The status of the latest run of a test.
    pub async fn latest(&self, test: &str) -> Result<NetTestRunStatus> {
        let status = self.test(test).await?.status.unwrap_or_default();
        let name = status.latest_run.context("no run")?;
        let api: Api<NetTestRun> = self.api();
        api.get(&name).await?.status.context("no status")
    }

    /// Waits until a run of a user's own has ended.
    pub async fn run_is_over(&self, name: &str, deadline: Duration) -> Result<NetTestRun> {
        let api: Api<NetTestRun> = self.api();
        until(&format!("{name} has ended"), deadline, async || {
            let run = api.get(name).await?;
            let seen = format!("{:?}", condition(&run, condition::SUCCEEDED));
            Ok(Seen::some(is_over(&run).then_some(run), || seen))
        })
        .await
    }

    /// Waits until as many runs of a test have ended; all its runs, oldest first.
    pub async fn runs_over(
        &self,
        test: &str,
        count: usize,
        deadline: Duration,
    ) -> Result<Vec<NetTestRun>> {
        let what = format!("{count} runs of {test} have ended");
        until(&what, deadline, async || {
            let runs = self.runs(test).await?;
            let over = runs.iter().filter(|run| is_over(run)).count();
            let seen = format!("{over} of {}", runs.len());
            Ok(Seen::some((over >= count).then_some(runs), || seen))
        })
        .await
    }

    /// All runs here, by the time they were made.
    pub async fn all_runs(&self) -> Result<Vec<NetTestRun>> {
        let api: Api<NetTestRun> = self.api();
        let mut runs = api.list(&ListParams::default()).await?.items;
        runs.sort_by_key(|run| run.metadata.creation_timestamp.clone());
        Ok(runs)
    }

    /// Waits until so many pairs of a test's latest run are done, well or not.
    pub async fn pairs_done(&self, test: &str, done: i32) -> Result<NetTestRunStatus> {
        let what = format!("{done} pairs of {test} are done");
        until(&what, seconds(60), async || {
            let status = match self.latest(test).await {
                Ok(status) => status,
                Err(error) => return Ok(Seen::NotYet(format!("{error:#}"))),
            };
            let progress = status.progress.unwrap_or_default();
            let is_there = progress.measured + progress.failed >= done;
            Ok(Seen::some(is_there.then_some(status), || {
                format!("{progress:?}")
            }))
        })
        .await
    }
}

/// The pairs of the first pass, by node names; each must be measured.
pub fn measured(status: &NetTestRunStatus) -> Result<Vec<&PairResult>> {
    if let Some(pair) = status
        .pairs
        .iter()
        .find(|pair| pair.state != PairState::Measured)
    {
        bail!("not measured: {pair:?}");
    }
    let mut pairs: Vec<_> = status
        .pairs
        .iter()
        .filter(|pair| !pair.second_pass)
        .collect();
    pairs.sort_by_key(|pair| (pair.client.clone(), pair.server.clone()));
    Ok(pairs)
}

/// The result of a variant that was sent by the client.
pub fn of_variant<'a>(results: &'a [VariantResult], variant: &str) -> Result<&'a VariantResult> {
    results
        .iter()
        .find(|result| result.variant == variant && result.flow == Flow::ClientToServer)
        .with_context(|| {
            let names: Vec<&str> = results.iter().map(|r| r.variant.as_str()).collect();
            format!("no result of {variant}: {names:?}")
        })
}
