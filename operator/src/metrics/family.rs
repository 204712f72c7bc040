//! The metric families of results: names, help, labels.

use prometheus::{GaugeVec, Opts};

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
pub enum Family {
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
    pub const ALL: [Family; 10] = [
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

    pub fn gauges(self) -> Result<GaugeVec, prometheus::Error> {
        GaugeVec::new(Opts::new(self.name(), self.help()), &self.labels())
    }
}
