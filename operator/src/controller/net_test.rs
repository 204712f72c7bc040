//! One pass over a NetTest: its runs, its history, its status, its metrics.

use super::{context::Context, error::PassError, facts, history, undecodable::Refusable};
use crate::{
    apply::{
        create::{self, Created, controller_uid},
        delete::delete,
        owner, status,
    },
    client::call,
    events::Fact,
    metrics::{Finished, TestKey},
};
use jiff::Timestamp;
use kube::{
    Api, Resource, ResourceExt,
    api::{ListParams, ObjectMeta},
    core::DeserializeGuard,
    runtime::controller::Action,
};
use nettest_api::{
    NetTest, NetTestRun, NetTestRunSpec, NetTestSpec, NetTestStatus, condition, labels,
    result::Verdict,
};
use nettest_core::{
    conditions::find,
    names,
    status::{refused_run_status, test_status},
    validate::Refusal,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// A test whose run goes on is looked at again this often, though the run's watch tells sooner.
const PATIENCE: Duration = Duration::from_secs(30);
/// … and one that has its result: ten thousand of them make eleven requests a second.
const RESYNC: Duration = Duration::from_secs(1800);

pub async fn reconcile(cached: Arc<NetTest>, context: Arc<Context>) -> Result<Action, PassError> {
    let namespace = cached.namespace().unwrap_or_default();
    let key = TestKey {
        namespace: namespace.clone(),
        name: cached.name_any(),
    };
    let tests: Api<NetTest> = context.scope.api(&namespace);
    let test = call("read the NetTest", tests.get_opt(&key.name)).await?;
    let Some(test) = test.filter(|test| test.metadata.deletion_timestamp.is_none()) else {
        context.metrics.forget(&key);
        return Ok(Action::await_change());
    };
    let runs_api: Api<NetTestRun> = context.scope.api(&namespace);
    let runs = runs_of(&runs_api, &test).await?;
    publish(&context, key, &test, &runs);

    let generation = test.metadata.generation.unwrap_or(1);
    let mut current = history::latest_of(&runs, generation).cloned();
    let settled = is_settled(&test, generation);
    let mut again = if settled || current.as_ref().is_some_and(history::is_finished) {
        RESYNC
    } else {
        PATIENCE
    };
    if let Some(old) = history::to_delete(&runs, generation) {
        let uid = old.uid().unwrap_or_default();
        delete(&runs_api, &old.name_any(), &uid).await?;
        tracing::info!(test = %test.name_any(), run = %old.name_any(), "run deleted");
        again = Duration::ZERO;
    } else if current.is_none() && !settled {
        current = Some(make_run(&context, &runs_api, &test, generation).await?);
    }

    // A run that was deleted takes nothing away from the test: its result stands until there is another.
    if current.is_some() || !settled {
        let new = test_status(&test, current.as_ref(), Timestamp::now());
        write_status(&context, &test, new).await?;
    }
    Ok(Action::requeue(again))
}

/// Write the status if it changed, and tell the end.
async fn write_status(
    context: &Context,
    test: &NetTest,
    new: NetTestStatus,
) -> Result<(), PassError> {
    let old = test.status.clone().unwrap_or_default();
    if old != new {
        status::apply(&context.scope, test, &new).await?;
        if let Some(fact) = facts::ended(&old.conditions, &new.conditions) {
            context.events.tell(fact, &test.object_ref(&())).await;
        }
    }
    Ok(())
}

impl Refusable for NetTest {
    async fn refuse(
        context: &Context,
        metadata: ObjectMeta,
        status: Option<NetTestStatus>,
        refusal: &Refusal,
    ) -> Result<(), PassError> {
        let test = NetTest {
            metadata,
            spec: NetTestSpec::default(),
            status,
        };
        let generation = test.metadata.generation.unwrap_or(1);
        if is_settled(&test, generation) {
            return Ok(());
        }
        // What a run of it would say, if one could be made.
        let mut run = run_of(&test, generation);
        run.metadata.name = None;
        let now = Timestamp::now();
        run.status = Some(refused_run_status(&run, refusal, now));
        write_status(context, &test, test_status(&test, Some(&run), now)).await
    }
}

/// The runs that this very test owns. One that does not decode counts as none.
async fn runs_of(api: &Api<NetTestRun>, test: &NetTest) -> Result<Vec<NetTestRun>, PassError> {
    let guarded: Api<DeserializeGuard<NetTestRun>> = Api::namespaced(
        api.clone().into_client(),
        &test.namespace().unwrap_or_default(),
    );
    let params = ListParams::default().labels(&format!(
        "{}={}",
        labels::TEST,
        names::label_value(&test.name_any())
    ));
    let list = call("list NetTestRuns", guarded.list(&params)).await?;
    let uid = test.metadata.uid.as_deref();
    Ok(list
        .items
        .into_iter()
        .filter_map(|run| run.0.ok())
        .filter(|run| uid.is_some() && controller_uid(run) == uid)
        .collect())
}

/// The status already has the end of a run of this generation.
fn is_settled(test: &NetTest, generation: i64) -> bool {
    test.status.as_ref().is_some_and(|status| {
        find(&status.conditions, condition::SUCCEEDED).is_some_and(|succeeded| {
            succeeded.observed_generation == Some(generation) && succeeded.status != "Unknown"
        })
    })
}

async fn make_run(
    context: &Context,
    runs: &Api<NetTestRun>,
    test: &NetTest,
    generation: i64,
) -> Result<NetTestRun, PassError> {
    let run = run_of(test, generation);
    let name = run.name_any();
    let error = match create::run(runs, &run).await? {
        Created::Done { object, now } => {
            if now {
                tracing::info!(test = %test.name_any(), run = %name, "run created");
                let fact = Fact {
                    warning: false,
                    reason: "RunCreated",
                    action: "CreateRun",
                    note: format!("NetTestRun {name} measures generation {generation}"),
                };
                context.events.tell(fact, &test.object_ref(&())).await;
            }
            return Ok(*object);
        }
        // Mostly the run of an earlier test of this name, on its way out.
        Created::Taken { holder } => PassError::NameTaken { name, holder },
        Created::Refused(status) => PassError::Refused {
            what: "NetTestRun",
            name,
            message: status.message.clone(),
        },
    };
    // It may last (a quota, a run that somebody made by hand), and the log is not where its owner looks.
    let fact = Fact {
        warning: true,
        reason: "RunNotCreated",
        action: "CreateRun",
        note: error.to_string(),
    };
    context.events.tell(fact, &test.object_ref(&())).await;
    Err(error)
}

/// The run of a generation. Its name is always the same, so there is never a second one.
fn run_of(test: &NetTest, generation: i64) -> NetTestRun {
    NetTestRun {
        metadata: ObjectMeta {
            name: Some(names::run_name(&test.name_any(), generation)),
            namespace: test.namespace(),
            labels: Some(BTreeMap::from([
                (
                    labels::MANAGED_BY.to_owned(),
                    labels::MANAGED_BY_VALUE.to_owned(),
                ),
                (
                    labels::TEST.to_owned(),
                    names::label_value(&test.name_any()),
                ),
            ])),
            owner_references: owner(test).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: NetTestRunSpec {
            test_name: Some(test.name_any()),
            test_generation: Some(generation),
            rerun: None,
            scheduled_time: None,
            test: test.spec.clone(),
        },
        status: None,
    }
}

/// Show the latest finished run; after its run is gone, what the test's own status still has; else nothing, so
/// that the figures of an earlier object of this name go.
fn publish(context: &Context, key: TestKey, test: &NetTest, runs: &[NetTestRun]) {
    let last_success = history::latest_passed(runs)
        .and_then(|run| run.status.as_ref()?.finish_time.as_ref())
        .map(|time| time.0);
    let of_run = || {
        let run = history::latest_finished(runs)?;
        let status = run.status.as_ref()?;
        Some(Finished {
            pair: status.pair.as_ref(),
            results: &status.results,
            thresholds: &status.thresholds,
            verdict: status.verdict?,
            finished: status.finish_time.as_ref().map(|time| time.0),
            last_success,
        })
    };
    let of_test = || {
        let status = test.status.as_ref()?;
        let verdict = status.verdict?;
        let ended = status.last_run_time.as_ref().map(|time| time.0);
        is_settled(test, test.metadata.generation?).then_some(Finished {
            pair: status.pair.as_ref(),
            results: &status.results,
            thresholds: &status.thresholds,
            verdict,
            finished: ended,
            last_success: last_success.or(ended.filter(|_| verdict == Verdict::Passed)),
        })
    };
    match of_run().or_else(of_test) {
        Some(finished) => context.metrics.publish(key, &finished),
        None => context.metrics.forget(&key),
    }
}

#[cfg(test)]
mod tests;
