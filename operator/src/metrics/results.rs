//! Gauges of each test's latest finished run. They are kept as plain samples by test and turned into
//! families at the scrape, so a test's series change all at once and none can be left over.

use super::{
    family::Family,
    lock,
    samples::{Finished, Sample, TestKey, samples},
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

/// The collector.
#[derive(Clone)]
pub struct Results {
    descriptions: Arc<Vec<GaugeVec>>,
    samples: Arc<Mutex<BTreeMap<TestKey, Vec<Sample>>>>,
}

impl Results {
    pub fn new() -> Result<Results, prometheus::Error> {
        let descriptions = Family::ALL
            .into_iter()
            .map(Family::gauges)
            .collect::<Result<_, _>>()?;
        Ok(Results {
            descriptions: Arc::new(descriptions),
            samples: Arc::default(),
        })
    }

    pub fn publish(&self, key: TestKey, finished: &Finished<'_>) {
        let samples = samples(&key, finished);
        lock(&self.samples).insert(key, samples);
    }

    pub fn forget(&self, key: &TestKey) {
        lock(&self.samples).remove(key);
    }

    pub fn retain(&self, keep: impl Fn(&TestKey) -> bool) {
        lock(&self.samples).retain(|key, _| keep(key));
    }

    fn families(&self) -> Result<Vec<MetricFamily>, prometheus::Error> {
        let gauges = Family::ALL
            .into_iter()
            .map(|family| Ok((family, family.gauges()?)))
            .collect::<Result<BTreeMap<_, _>, prometheus::Error>>()?;
        for sample in lock(&self.samples).values().flatten() {
            if let Some(gauge) = gauges.get(&sample.family) {
                gauge
                    .get_metric_with_label_values(&sample.labels)?
                    .set(sample.value);
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
mod tests {
    use crate::metrics::{Finished, Metrics, TestKey};
    use nettest_api::{NetTest, result::Verdict};

    const MEASURED: &str = r#"
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: rack, namespace: default}
spec: {}
status:
  verdict: Passed
  lastRunTime: "2026-11-30T16:00:00Z"
  pair: {client: {node: node1}, server: {node: node2}}
  thresholds: [{name: line-rate, met: true, message: m}]
  results:
  - variant: tcp
    flow: ClientToServer
    throughput: 191 Mbit/s
    throughputBitsPerSecond: {median: 191000000, min: 190000000, max: 192000000, spreadPercent: 1}
    senderBitsPerSecond: 191100000
    receiverBitsPerSecond: 191000000
    sentBytes: 1
    receivedBytes: 1
    retransmits: 0
    rttMicroseconds: 250
    clientCPUMilli: 120
    repeats: 3
"#;

    fn key(name: &str) -> TestKey {
        TestKey {
            namespace: "default".into(),
            name: name.into(),
        }
    }

    fn publish(metrics: &Metrics, manifest: &str) {
        let test: NetTest = serde_yaml::from_str(manifest).unwrap();
        let status = test.status.unwrap();
        let finished = Finished {
            pair: status.pair.as_ref(),
            results: &status.results,
            thresholds: &status.thresholds,
            verdict: status.verdict.unwrap(),
            finished: status.last_run_time.map(|time| time.0),
            last_success: None,
        };
        metrics.publish(key(&test.metadata.name.unwrap()), &finished);
    }

    fn of_tests(metrics: &Metrics) -> Vec<String> {
        let text = metrics.render().unwrap();
        let lines = text
            .lines()
            .filter(|line| line.contains("nettest_namespace="));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn bytes_seconds_and_ratios_are_shown_and_the_unknown_is_absent() {
        let metrics = Metrics::new().unwrap();
        publish(&metrics, MEASURED);
        let pair = r#"client_node="node1",direction="ClientToServer",nettest="rack",nettest_namespace="default",path="PodIP",protocol="TCP""#;
        let end = r#"server_node="node2""#;
        let expected = [
            format!(r#"nettest_engine_cpu_seconds_per_second{{{pair},role="client",{end},variant="tcp"}} 0.12"#),
            r#"nettest_last_run_timestamp_seconds{nettest="rack",nettest_namespace="default"} 1796054400"#.to_owned(),
            format!(r#"nettest_retransmits{{{pair},{end},variant="tcp"}} 0"#),
            format!(r#"nettest_round_trip_seconds{{{pair},{end},variant="tcp"}} 0.00025"#),
            r#"nettest_success{nettest="rack",nettest_namespace="default"} 1"#.to_owned(),
            r#"nettest_threshold_met{nettest="rack",nettest_namespace="default",threshold="line-rate"} 1"#.to_owned(),
            format!(r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="max",variant="tcp"}} 24000000"#),
            format!(r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="median",variant="tcp"}} 23875000"#),
            format!(r#"nettest_throughput_bytes_per_second{{{pair},{end},stat="min",variant="tcp"}} 23750000"#),
        ];
        assert_eq!(of_tests(&metrics), expected);
    }

    #[test]
    fn a_run_that_was_not_measured_has_no_figures() {
        let metrics = Metrics::new().unwrap();
        publish(&metrics, MEASURED);
        let error = Finished {
            pair: None,
            results: &[],
            thresholds: &[],
            verdict: Verdict::Error,
            finished: None,
            last_success: None,
        };
        metrics.publish(key("rack"), &error);
        assert_eq!(
            of_tests(&metrics),
            [r#"nettest_success{nettest="rack",nettest_namespace="default"} 0"#]
        );
    }

    #[test]
    fn series_go_with_the_object() {
        let metrics = Metrics::new().unwrap();
        publish(&metrics, MEASURED);
        publish(&metrics, &MEASURED.replace("rack", "other"));
        metrics.forget(&key("rack"));
        assert!(of_tests(&metrics).iter().all(|line| line.contains("other")));
        // Nobody told us of the deletion: the object is absent, so are its series.
        metrics.before_scrape(|metrics| metrics.retain(|_| false));
        assert_eq!(of_tests(&metrics), [""; 0]);
    }
}
