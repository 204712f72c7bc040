//! A NetTest and its runs, as the operator left them.

use crate::{
    Namespace, engine_pod, seconds,
    until::{Seen, throughout, until},
};
use anyhow::{Context, Result, ensure};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{Api, ListParams};
use nettest_api::{NetTest, NetTestRun, condition, result::VariantResult};
use std::time::Duration;

/// A condition of a test.
pub fn condition<'a>(test: &'a NetTest, kind: &str) -> Option<&'a Condition> {
    test.status
        .as_ref()?
        .conditions
        .iter()
        .find(|condition| condition.type_ == kind)
}

/// `Status/Reason: message` of a condition, to compare and to print.
pub fn state(test: &NetTest, kind: &str) -> String {
    match condition(test, kind) {
        Some(c) => format!("{}/{}: {}", c.status, c.reason, c.message),
        None => "absent".to_owned(),
    }
}

/// Whether a condition has this status and reason, e.g. `False/ThresholdNotMet`.
pub fn is(test: &NetTest, kind: &str, status_and_reason: &str) -> bool {
    condition(test, kind).is_some_and(|c| format!("{}/{}", c.status, c.reason) == status_and_reason)
}

/// The results; an error when there are none.
pub fn results(test: &NetTest) -> Result<&[VariantResult]> {
    let results = test.status.as_ref().map(|s| s.results.as_slice());
    results
        .filter(|results| !results.is_empty())
        .with_context(|| {
            format!(
                "no results; Succeeded is {}",
                state(test, condition::SUCCEEDED)
            )
        })
}

impl Namespace {
    pub async fn test(&self, name: &str) -> Result<NetTest> {
        let api: Api<NetTest> = self.api();
        Ok(api.get(name).await?)
    }

    /// Waits until a condition has this status and reason.
    pub async fn becomes(
        &self,
        name: &str,
        kind: &str,
        status_and_reason: &str,
        deadline: Duration,
    ) -> Result<NetTest> {
        until(
            &format!("{kind}={status_and_reason} of {name}"),
            deadline,
            async || {
                let test = self.test(name).await?;
                let seen = state(&test, kind);
                Ok(Seen::some(
                    (current(&test) && is(&test, kind, status_and_reason)).then_some(test),
                    || seen,
                ))
            },
        )
        .await
    }

    /// Waits until the latest generation has ended, well or not.
    pub async fn finished(&self, name: &str, deadline: Duration) -> Result<NetTest> {
        until(&format!("{name} has ended"), deadline, async || {
            let test = self.test(name).await?;
            let seen = state(&test, condition::SUCCEEDED);
            let ended = condition(&test, condition::SUCCEEDED)
                .is_some_and(|c| c.status == "True" || c.status == "False");
            Ok(Seen::some(
                (current(&test) && ended).then_some(test),
                || seen,
            ))
        })
        .await
    }

    /// Waits until it has ended, and well.
    pub async fn succeeds(&self, name: &str, deadline: Duration) -> Result<NetTest> {
        let test = self.finished(name, deadline).await?;
        ensure!(
            is(&test, condition::SUCCEEDED, "True/Passed"),
            "{name} did not pass: {}",
            state(&test, condition::SUCCEEDED)
        );
        Ok(test)
    }

    /// Waits until it has ended, and with this reason. Its message is worth looking at.
    pub async fn fails(&self, name: &str, reason: &str, deadline: Duration) -> Result<String> {
        let test = self.finished(name, deadline).await?;
        let seen = state(&test, condition::SUCCEEDED);
        ensure!(
            is(&test, condition::SUCCEEDED, &format!("False/{reason}")),
            "{name} should fail with {reason}: {seen}"
        );
        Ok(seen)
    }

    /// The runs of a test, oldest first.
    pub async fn runs(&self, name: &str) -> Result<Vec<NetTestRun>> {
        let api: Api<NetTestRun> = self.api();
        let mut runs = api.list(&ListParams::default()).await?.items;
        runs.retain(|run| run.spec.test_name.as_deref() == Some(name));
        runs.sort_by_key(|run| run.spec.test_generation);
        Ok(runs)
    }

    /// Nothing new may come for `span`, once the pods are gone: as many runs, and the same result throughout.
    pub async fn settled(&self, name: &str, runs: usize, span: Duration) -> Result<()> {
        engine_pod::await_none(self, seconds(15)).await?;
        let before = self.test(name).await?;
        throughout(&format!("{name} is settled"), span, async || {
            let now = self.test(name).await?;
            let count = self.runs(name).await?.len();
            let pods = self.engine_pods().await?.len();
            let same = now.status == before.status;
            Ok(Seen::when(same && count == runs && pods == 0, || {
                format!(
                    "{count} runs, {pods} pods, status {}",
                    if same { "as it was" } else { "changed" }
                )
            }))
        })
        .await
    }
}

/// The status speaks of the spec as it is now.
fn current(test: &NetTest) -> bool {
    test.status.as_ref().and_then(|s| s.observed_generation) == test.metadata.generation
}
