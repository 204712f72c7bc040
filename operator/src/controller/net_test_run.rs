//! One pass over a NetTestRun: observe, validate, plan, apply, collect, status.

use super::{
    context::Context,
    error::PassError,
    facts,
    history::{is_finished, time_left},
    key, queue,
    undecodable::Refusable,
};
use crate::{
    apply::{
        create::{self, Created},
        delete::delete,
        status,
    },
    client::call,
    collect::{self, Stored, collect},
    metrics::RunResult,
    observe, random,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::{
    Api, Resource, ResourceExt,
    api::{ListParams, ObjectMeta},
    core::DeserializeGuard,
    runtime::controller::Action,
};
use nettest_api::{
    NetTestRun, NetTestRunSpec, NetTestRunStatus, NetTestSpec, labels,
    result::{VariantResult, Verdict},
};
use nettest_core::{
    ledger::Ledger,
    names,
    observed::{Observed, RunFacts},
    plan::{self, Collect, Phase, Plan, Stage, Step},
    pod::{self, Owner, Part},
    refusal::CreateRefusal,
    status::{refused_run_status, run_status},
    valid::{Bound, Relative, RunUid, ValidTest, ValidTopology},
    validate::{Refusal, validate},
};
use std::{sync::Arc, time::Duration};

/// Passes that may fail before a result is stored without its documents: about 15 s, in which a kubelet that is
/// restarted comes back. The figures are in the pod alone meanwhile, so not longer.
const DOCUMENTS_TRIES: u32 = 4;
/// As relativeTo.runs at most.
const MOST_HISTORY: usize = 20;

/// One pass. The cached object says only which run to look at: its status may be behind our own writes.
pub async fn reconcile(
    cached: Arc<NetTestRun>,
    context: Arc<Context>,
) -> Result<Action, PassError> {
    let namespace = cached.namespace().unwrap_or_default();
    let runs: Api<NetTestRun> = context.scope.api(&namespace);
    let run = call("read the NetTestRun", runs.get_opt(&cached.name_any())).await?;
    let Some(run) = run.filter(|run| run.metadata.deletion_timestamp.is_none()) else {
        // Owner references take the pods away.
        if let Some(uid) = cached.uid() {
            context.ledgers.forget(&RunUid(uid));
        }
        return Ok(Action::await_change());
    };
    let Some((facts, owner)) = RunFacts::from_run(&run).zip(Owner::of(&run)) else {
        return Ok(Action::await_change());
    };
    let now = Timestamp::now();
    // A test sees to its own runs.
    let left = time_left(&run, now);
    if left == Some(Duration::ZERO) {
        delete(&runs, &run.name_any(), owner.uid.as_str()).await?;
        tracing::info!(run = %owner.run, "run deleted: cleanup.ttlAfterFinished is over");
        return Ok(Action::await_change());
    }
    let test = match validate(&run.spec.test, &namespace, &context.policy) {
        Ok(test) => test,
        Err(refusal) => {
            if !is_finished(&run) {
                let new = refused_run_status(&run, &refusal, now);
                write_status(&context, &run, new).await?;
                // Pods that it may have from before the policy changed go with the next pass.
                return Ok(Action::requeue(Duration::ZERO));
            }
            let seen = observe(&context, facts).await?;
            let Plan {
                step,
                requeue_after,
                ..
            } = plan::clean_up(&seen);
            if let Some(Step::DeletePod { name, uid }) = step {
                delete(&context.scope.api::<Pod>(&namespace), &name, &uid).await?;
            }
            return Ok(requeue(sooner(requeue_after, left)));
        }
    };
    let pass = Pass {
        context: &context,
        run: &run,
        test: &test,
        owner: &owner,
        namespace: &namespace,
    };
    let mut plan = pass.act(facts, now).await?;
    plan.requeue_after = sooner(plan.requeue_after, left);
    pass.conclude(plan).await
}

fn sooner(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    one.into_iter().chain(other).min()
}

/// What a pass works on.
struct Pass<'a> {
    context: &'a Context,
    run: &'a NetTestRun,
    test: &'a ValidTest,
    owner: &'a Owner,
    namespace: &'a str,
}

impl Pass<'_> {
    /// Observe, plan, do the one step: the plan that the status is made from.
    async fn act(&self, facts: RunFacts, mut now: Timestamp) -> Result<Plan, PassError> {
        let mut seen = self.observe(facts.clone()).await?;
        let mut plan = plan::plan(self.test, &seen, now);
        // The first pod claims both nodes: look again and create under the barrier. Of a star's clients each claims its
        // own.
        let many = plan.progress.many.is_some();
        let claims = |plan: &Plan| match &plan.step {
            Some(Step::CreatePod(pod)) => match &pod.part {
                Part::Server => true,
                Part::Client { token, .. } => many || token.is_none(),
            },
            _ => false,
        };
        let _held = if claims(&plan) {
            let held = self.context.barrier.enter().await;
            // The wait for others' creates is not this attempt's.
            now = Timestamp::now();
            seen = self.observe(facts).await?;
            plan = plan::plan(self.test, &seen, now);
            Some(held)
        } else {
            None
        };
        if let Some(Step::Record(_)) = &plan.step {
            // Once a pair is recorded its pods go.
            for wanted in std::mem::take(&mut plan.collect) {
                let stored = self.documents(&wanted).await?;
                if let (Some(stored), Some(number)) = (stored, wanted.number) {
                    plan.keep(number, stored.kept);
                }
            }
        }
        if let Some(refusal) = self.step(plan.step.as_ref()).await? {
            seen.refusal = Some(refusal);
            plan = plan::plan(self.test, &seen, now);
            // Nothing was made: what it plans now is for the next pass.
            plan.step = None;
        }
        if let (Stage::Waiting(waiting), None, Some(after)) =
            (&plan.progress.stage, &plan.step, plan.requeue_after)
            && waiting.phase == Phase::Queued
        {
            plan.requeue_after = Some(queue::patience(after, &seen));
        }
        Ok(plan)
    }

    /// What was read for this very test.
    async fn observe(&self, facts: RunFacts) -> Result<Observed, PassError> {
        let Context {
            scope,
            policy,
            ledgers,
            ..
        } = self.context;
        let has_service = self
            .test
            .variants
            .iter()
            .any(|variant| variant.path.has_service());
        let services = if has_service {
            observe::services(scope, self.namespace, &facts.uid).await?
        } else {
            vec![]
        };
        let shards = self
            .run
            .status
            .as_ref()
            .and_then(|status| status.ledger.as_ref());
        let shards = shards.and_then(|ledger| u32::try_from(ledger.shards).ok());
        let ledger = match shards {
            Some(shards) if !facts.finished => {
                ledgers.read(scope, self.run, &facts.uid, shards).await?
            }
            _ => Ledger::default(),
        };
        let mut seen = observe(self.context, facts).await?;
        if let ValidTopology::External(external) = &self.test.topology
            && !seen.run.finished
            && seen.pods.is_empty()
        {
            seen.external = Some(observe::external(external, self.test.ip_family, policy).await);
        }
        seen.services = services;
        if !seen.run.finished {
            collect::whole_digests(scope, self.namespace, &mut seen.pods, |number| {
                number.is_some_and(|number| ledger.is_done(number))
            })
            .await?;
        }
        seen.ledger = ledger;
        Ok(seen)
    }

    /// The one write of a pass. `Some`: the API server would not have it.
    async fn step(&self, step: Option<&Step>) -> Result<Option<CreateRefusal>, PassError> {
        let pods: Api<Pod> = self.context.scope.api(self.namespace);
        match step {
            None => Ok(None),
            Some(Step::DeletePod { name, uid }) => {
                delete(&pods, name, uid).await?;
                tracing::info!(run = %self.owner.run, pod = %name, "pod deleted");
                Ok(None)
            }
            Some(Step::DeleteService { name, uid }) => {
                let services: Api<Service> = self.context.scope.api(self.namespace);
                delete(&services, name, uid).await?;
                Ok(None)
            }
            Some(Step::Record(records)) => {
                let Context { scope, ledgers, .. } = self.context;
                ledgers
                    .write(scope, self.run, &self.owner.uid, records)
                    .await?;
                for (number, record) in records {
                    tracing::info!(run = %self.owner.run, number, client = %record.client, server = %record.server, state = ?record.state, "pair recorded");
                }
                Ok(None)
            }
            Some(Step::CreateService(planned)) => {
                let services: Api<Service> = self.context.scope.api(self.namespace);
                let service = pod::service(self.owner, planned);
                made(
                    "Service",
                    &planned.name,
                    create::service(&services, &service).await?,
                )
            }
            Some(Step::CreatePod(planned)) => {
                let token = random::token()?;
                let pod = pod::pod(self.test, self.owner, planned, &self.context.engine, &token);
                let made = made("pod", &planned.name, create::pod(&pods, &pod).await?)?;
                if made.is_none() {
                    tracing::info!(run = %self.owner.run, pod = %planned.name, "pod created");
                }
                Ok(made)
            }
        }
    }

    /// Collect what there is to collect, then write the status, last.
    async fn conclude(&self, plan: Plan) -> Result<Action, PassError> {
        let Plan {
            step: _,
            progress,
            collect,
            requeue_after,
        } = plan;
        let documents = match (&progress.stage, collect.first()) {
            (Stage::Measured(_), Some(wanted)) => {
                Some(Stored::status(self.documents(wanted).await?))
            }
            _ => None,
        };
        // Collecting takes time: the result ends when it is written.
        let now = Timestamp::now();
        let history = match progress.stage {
            Stage::Measured(_) | Stage::Concluded => self.history().await?,
            _ => vec![],
        };
        let new = run_status(self.run, self.test, &progress, documents, &history, now);
        if progress.stage == Stage::Concluded {
            self.context.ledgers.forget(&self.owner.uid);
        }
        write_status(self.context, self.run, new).await?;
        Ok(requeue(requeue_after))
    }

    /// What the runs before measured, the latest first: for thresholds that are relative to them.
    async fn history(&self) -> Result<Vec<Vec<VariantResult>>, PassError> {
        let relative = self.test.thresholds.iter().any(|threshold| {
            matches!(
                threshold.bound,
                Bound::Percent {
                    of: Relative::History { .. },
                    ..
                }
            )
        });
        let Some(test) = self.run.spec.test_name.as_ref().filter(|_| relative) else {
            return Ok(vec![]);
        };
        let runs: Api<DeserializeGuard<NetTestRun>> = self.context.scope.api(self.namespace);
        let label = format!("{}={}", labels::TEST, names::label_value(test));
        let list = ListParams::default().labels(&label);
        let list = call("list the runs before", runs.list(&list)).await?;
        let mut before: Vec<NetTestRun> = list
            .items
            .into_iter()
            .filter_map(|run| run.0.ok())
            .filter(|run| run.uid() != self.run.uid() && run.spec.test_name.as_ref() == Some(test))
            .collect();
        before.sort_by_key(|run| std::cmp::Reverse(run.creation_timestamp()));
        let results = before.into_iter().filter_map(|run| run.status);
        Ok(results
            .filter(|status| matches!(status.verdict, Some(Verdict::Passed | Verdict::Failed)))
            .map(|status| status.results)
            .filter(|results| !results.is_empty())
            .take(MOST_HISTORY)
            .collect())
    }

    /// The documents, if need be at another pass: the client pod stays until the status is written.
    async fn documents(&self, wanted: &Collect) -> Result<Option<Stored>, PassError> {
        let failures = self.context.backoff.failures(&key(self.run));
        // An error would be a closed semaphore, which nobody closes.
        let _memory = self.context.logs.acquire().await;
        match collect(&self.context.scope, self.run, self.namespace, wanted).await {
            Ok(stored) => Ok(stored),
            Err(error) if failures < DOCUMENTS_TRIES => Err(error.into()),
            Err(error) => {
                tracing::warn!(pod = %wanted.pod, %error, "the documents are lost; the figures are in the digest");
                Ok(None)
            }
        }
    }
}

/// How a create went, for the plan.
fn made<K>(
    what: &'static str,
    name: &str,
    created: Created<K>,
) -> Result<Option<CreateRefusal>, PassError> {
    match created {
        Created::Done { .. } => Ok(None),
        Created::Taken { holder } => Err(PassError::NameTaken {
            name: name.to_owned(),
            holder,
        }),
        Created::Refused(status) => match CreateRefusal::classify(status.code, &status.message) {
            Some(refusal) => Ok(Some(refusal)),
            None => Err(PassError::Refused {
                what,
                name: name.to_owned(),
                message: status.message.clone(),
            }),
        },
    }
}

/// What the plan of any run is made from.
async fn observe(context: &Context, run: RunFacts) -> Result<Observed, PassError> {
    let reads = observe::read(&context.scope).await?;
    let others = context.unfinished_runs();
    let others = others.iter().filter_map(|run| run.0.as_ref().ok());
    let seen = reads.observed(run, others, &context.policy);
    tracing::debug!(run = %seen.run.name, pods = seen.pods.len(), claims = ?seen.claims, waiters = seen.waiters.len(), "observed");
    Ok(seen)
}

/// Write the status if it changed, and tell what turned.
async fn write_status(
    context: &Context,
    run: &NetTestRun,
    new: NetTestRunStatus,
) -> Result<(), PassError> {
    let old = run.status.clone().unwrap_or_default();
    if old == new {
        return Ok(());
    }
    status::apply(&context.scope, run, &new).await?;
    if let (None, Some(verdict)) = (old.verdict, new.verdict) {
        let seconds = new
            .start_time
            .as_ref()
            .zip(new.finish_time.as_ref())
            .map(|(start, end)| end.0.duration_since(start.0).as_secs_f64());
        context.metrics.run_ended(RunResult::from(verdict), seconds);
        tracing::info!(run = %run.name_any(), ?verdict, "run ended");
    }
    let about = run.object_ref(&());
    for fact in facts::turned(&old.conditions, &new.conditions) {
        context.events.tell(fact, &about).await;
    }
    Ok(())
}

/// Nothing is left to do for a finished run without pods: thousands of them cost no requests. Should a pod of its
/// turn up late, the pods' watch brings the run back.
fn requeue(after: Option<Duration>) -> Action {
    after.map_or_else(Action::await_change, Action::requeue)
}

impl Refusable for NetTestRun {
    async fn refuse(
        context: &Context,
        metadata: ObjectMeta,
        status: Option<NetTestRunStatus>,
        refusal: &Refusal,
    ) -> Result<(), PassError> {
        let run = NetTestRun {
            metadata,
            spec: NetTestRunSpec {
                test_name: None,
                test_generation: None,
                rerun: None,
                scheduled_time: None,
                test: NetTestSpec::default(),
            },
            status,
        };
        if is_finished(&run) {
            return Ok(());
        }
        let new = refused_run_status(&run, refusal, Timestamp::now());
        write_status(context, &run, new).await
    }
}

#[cfg(test)]
mod tests;
