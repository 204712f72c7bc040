//! One pass over a NetTest: its runs, its history, its status, its metrics. [`plan`] decides.

mod plan;

use super::{context::Context, error::PassError, facts, history, undecodable::Refusable};
use crate::{
    apply::{
        create::{self, Created, controller_uid},
        delete::delete,
        owner, status,
    },
    client::call,
    events::Fact,
    ledgers,
    metrics::{Figures, Finished, RunKey, TestKey},
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
    result::{PairStatus, VariantResult, Verdict},
};
use nettest_core::{argv::PORT, conditions::find, names, validate::Refusal};
use std::{collections::BTreeMap, sync::Arc};

/// Runs that one request lists: the status of a mesh's run may have 200 KiB.
const PAGE: u32 = 100;

pub async fn reconcile(cached: Arc<NetTest>, context: Arc<Context>) -> Result<Action, PassError> {
    reconcile_at(cached, context, Timestamp::now()).await
}

async fn reconcile_at(
    cached: Arc<NetTest>,
    context: Arc<Context>,
    now: Timestamp,
) -> Result<Action, PassError> {
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
    let mut runs = runs_of(&runs_api, &test).await?;
    publish(&context, key, &test, &runs).await;

    let plan = plan::plan(&test, &runs, &context.policy, now);
    for run in plan.stop.iter().chain(&plan.tidy) {
        delete(&runs_api, &run.name, &run.uid).await?;
        tracing::info!(test = %test.name_any(), run = %run.name, "run deleted");
    }
    for run in &plan.make {
        runs.push(make_run(&context, &runs_api, &test, run).await?);
    }
    let new = plan::status(&test, &runs, &plan, now);
    write_status(&context, &test, new).await?;
    if let Some(fact) = plan.told {
        context.events.tell(fact, &test.object_ref(&())).await;
    }
    Ok(Action::requeue(plan.again))
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
        let new = plan::refused(&test, refusal, Timestamp::now());
        write_status(context, &test, new).await
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
    let mut page = params.limit(PAGE);
    let uid = test.metadata.uid.as_deref();
    let mut runs = Vec::new();
    loop {
        let list = call("list NetTestRuns", guarded.list(&page)).await?;
        let read = list.items.into_iter().filter_map(|run| run.0.ok());
        runs.extend(read.filter(|run| uid.is_some() && controller_uid(run) == uid));
        match list.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) => page = page.continue_token(&next),
            None => return Ok(runs),
        }
    }
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
    run: &NetTestRun,
) -> Result<NetTestRun, PassError> {
    let name = run.name_any();
    let error = match create::run(runs, run).await? {
        Created::Done { object, now } => {
            if now {
                tracing::info!(test = %test.name_any(), run = %name, "run created");
                let fact = Fact {
                    warning: false,
                    reason: "RunCreated",
                    action: "CreateRun",
                    note: format!("NetTestRun {name} {}", why(&run.spec)),
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

/// What asked for a run.
fn why(run: &NetTestRunSpec) -> String {
    match (&run.scheduled_time, &run.rerun, run.test_generation) {
        (Some(time), _, _) => format!("is the run of {}", time.0),
        (None, Some(token), _) => format!("was asked for by spec.rerun {token}"),
        (None, None, generation) => {
            format!("measures generation {}", generation.unwrap_or_default())
        }
    }
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

/// When the last run ended that passed and that the status knows of.
fn remembered_success(test: &NetTest) -> Option<Timestamp> {
    let history = &test.status.as_ref()?.history;
    let passed = history
        .iter()
        .find(|past| past.verdict == Verdict::Passed)?;
    Some(passed.finish_time.as_ref()?.0)
}

/// What is shown of a test: its latest finished run.
struct Latest<'a> {
    key: RunKey,
    finished: Finished<'a>,
    pair: Option<&'a PairStatus>,
    results: &'a [VariantResult],
    /// Of several pairs: the run, while it is there, and how many ConfigMaps it has.
    ledger: Option<(&'a NetTestRun, u32)>,
    several: bool,
}

/// Show the latest finished run; after its run is gone, what the test's own status still has; else nothing, so
/// that the figures of an earlier object of this name go.
async fn publish(context: &Context, key: TestKey, test: &NetTest, runs: &[NetTestRun]) {
    let last_success = history::latest_passed(runs)
        .and_then(|run| run.status.as_ref()?.finish_time.as_ref())
        .map(|time| time.0)
        .max(remembered_success(test));
    let next_run = test.status.as_ref();
    let next_run = next_run.and_then(|status| status.next_run_time.as_ref());
    let next_run = next_run.map(|time| time.0);
    // The newest may be gone while an older one is kept.
    let of_run = of_run(runs, last_success, next_run);
    let newest = match (of_run, of_test(test, last_success, next_run)) {
        (Some(run), Some(test)) if run.finished.finished < test.finished.finished => Some(test),
        (run, test) => run.or(test),
    };
    let Some(latest) = newest else {
        context.metrics.forget(&key);
        return;
    };
    let Latest {
        key: run,
        finished,
        pair,
        results,
        ledger,
        several,
    } = latest;
    let metrics = &context.metrics;
    if !several {
        let figures = Figures::Pair { pair, results };
        metrics.publish(key, run, &finished, Some(figures));
        return;
    }
    let ledger = match ledger {
        Some((of, shards)) if !metrics.shows(&key, &run) => {
            match ledgers::finished(&context.scope, of, shards).await {
                Ok(ledger) => Some(ledger),
                Err(error) => {
                    // No reason to keep a test from its runs; as nobody's run it is read again at the next pass.
                    tracing::warn!(run = %run.name, %error, "the pairs cannot be read: no metrics of them");
                    metrics.publish(key, RunKey::default(), &finished, None);
                    return;
                }
            }
        }
        _ => None,
    };
    let figures = ledger.as_ref().map(Figures::Pairs);
    metrics.publish(key, run, &finished, figures);
}

fn of_run(
    runs: &[NetTestRun],
    last_success: Option<Timestamp>,
    next_run: Option<Timestamp>,
) -> Option<Latest<'_>> {
    let run = history::latest_finished(runs)?;
    let status = run.status.as_ref()?;
    let finished = status.finish_time.as_ref().map(|time| time.0);
    let shards = status.ledger.as_ref().map(|ledger| ledger.shards);
    Some(Latest {
        key: RunKey {
            name: run.name_any(),
            finished,
        },
        finished: Finished {
            asked: &run.spec.test.thresholds,
            thresholds: &status.thresholds,
            verdict: status.verdict?,
            finished,
            last_success,
            next_run,
            progress: status.progress,
            suspects: &status.suspects,
            port: port(&run.spec.test),
        },
        pair: status.pair.as_ref(),
        results: &status.results,
        ledger: shards.and_then(|shards| Some((run, u32::try_from(shards).ok()?))),
        several: shards.is_some(),
    })
}

/// Ours, or that of a server outside.
fn port(spec: &NetTestSpec) -> u16 {
    let external = spec.topology.external.as_ref();
    let port = external.and_then(|external| u16::try_from(external.port).ok());
    port.unwrap_or(PORT)
}

fn of_test(
    test: &NetTest,
    last_success: Option<Timestamp>,
    next_run: Option<Timestamp>,
) -> Option<Latest<'_>> {
    let status = test.status.as_ref()?;
    let verdict = status.verdict?;
    let finished = status.last_run_time.as_ref().map(|time| time.0);
    is_settled(test, test.metadata.generation?).then(|| Latest {
        key: RunKey {
            name: status.latest_run.clone().unwrap_or_default(),
            finished,
        },
        finished: Finished {
            asked: &test.spec.thresholds,
            thresholds: &status.thresholds,
            verdict,
            finished,
            last_success: last_success.or(finished.filter(|_| verdict == Verdict::Passed)),
            next_run,
            progress: status.progress,
            suspects: &status.suspects,
            port: port(&test.spec),
        },
        pair: status.pair.as_ref(),
        results: &status.results,
        ledger: None,
        several: status.progress.is_some(),
    })
}

#[cfg(test)]
mod tests;
