//! Gauges of each test's latest finished run. They are kept as plain samples by test and turned into
//! families at the scrape, so a test's series change all at once and none can be left over.

use super::{
    family::Family,
    figures::{self, Figures},
    lock,
    samples::{Finished, RunKey, Sample, TestKey, of_test},
};
use prometheus::{
    GaugeVec,
    core::{Collector, Desc},
    proto::MetricFamily,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// What is shown of a test.
#[derive(Debug)]
struct Shown {
    run: RunKey,
    test: Vec<Sample>,
    figures: Vec<Sample>,
}

/// The collector.
#[derive(Clone)]
pub struct Results {
    descriptions: Arc<Vec<GaugeVec>>,
    shown: Arc<Mutex<BTreeMap<TestKey, Shown>>>,
    /// By the names of the common iperf3 exporter, too.
    exporter: bool,
}

impl Results {
    pub fn new(exporter: bool) -> Result<Results, prometheus::Error> {
        let descriptions = Family::ALL
            .into_iter()
            .map(Family::gauges)
            .collect::<Result<_, _>>()?;
        Ok(Results {
            descriptions: Arc::new(descriptions),
            shown: Arc::default(),
            exporter,
        })
    }

    /// Whether the figures of this very run are shown.
    pub fn shows(&self, key: &TestKey, run: &RunKey) -> bool {
        lock(&self.shown)
            .get(key)
            .is_some_and(|shown| shown.run == *run)
    }

    /// `None`: its figures are those that are shown, if they are of this run.
    pub fn publish(
        &self,
        key: TestKey,
        run: RunKey,
        finished: &Finished<'_>,
        figures: Option<Figures<'_>>,
    ) {
        let test = of_test(&key, finished);
        let figures = figures.map(|figures| figures::of_run(&key, figures, self.exporter));
        let mut all = lock(&self.shown);
        let before = all.remove(&key).filter(|shown| shown.run == run);
        let figures = figures.or_else(|| before.map(|shown| shown.figures));
        let shown = Shown {
            run,
            test,
            figures: figures.unwrap_or_default(),
        };
        all.insert(key, shown);
    }

    pub fn forget(&self, key: &TestKey) {
        lock(&self.shown).remove(key);
    }

    pub fn retain(&self, keep: impl Fn(&TestKey) -> bool) {
        lock(&self.shown).retain(|key, _| keep(key));
    }

    fn families(&self) -> Result<Vec<MetricFamily>, prometheus::Error> {
        let gauges = Family::ALL
            .into_iter()
            .map(|family| Ok((family, family.gauges()?)))
            .collect::<Result<BTreeMap<_, _>, prometheus::Error>>()?;
        for shown in lock(&self.shown).values() {
            for sample in shown.test.iter().chain(&shown.figures) {
                if let Some(gauge) = gauges.get(&sample.family) {
                    gauge
                        .get_metric_with_label_values(&sample.labels)?
                        .set(sample.value);
                }
            }
        }
        Ok(gauges.values().flat_map(Collector::collect).collect())
    }
}

impl Collector for Results {
    fn desc(&self) -> Vec<&Desc> {
        self.descriptions.iter().flat_map(Collector::desc).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        self.families().unwrap_or_else(|error| {
            tracing::error!(%error, "result metrics cannot be collected");
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests;
