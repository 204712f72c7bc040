//! The two controllers. A pass is: read, decide (nettest-core), at most one write, status last.
//!
//! - [`net_test`]: makes runs, keeps the history, shows the latest result
//! - [`net_test_run`]: makes pods, collects, concludes; [`queue`]: who is woken by a pod
//! - [`undecodable`]: what becomes of objects that do not decode
//! - [`context`], [`backoff`], [`error`], [`history`], [`facts`]: what they share

pub mod backoff;
pub mod context;
pub mod error;
pub mod facts;
pub mod history;
pub mod net_test;
pub mod net_test_run;
pub mod queue;
pub mod undecodable;

use context::{Context, Runs};
use error::PassError;
use futures::{FutureExt, StreamExt, future::BoxFuture};
use k8s_openapi::{NamespaceResourceScope, api::core::v1::Pod};
use kube::{
    Resource, ResourceExt,
    core::{
        DeserializeGuard,
        object::{HasSpec, HasStatus},
    },
    runtime::{
        Controller,
        controller::{self, Action, Config},
        reflector::{ObjectRef, Store},
        watcher,
    },
};
use nettest_api::{NetTest, NetTestRun};
use nettest_core::names;
use serde::de::DeserializeOwned;
use std::{fmt::Debug, panic::AssertUnwindSafe, sync::Arc};
use tokio::sync::watch;
use undecodable::Refusable;

/// Passes at once, of each controller: kube sets no limit of its own, and each pass holds connections.
const CONCURRENCY: u16 = 16;

pub type Tests = Store<DeserializeGuard<NetTest>>;

/// Controllers that are wired and not yet running.
pub struct Wired {
    pub tests: Vec<Tests>,
    pub runs: Vec<Runs>,
    pub running: BoxFuture<'static, ()>,
}

impl Debug for Wired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wired").finish_non_exhaustive()
    }
}

/// Wire both controllers for every served namespace. They end when `stop` turns true and the passes under
/// way are through.
pub fn wire(context: &Arc<Context>, stop: &watch::Receiver<bool>) -> Wired {
    let scope = &context.scope;
    let mut all: Vec<BoxFuture<'static, ()>> = Vec::new();
    let mut tests = Vec::new();
    let mut runs = Vec::new();
    let children = scope.apis::<DeserializeGuard<NetTestRun>>();
    for (api, children) in scope.apis().into_iter().zip(children) {
        let controller =
            new_controller::<NetTest>(api, stop).owns(children, watcher::Config::default());
        tests.push(controller.store());
        all.push(drive("NetTest", controller, net_test::reconcile, context));
    }
    let pods = watcher::Config::default().labels(&names::engine_pods_selector());
    for (api, children) in scope.apis().into_iter().zip(scope.apis::<Pod>()) {
        // More than `owns`: a pod that goes also lets others have its nodes.
        let told = context.clone();
        let controller =
            new_controller::<NetTestRun>(api, stop).watches(children, pods.clone(), move |pod| {
                queue::concerned(&pod, || told.unfinished_runs())
            });
        runs.push(controller.store());
        all.push(drive(
            "NetTestRun",
            controller,
            net_test_run::reconcile,
            context,
        ));
    }
    Wired {
        tests,
        runs,
        running: futures::future::join_all(all).map(drop).boxed(),
    }
}

fn new_controller<K>(
    api: kube::Api<DeserializeGuard<K>>,
    stop: &watch::Receiver<bool>,
) -> Controller<DeserializeGuard<K>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + DeserializeOwned
        + Debug
        + Send
        + Sync
        + 'static,
{
    let mut stop = stop.clone();
    Controller::new(api, watcher::Config::default())
        .with_config(Config::default().concurrency(CONCURRENCY))
        .graceful_shutdown_on(async move {
            let _ = stop.wait_for(|stop| *stop).await;
        })
}

fn drive<K, Pass>(
    kind: &'static str,
    controller: Controller<DeserializeGuard<K>>,
    reconcile: impl Fn(Arc<K>, Arc<Context>) -> Pass + Send + Sync + Copy + 'static,
    context: &Arc<Context>,
) -> BoxFuture<'static, ()>
where
    K: Refusable + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
    <K as HasSpec>::Spec: DeserializeOwned,
    <K as HasStatus>::Status: DeserializeOwned + Send,
    Pass: Future<Output = Result<Action, PassError>> + Send + 'static,
{
    let pass = move |guard: Arc<DeserializeGuard<K>>, context: Arc<Context>| async move {
        let _timer = context.metrics.time_reconcile(kind);
        let action = match &guard.0 {
            Ok(object) => caught(reconcile(Arc::new(object.clone()), context.clone())).await?,
            Err(invalid) => {
                tracing::warn!(kind, name = %name(guard.as_ref()), error = %invalid.error, "object does not decode");
                context.metrics.reconcile_failed(kind, "Undecodable");
                let namespace = guard.namespace().unwrap_or_default();
                undecodable::look::<K>(&context, &namespace, &guard.name_any()).await?;
                // A change of the object brings it back here.
                Action::await_change()
            }
        };
        context.backoff.succeeded(&key(guard.as_ref()));
        Ok(action)
    };
    let on_error = move |guard: Arc<DeserializeGuard<K>>,
                         error: &PassError,
                         context: Arc<Context>| {
        context.metrics.reconcile_failed(kind, error.reason());
        let wait = context.backoff.failed(&key(guard.as_ref()));
        tracing::warn!(kind, name = %name(guard.as_ref()), %error, wait = wait.as_secs_f64(), "pass failed");
        Action::requeue(wait)
    };
    let counted = context.clone();
    controller
        .run(pass, on_error, context.clone())
        .for_each(move |outcome| {
            match outcome {
                // Failed passes were logged above.
                Ok(_) | Err(controller::Error::ReconcilerFailed(..)) => {}
                // It was deleted. After a failed pass, the next try ends here, so that the count goes, too.
                Err(controller::Error::ObjectNotFound(gone)) => {
                    let namespace = gone.namespace.as_deref().unwrap_or_default();
                    counted
                        .backoff
                        .succeeded(&key_of(kind, namespace, &gone.name));
                }
                Err(error) => {
                    counted.metrics.reconcile_failed(kind, "Watch");
                    tracing::warn!(kind, %error, "watch");
                }
            }
            std::future::ready(())
        })
        .boxed()
}

/// A panic over one odd object is a failed pass of that object, not the end of the passes over all others.
async fn caught(
    pass: impl Future<Output = Result<Action, PassError>>,
) -> Result<Action, PassError> {
    // What a pass shares with others is behind locks that forgive a panic.
    AssertUnwindSafe(pass)
        .catch_unwind()
        .await
        .unwrap_or(Err(PassError::Panicked))
}

fn name<K: Resource>(object: &K) -> String {
    format!(
        "{}/{}",
        object.namespace().unwrap_or_default(),
        object.name_any()
    )
}

/// By what failures are counted.
fn key<K: Resource<DynamicType = ()>>(object: &K) -> String {
    let namespace = object.namespace().unwrap_or_default();
    key_of(&K::kind(&()), &namespace, &object.name_any())
}

fn key_of(kind: &str, namespace: &str, name: &str) -> String {
    format!("{kind} {namespace}/{name}")
}

/// Whether one of the stores has the object.
pub fn exists(tests: &[Tests], namespace: &str, name: &str) -> bool {
    let reference = ObjectRef::new(name).within(namespace);
    tests.iter().any(|store| store.get(&reference).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_failed_pass() {
        let odd: Vec<i32> = Vec::new();
        let outcome = caught(async move {
            Ok(Action::requeue(std::time::Duration::from_secs(
                odd[0] as u64,
            )))
        });
        assert_eq!(outcome.await.unwrap_err().reason(), "Panicked");
        let well = caught(async { Ok(Action::await_change()) });
        assert_eq!(well.await.unwrap(), Action::await_change());
    }
}
