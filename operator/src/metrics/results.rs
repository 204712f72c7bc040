//! Gauges of each test's latest finished run. They are kept as plain samples by test and turned into
//! families at the scrape, so a test's series change all at once and none can be left over.

use super::{
    family::Family,
    figures::{self, Figures},
    lock,
    samples::{Finished, RunKey, Sample, TestKey, of_test},
};
use prometheus::{Registry, TextEncoder};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// What is shown of a test.
#[derive(Debug)]
struct Shown {
    run: RunKey,
    test: Vec<Sample>,
    figures: Arc<[Sample]>,
}

#[derive(Debug)]
pub struct Results {
    shown: Mutex<BTreeMap<TestKey, Arc<Shown>>>,
    /// By the names of the common iperf3 exporter, too.
    exporter: bool,
}

impl Results {
    /// Errors: a family that Prometheus would not have.
    pub fn new(exporter: bool) -> Result<Results, prometheus::Error> {
        for family in Family::ALL {
            family.gauges()?;
        }
        Ok(Results {
            shown: Mutex::default(),
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
        let figures = figures
            .map(|figures| figures::of_run(&key, figures, self.exporter.then_some(finished.port)));
        let mut all = lock(&self.shown);
        let before = all.remove(&key).filter(|shown| shown.run == run);
        let figures = figures
            .map(Arc::from)
            .or_else(|| before.map(|shown| shown.figures.clone()));
        let shown = Shown {
            run,
            test,
            figures: figures.unwrap_or_else(|| Arc::from([])),
        };
        all.insert(key, Arc::new(shown));
    }

    pub fn forget(&self, key: &TestKey) {
        lock(&self.shown).remove(key);
    }

    pub fn retain(&self, keep: impl Fn(&TestKey) -> bool) {
        lock(&self.shown).retain(|key, _| keep(key));
    }

    /// Appends what a scrape gets, one family after the other: as the library's gauges a sample takes about 4 KiB, so of tens
    /// of thousands only one family's are in memory at a time. Publishing goes on meanwhile.
    pub fn encode(&self, out: &mut String) -> Result<(), prometheus::Error> {
        let shown: Vec<Arc<Shown>> = lock(&self.shown).values().cloned().collect();
        let samples = || {
            shown
                .iter()
                .flat_map(|s| s.test.iter().chain(s.figures.iter()))
        };
        let mut families = Family::ALL;
        families.sort_unstable_by_key(|family| family.name());
        for family in families {
            let gauges = family.gauges()?;
            for sample in samples().filter(|sample| sample.family == family) {
                gauges
                    .get_metric_with_label_values(&sample.labels)?
                    .set(sample.value);
            }
            // It sorts, and leaves out a family without samples.
            let registry = Registry::new();
            registry.register(Box::new(gauges))?;
            TextEncoder::new().encode_utf8(&registry.gather(), out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
