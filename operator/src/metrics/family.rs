//! The metric families of results: names, help, labels.

use prometheus::{GaugeVec, Opts};

/// Labels of every measured figure of a pair; a family may add one.
const PAIR: [&str; 10] = [
    "nettest_namespace",
    "nettest",
    "variant",
    "protocol",
    "path",
    "direction",
    "client_node",
    "server_node",
    "client_zone",
    "server_zone",
];
/// Of figures over the pairs of a node.
const NODE: [&str; 6] = [
    "nettest_namespace",
    "nettest",
    "variant",
    "direction",
    "node",
    "role",
];
/// Of figures over all pairs.
const PAIRS: [&str; 4] = ["nettest_namespace", "nettest", "variant", "direction"];
/// Of figures over the pairs of two zones.
const ZONES: [&str; 6] = [
    "nettest_namespace",
    "nettest",
    "variant",
    "direction",
    "client_zone",
    "server_zone",
];
/// Of a fact about the test as a whole.
const TEST: [&str; 2] = ["nettest_namespace", "nettest"];
/// Of the figures that the common iperf3 exporter names; its own are the last two.
const EXPORTER: [&str; 7] = [
    "nettest_namespace",
    "nettest",
    "variant",
    "direction",
    "client_node",
    "target",
    "port",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Throughput,
    Retransmits,
    RoundTripMean,
    RoundTrip,
    Loss,
    Jitter,
    Datagrams,
    EngineCpu,
    PairsThroughput,
    NodeThroughput,
    ZoneThroughput,
    Pairs,
    Suspect,
    Success,
    ThresholdMet,
    LastRun,
    LastSuccess,
    NextRun,
    ExporterUp,
    ExporterSentSeconds,
    ExporterSentBytes,
    ExporterReceivedSeconds,
    ExporterReceivedBytes,
    ExporterRetransmits,
}

/// What a family is called, says, and has as labels.
struct Definition {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    extra: &'static [&'static str],
}

impl Family {
    pub const ALL: [Family; 24] = [
        Family::Throughput,
        Family::Retransmits,
        Family::RoundTripMean,
        Family::RoundTrip,
        Family::Loss,
        Family::Jitter,
        Family::Datagrams,
        Family::EngineCpu,
        Family::PairsThroughput,
        Family::NodeThroughput,
        Family::ZoneThroughput,
        Family::Pairs,
        Family::Suspect,
        Family::Success,
        Family::ThresholdMet,
        Family::LastRun,
        Family::LastSuccess,
        Family::NextRun,
        Family::ExporterUp,
        Family::ExporterSentSeconds,
        Family::ExporterSentBytes,
        Family::ExporterReceivedSeconds,
        Family::ExporterReceivedBytes,
        Family::ExporterRetransmits,
    ];

    const fn definition(self) -> Definition {
        let (name, help, labels, extra): (_, _, &'static [_], &'static [_]) = match self {
            Family::Throughput => (
                "nettest_throughput_bytes_per_second",
                "Bytes that the receiver got each second, over the repeats of the latest finished run.",
                &PAIR,
                &["stat"],
            ),
            Family::Retransmits => (
                "nettest_retransmits",
                "TCP segments sent again in the median repeat.",
                &PAIR,
                &[],
            ),
            Family::RoundTripMean => (
                "nettest_round_trip_mean_seconds",
                "Mean smoothed TCP round-trip time in the median repeat.",
                &PAIR,
                &[],
            ),
            Family::RoundTrip => (
                "nettest_round_trip_seconds",
                "Quantiles of the smoothed TCP round-trip time over the intervals of the median repeat.",
                &PAIR,
                &["stat"],
            ),
            Family::Loss => (
                "nettest_datagram_loss_ratio",
                "Share of the datagrams that the receiver missed in the median repeat.",
                &PAIR,
                &[],
            ),
            Family::Jitter => (
                "nettest_jitter_seconds",
                "Jitter of the datagrams (RFC 1889) in the median repeat.",
                &PAIR,
                &[],
            ),
            Family::Datagrams => (
                "nettest_datagrams_per_second",
                "Datagrams that the receiver got each second in the median repeat.",
                &PAIR,
                &[],
            ),
            Family::EngineCpu => (
                "nettest_engine_cpu_seconds_per_second",
                "CPU that an engine used in the median repeat.",
                &PAIR,
                &["role"],
            ),
            Family::PairsThroughput => (
                "nettest_pairs_throughput_bytes_per_second",
                "Throughput over all pairs, of runs with several pairs.",
                &PAIRS,
                &["stat"],
            ),
            Family::NodeThroughput => (
                "nettest_node_throughput_bytes_per_second",
                "Throughput over the pairs of a node, of runs with several pairs.",
                &NODE,
                &["stat"],
            ),
            Family::ZoneThroughput => (
                "nettest_zone_throughput_bytes_per_second",
                "Throughput over the pairs of two zones, of runs with several pairs.",
                &ZONES,
                &["stat"],
            ),
            Family::Pairs => (
                "nettest_pairs",
                "Pairs of the latest finished run, by what became of them.",
                &TEST,
                &["state"],
            ),
            Family::Suspect => (
                "nettest_suspect",
                "1 for a node that failed against good ones; confirmed: in the second pass, too.",
                &TEST,
                &["node", "confirmed"],
            ),
            Family::Success => (
                "nettest_success",
                "1 when the latest finished run was measured and met its thresholds.",
                &TEST,
                &[],
            ),
            Family::ThresholdMet => (
                "nettest_threshold_met",
                "1 when the latest finished run met the threshold.",
                &TEST,
                &["threshold", "metric", "severity"],
            ),
            Family::LastRun => (
                "nettest_last_run_timestamp_seconds",
                "When the latest finished run ended.",
                &TEST,
                &[],
            ),
            Family::LastSuccess => (
                "nettest_last_success_timestamp_seconds",
                "When the latest passed run ended.",
                &TEST,
                &[],
            ),
            Family::NextRun => (
                "nettest_next_run_timestamp_seconds",
                "When the schedule starts the next run; absent without a schedule or while it is suspended.",
                &TEST,
                &[],
            ),
            Family::ExporterUp => (
                "iperf3_up",
                "1 of what the latest finished run measured, 0 of a pair that it could not measure.",
                &EXPORTER,
                &[],
            ),
            Family::ExporterSentSeconds => (
                "iperf3_sent_seconds",
                "Time in which the sender sent.",
                &EXPORTER,
                &[],
            ),
            Family::ExporterSentBytes => (
                "iperf3_sent_bytes",
                "Bytes that the sender sent.",
                &EXPORTER,
                &[],
            ),
            Family::ExporterReceivedSeconds => (
                "iperf3_received_seconds",
                "Time in which the receiver received.",
                &EXPORTER,
                &[],
            ),
            Family::ExporterReceivedBytes => (
                "iperf3_received_bytes",
                "Bytes that the receiver got.",
                &EXPORTER,
                &[],
            ),
            Family::ExporterRetransmits => (
                "iperf3_retransmits",
                "TCP segments sent again.",
                &EXPORTER,
                &[],
            ),
        };
        Definition {
            name,
            help,
            labels,
            extra,
        }
    }

    pub fn name(self) -> &'static str {
        self.definition().name
    }

    pub fn gauges(self) -> Result<GaugeVec, prometheus::Error> {
        let Definition {
            name,
            help,
            labels,
            extra,
        } = self.definition();
        GaugeVec::new(Opts::new(name, help), &[labels, extra].concat())
    }
}
