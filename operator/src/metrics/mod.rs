//! Prometheus metrics: [`results`] are gauges of each NetTest's latest finished run ([`family`]; the test as a whole in
//! [`samples`], its pairs in [`figures`] and [`over_pairs`]), [`queue`] is of the runs that go on, [`Metrics`] has those and
//! the operator's own. Base units only: promtool refuses bits.

mod family;
mod figures;
mod over_pairs;
mod queue;
mod results;
mod samples;

pub use figures::Figures;
use prometheus::{
    Gauge, GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec,
    Opts, Registry, TextEncoder,
};
pub use queue::Queue;
use results::Results;
pub use samples::{Finished, RunKey, TestKey};
use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

/// Brings the metrics up to date just before a scrape.
type Hook = Arc<dyn Fn(&Metrics) + Send + Sync>;

/// All metrics of this process.
pub struct Metrics {
    registry: Registry,
    results: Results,
    hook: Mutex<Option<Hook>>,
    runs: IntCounterVec,
    run_duration: Histogram,
    reconcile_duration: HistogramVec,
    reconcile_errors: IntCounterVec,
    pending: IntGauge,
    unfinished: IntGaugeVec,
    oldest_queued: GaugeVec,
    leader: Gauge,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// How a run ended, for `nettest_runs_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunResult {
    Passed,
    Failed,
    Error,
}

impl RunResult {
    const ALL: [RunResult; 3] = [RunResult::Passed, RunResult::Failed, RunResult::Error];

    const fn as_str(self) -> &'static str {
        match self {
            RunResult::Passed => "passed",
            RunResult::Failed => "failed",
            RunResult::Error => "error",
        }
    }
}

impl From<nettest_api::result::Verdict> for RunResult {
    fn from(verdict: nettest_api::result::Verdict) -> Self {
        use nettest_api::result::Verdict;
        match verdict {
            Verdict::Passed => RunResult::Passed,
            Verdict::Failed => RunResult::Failed,
            Verdict::Error => RunResult::Error,
        }
    }
}

impl Metrics {
    /// `exporter`: results by the names of the common iperf3 exporter, too.
    pub fn new(exporter: bool) -> Result<Metrics, prometheus::Error> {
        let registry = Registry::new();
        let results = Results::new(exporter)?;
        let runs = IntCounterVec::new(
            Opts::new("nettest_runs_total", "Runs that ended, by how they ended."),
            &["result"],
        )?;
        for result in RunResult::ALL {
            runs.with_label_values(&[result.as_str()]);
        }
        let run_duration = Histogram::with_opts(
            HistogramOpts::new(
                "nettest_run_duration_seconds",
                "From the first sight of a run to its end, waiting included.",
            )
            .buckets(vec![
                5., 10., 20., 30., 60., 120., 300., 600., 1800., 3600., 14400., 86400.,
            ]),
        )?;
        let reconcile_duration = HistogramVec::new(
            HistogramOpts::new(
                "nettest_reconcile_duration_seconds",
                "Time of one pass over an object.",
            )
            .buckets(vec![0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1., 2.5, 5., 20.]),
            &["kind"],
        )?;
        let reconcile_errors = IntCounterVec::new(
            Opts::new(
                "nettest_reconcile_errors_total",
                "Passes that failed and are tried again.",
            ),
            &["kind", "reason"],
        )?;
        let pending = IntGauge::new(
            "nettest_pending_pairs",
            "Pairs that are waiting to be measured or being measured.",
        )?;
        let unfinished = IntGaugeVec::new(
            Opts::new(
                "nettest_unfinished_runs",
                "Runs that have not ended: queued for nodes, waiting for their pods, running.",
            ),
            &["state"],
        )?;
        let oldest_queued = GaugeVec::new(
            Opts::new(
                "nettest_oldest_queued_run_timestamp_seconds",
                "When the first of the queued runs was made; absent while none is queued.",
            ),
            &[],
        )?;
        let leader = Gauge::new("nettest_leader", "1 on the replica that leads.")?;
        let build_info = IntGaugeVec::new(
            Opts::new(
                "nettest_build_info",
                "Constant 1; the version is the label.",
            ),
            &["version"],
        )?;
        build_info
            .with_label_values(&[env!("CARGO_PKG_VERSION")])
            .set(1);

        registry.register(Box::new(runs.clone()))?;
        registry.register(Box::new(run_duration.clone()))?;
        registry.register(Box::new(reconcile_duration.clone()))?;
        registry.register(Box::new(reconcile_errors.clone()))?;
        registry.register(Box::new(pending.clone()))?;
        registry.register(Box::new(unfinished.clone()))?;
        registry.register(Box::new(oldest_queued.clone()))?;
        registry.register(Box::new(leader.clone()))?;
        registry.register(Box::new(build_info))?;
        registry.register(Box::new(
            prometheus::process_collector::ProcessCollector::for_self(),
        ))?;
        Ok(Metrics {
            registry,
            results,
            hook: Mutex::default(),
            runs,
            run_duration,
            reconcile_duration,
            reconcile_errors,
            pending,
            unfinished,
            oldest_queued,
            leader,
        })
    }

    /// The text that a scrape gets.
    pub fn render(&self) -> Result<String, prometheus::Error> {
        let hook = lock(&self.hook).clone();
        if let Some(hook) = hook {
            hook(self);
        }
        let mut text = TextEncoder::new().encode_to_string(&self.registry.gather())?;
        let own = text.len();
        if let Err(error) = self.results.encode(&mut text) {
            tracing::error!(%error, "result metrics cannot be collected");
            text.truncate(own);
        }
        Ok(text)
    }

    /// Run this at each scrape, before it is answered.
    pub fn before_scrape(&self, hook: impl Fn(&Metrics) + Send + Sync + 'static) {
        *lock(&self.hook) = Some(Arc::new(hook));
    }

    /// Keep only the series of tests that `exists` knows. There are no finalizers, so a deletion is noticed
    /// by the object's absence.
    pub fn retain(&self, exists: impl Fn(&TestKey) -> bool) {
        self.results.retain(exists);
    }

    /// Show a test's latest finished run in place of what was shown before.
    /// Without figures those stay that are shown of this run.
    pub fn publish(
        &self,
        key: TestKey,
        run: RunKey,
        finished: &Finished<'_>,
        figures: Option<Figures<'_>>,
    ) {
        self.results.publish(key, run, finished, figures);
    }

    /// Whether the figures of this very run are shown.
    pub fn shows(&self, key: &TestKey, run: &RunKey) -> bool {
        self.results.shows(key, run)
    }

    /// Drop a test's series.
    pub fn forget(&self, key: &TestKey) {
        self.results.forget(key);
    }

    pub fn run_ended(&self, result: RunResult, seconds: Option<f64>) {
        self.runs.with_label_values(&[result.as_str()]).inc();
        if let Some(seconds) = seconds {
            self.run_duration.observe(seconds.max(0.0));
        }
    }

    pub fn queue(&self, queue: Queue) {
        let Queue {
            pairs,
            queued,
            waiting,
            running,
            oldest_queued,
        } = queue;
        self.pending.set(pairs);
        for (state, runs) in [
            ("queued", queued),
            ("waiting", waiting),
            ("running", running),
        ] {
            self.unfinished.with_label_values(&[state]).set(runs);
        }
        match oldest_queued {
            Some(time) => {
                let no_labels: [&str; 0] = [];
                let gauge = self.oldest_queued.with_label_values(&no_labels);
                gauge.set(samples::seconds(time));
            }
            None => self.oldest_queued.reset(),
        }
    }

    pub fn leads(&self, leads: bool) {
        self.leader.set(if leads { 1.0 } else { 0.0 });
    }

    pub fn reconcile_failed(&self, kind: &'static str, reason: &'static str) {
        self.reconcile_errors
            .with_label_values(&[kind, reason])
            .inc();
    }

    /// Measures a pass until dropped, so that no way out forgets it.
    pub fn time_reconcile(&self, kind: &'static str) -> ReconcileTimer {
        ReconcileTimer {
            histogram: self.reconcile_duration.with_label_values(&[kind]),
            start: Instant::now(),
        }
    }
}

#[derive(Debug)]
pub struct ReconcileTimer {
    histogram: Histogram,
    start: Instant,
}

impl Drop for ReconcileTimer {
    fn drop(&mut self) {
        self.histogram.observe(self.start.elapsed().as_secs_f64());
    }
}

/// A panic elsewhere must not end the metrics: what the lock guards is replaced whole, never half-written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_own_metrics_exist_from_the_start() {
        let metrics = Metrics::new(false).unwrap();
        metrics.leads(true);
        metrics.run_ended(RunResult::Failed, Some(12.0));
        drop(metrics.time_reconcile("NetTest"));
        metrics.reconcile_failed("NetTest", "Timeout");
        let text = metrics.render().unwrap();
        for line in [
            "nettest_runs_total{result=\"passed\"} 0",
            "nettest_runs_total{result=\"failed\"} 1",
            "nettest_run_duration_seconds_count 1",
            "nettest_reconcile_duration_seconds_count{kind=\"NetTest\"} 1",
            "nettest_reconcile_errors_total{kind=\"NetTest\",reason=\"Timeout\"} 1",
            "nettest_leader 1",
            "process_open_fds",
        ] {
            assert!(text.contains(line), "no {line} in\n{text}");
        }
    }
}
