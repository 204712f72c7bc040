//! Gauges of each test's latest finished run. They are kept as plain samples by test and turned into
//! families at the scrape, so a test's series change all at once and none can be left over.

use super::lock;
use jiff::Timestamp;
use nettest_api::{
    NetTestSpec,
    path::PathKind,
    result::{Flow, PairStatus, ThresholdResult, VariantResult, Verdict},
    traffic::Protocol,
};
use prometheus::{
    GaugeVec, Opts,
    core::{Collector, Desc},
    proto::MetricFamily,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// Which NetTest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestKey {
    pub namespace: String,
    pub name: String,
}

/// What a finished run tells.
#[derive(Debug, Clone, Copy)]
pub struct Finished<'a> {
    pub spec: &'a NetTestSpec,
    pub pair: Option<&'a PairStatus>,
    pub results: &'a [VariantResult],
    pub thresholds: &'a [ThresholdResult],
    pub verdict: Verdict,
    pub finished: Option<Timestamp>,
    /// When the test last passed, this run or an earlier one.
    pub last_success: Option<Timestamp>,
}

/// Labels of every measured figure; a family may add one.
const LABELS: [&str; 8] = [
    "nettest_namespace",
    "nettest",
    "variant",
    "protocol",
    "path",
    "direction",
    "client_node",
    "server_node",
];
/// Labels of a fact about the test as a whole.
const TEST_LABELS: [&str; 2] = ["nettest_namespace", "nettest"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Throughput,
    Retransmits,
    RoundTrip,
    Loss,
    Jitter,
    EngineCpu,
    Success,
    ThresholdMet,
    LastRun,
    LastSuccess,
}

impl Family {
    const ALL: [Family; 10] = [
        Family::Throughput,
        Family::Retransmits,
        Family::RoundTrip,
        Family::Loss,
        Family::Jitter,
        Family::EngineCpu,
        Family::Success,
        Family::ThresholdMet,
        Family::LastRun,
        Family::LastSuccess,
    ];

    const fn name(self) -> &'static str {
        match self {
            Family::Throughput => "nettest_throughput_bytes_per_second",
            Family::Retransmits => "nettest_retransmits",
            Family::RoundTrip => "nettest_round_trip_seconds",
            Family::Loss => "nettest_datagram_loss_ratio",
            Family::Jitter => "nettest_jitter_seconds",
            Family::EngineCpu => "nettest_engine_cpu_seconds_per_second",
            Family::Success => "nettest_success",
            Family::ThresholdMet => "nettest_threshold_met",
            Family::LastRun => "nettest_last_run_timestamp_seconds",
            Family::LastSuccess => "nettest_last_success_timestamp_seconds",
        }
    }

    const fn help(self) -> &'static str {
        match self {
            Family::Throughput => {
                "Bytes that the receiver got each second, of the repeats of the latest finished run."
            }
            Family::Retransmits => "TCP segments sent again in the median repeat.",
            Family::RoundTrip => "Mean smoothed TCP round-trip time in the median repeat.",
            Family::Loss => "Share of the datagrams that the receiver missed in the median repeat.",
            Family::Jitter => "Jitter of the datagrams (RFC 1889) in the median repeat.",
            Family::EngineCpu => "CPU that an engine used in the median repeat.",
            Family::Success => {
                "1 when the latest finished run was measured and met its thresholds."
            }
            Family::ThresholdMet => "1 when the latest finished run met the threshold.",
            Family::LastRun => "When the latest finished run ended.",
            Family::LastSuccess => "When the latest passed run ended.",
        }
    }

    /// The label that this family adds.
    const fn extra(self) -> Option<&'static str> {
        match self {
            Family::Throughput => Some("stat"),
            Family::EngineCpu => Some("role"),
            Family::ThresholdMet => Some("threshold"),
            _ => None,
        }
    }

    fn labels(self) -> Vec<&'static str> {
        let base: &[&str] = match self {
            Family::Throughput
            | Family::Retransmits
            | Family::RoundTrip
            | Family::Loss
            | Family::Jitter
            | Family::EngineCpu => &LABELS,
            Family::Success | Family::ThresholdMet | Family::LastRun | Family::LastSuccess => {
                &TEST_LABELS
            }
        };
        base.iter().copied().chain(self.extra()).collect()
    }

    fn gauges(self) -> Result<GaugeVec, prometheus::Error> {
        GaugeVec::new(Opts::new(self.name(), self.help()), &self.labels())
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Sample {
    family: Family,
    labels: Vec<String>,
    value: f64,
}

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

/// Absent rather than 0 where a figure is unknown.
fn samples(key: &TestKey, finished: &Finished<'_>) -> Vec<Sample> {
    let Finished {
        spec,
        pair,
        results,
        thresholds,
        verdict,
        finished,
        last_success,
    } = *finished;
    let mut out = Vec::new();
    let test = |extra: Option<&str>| -> Vec<String> {
        [key.namespace.as_str(), key.name.as_str()]
            .into_iter()
            .chain(extra)
            .map(str::to_owned)
            .collect()
    };
    let mut add = |family, labels, value| {
        out.push(Sample {
            family,
            labels,
            value,
        });
    };
    let ok = |met: bool| if met { 1.0 } else { 0.0 };

    add(Family::Success, test(None), ok(verdict == Verdict::Passed));
    for threshold in thresholds {
        add(
            Family::ThresholdMet,
            test(Some(&threshold.name)),
            ok(threshold.met),
        );
    }
    if let Some(time) = finished {
        add(Family::LastRun, test(None), seconds(time));
    }
    if let Some(time) = last_success {
        add(Family::LastSuccess, test(None), seconds(time));
    }

    for result in results {
        let figure = |extra: Option<&str>| -> Vec<String> {
            [
                key.namespace.as_str(),
                key.name.as_str(),
                result.variant.as_str(),
                protocol(spec.traffic.protocol),
                path(spec),
                direction(result.flow),
                pair.map_or("", |pair| pair.client.node.as_str()),
                pair.map_or("", |pair| pair.server.node.as_str()),
            ]
            .into_iter()
            .chain(extra)
            .map(str::to_owned)
            .collect()
        };
        let spread = &result.throughput_bits_per_second;
        for (stat, bits) in [
            ("median", spread.median),
            ("min", spread.min),
            ("max", spread.max),
        ] {
            add(Family::Throughput, figure(Some(stat)), float(bits) / 8.0);
        }
        if let Some(count) = result.retransmits {
            add(Family::Retransmits, figure(None), float(count));
        }
        if let Some(micros) = result.rtt_microseconds {
            add(Family::RoundTrip, figure(None), float(micros) / 1e6);
        }
        if let Some(ppm) = result.loss_ppm {
            add(Family::Loss, figure(None), float(ppm) / 1e6);
        }
        if let Some(micros) = result.jitter_microseconds {
            add(Family::Jitter, figure(None), float(micros) / 1e6);
        }
        for (role, milli) in [
            ("client", result.client_cpu_milli),
            ("server", result.server_cpu_milli),
        ] {
            if let Some(milli) = milli {
                add(Family::EngineCpu, figure(Some(role)), float(milli) / 1e3);
            }
        }
    }
    out
}

/// The API keeps its integers below 2^53.
#[allow(clippy::cast_precision_loss)]
fn float(number: i64) -> f64 {
    number as f64
}

fn seconds(time: Timestamp) -> f64 {
    float(time.as_millisecond()) / 1e3
}

const fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::TCP => "TCP",
        Protocol::UDP => "UDP",
    }
}

const fn direction(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "ClientToServer",
        Flow::ServerToClient => "ServerToClient",
    }
}

const fn path(spec: &NetTestSpec) -> &'static str {
    match spec.path.kind {
        PathKind::PodIP => "PodIP",
        PathKind::Host => "Host",
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
            spec: &test.spec,
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
            spec: &nettest_api::NetTestSpec::default(),
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
