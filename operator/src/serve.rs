//! `nettest-operator run`: the process from start to end.

use crate::{
    admin::{Admin, AdminError, Ready},
    barrier::Barrier,
    cli::RunArgs,
    client::{self, ConnectError, call},
    controller::{
        self,
        backoff::Backoff,
        context::{Context, LOGS},
    },
    events::Events,
    leader::Election,
    ledgers::Ledgers,
    metrics::{Metrics, Queue},
    random::{self, RandomError},
    scope::Scope,
    signals,
    telemetry::{self, TelemetryError},
};
use kube::{api::ListParams, core::DeserializeGuard};
use nettest_api::{NetTest, NetTestRun};
use nettest_core::{pod::EngineConfig, policy::PolicyError};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::{Semaphore, watch};

/// Passes under way may take this long to end: the chart gives the pod 15 s. Being killed in one is harmless.
const SHUTDOWN: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("metrics cannot be set up: {0}")]
    Metrics(#[from] prometheus::Error),
    #[error("signals cannot be received: {0}")]
    Signals(#[source] std::io::Error),
    #[error(transparent)]
    Random(#[from] RandomError),
    #[error("leadership is lost: this replica ends, so that it cannot act beside the new leader")]
    LeadershipLost,
    #[error("the controllers ended by themselves")]
    ControllersEnded,
}

/// Run until a signal ends it.
pub async fn serve(args: RunArgs) -> Result<(), ServeError> {
    telemetry::start(args.log_format, &args.log)?;
    // A mistake in it ends every replica at once, not the one that leads some day.
    let policy = args.policy.policy(&args.namespace)?;
    let stop = signals::stop_on_signals().map_err(ServeError::Signals)?;
    let metrics = Arc::new(Metrics::new(args.iperf3_exporter_names)?);
    let ready = Ready::default();
    let admin = Admin::bind(args.admin_address, metrics.clone(), ready.clone()).await?;
    tokio::spawn(admin.serve());
    tracing::info!(version = env!("CARGO_PKG_VERSION"), image = %args.engine_image, admin = %args.admin_address, "nettest-operator");

    let scope = Scope::new(client::connect().await?, args.served_namespaces());
    if !until_stopped(&stop, kinds_are_served(&scope)).await {
        return Ok(());
    }
    ready.set(true);

    let identity = args.identity(&random::distinction()?);
    let election = args
        .leader_elect
        .then(|| Election::new(scope.client().clone(), &args.namespace, identity.clone()));
    if let Some(election) = &election {
        tracing::info!(identity, "waiting for leadership");
        if !until_stopped(&stop, election.won()).await {
            return Ok(());
        }
    }
    tracing::info!("leading");
    metrics.leads(true);
    let context = Arc::new(Context {
        events: Events::new(scope.client().clone(), identity),
        policy,
        engine: engine_config(&args),
        metrics,
        scope,
        barrier: Barrier::default(),
        ledgers: Ledgers::default(),
        backoff: Backoff::default(),
        logs: Semaphore::new(LOGS),
        runs: OnceLock::new(),
    });
    lead(context, election, stop).await
}

/// Run the controllers while we lead.
async fn lead(
    context: Arc<Context>,
    election: Option<Election>,
    stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let wired = controller::wire(&context, &stop);
    let _ = context.runs.set(wired.runs);
    let tests = wired.tests;
    let seen = Arc::downgrade(&context);
    context.metrics.before_scrape(move |metrics| {
        metrics.retain(|key| controller::exists(&tests, &key.namespace, &key.name));
        if let Some(context) = seen.upgrade() {
            let unfinished = context.unfinished_runs();
            let runs = unfinished.iter().filter_map(|run| run.0.as_ref().ok());
            metrics.queue(Queue::of(runs));
        }
    });

    // The lease is given back only after the controllers are through.
    let (done, release) = watch::channel(false);
    let leadership = async {
        match &election {
            Some(election) => election.keep(release).await,
            None => std::future::pending().await,
        }
    };
    let working = async {
        let mut running = wired.running;
        let mut stopping = stop.clone();
        let outcome = tokio::select! {
            () = &mut running => if *stop.borrow() { Ok(()) } else { Err(ServeError::ControllersEnded) },
            _ = stopping.wait_for(|stop| *stop) => {
                if tokio::time::timeout(SHUTDOWN, &mut running).await.is_err() {
                    tracing::warn!("passes under way did not end in {} s", SHUTDOWN.as_secs());
                }
                Ok(())
            }
        };
        done.send_replace(true);
        outcome
    };
    tokio::pin!(leadership);
    tokio::select! {
        biased;
        () = &mut leadership => return Err(ServeError::LeadershipLost),
        outcome = working => outcome?,
    }
    if election.is_some() {
        leadership.await;
    }
    tracing::info!("ended");
    Ok(())
}

fn engine_config(args: &RunArgs) -> EngineConfig {
    EngineConfig {
        image: args.engine_image.clone(),
        image_pull_policy: Some(args.pull_policy.as_str().to_owned()),
        image_pull_secrets: args.pull_secrets(),
        priority_class: None,
    }
}

/// Wait until the API server serves our kinds, and say what is missing meanwhile.
async fn kinds_are_served(scope: &Scope) {
    loop {
        let one = ListParams::default().limit(1);
        let asked = async {
            for api in scope.apis::<DeserializeGuard<NetTest>>() {
                call("list NetTests", api.list(&one)).await?;
            }
            for api in scope.apis::<DeserializeGuard<NetTestRun>>() {
                call("list NetTestRuns", api.list(&one)).await?;
            }
            Ok(())
        };
        match asked.await {
            Ok(()) => return,
            Err(error) if client::CallError::is_not_found(&error) => {
                tracing::warn!(
                    "the kinds are not installed: apply crds/ (nettest-operator crd prints them)"
                );
            }
            Err(error) => tracing::warn!(%error, "waiting for the API server"),
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}

/// Whether the work ended before the process was asked to.
async fn until_stopped(stop: &watch::Receiver<bool>, work: impl Future<Output = ()>) -> bool {
    let mut stop = stop.clone();
    tokio::select! {
        biased;
        _ = stop.wait_for(|stop| *stop) => false,
        () = work => true,
    }
}
