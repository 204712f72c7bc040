//! What was measured: integers with the unit in the name.

use crate::{path::PathKind, threshold::Severity, traffic::Protocol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Verdict {
    /// Measured, every threshold met.
    Passed,
    /// Measured, a threshold missed.
    Failed,
    /// Could not be measured.
    Error,
}

/// The figures of one variant and one flow: those of the median repeat, and the spread over the repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantResult {
    /// What was measured: protocol, streams and whatever the sweep varies, e.g. `tcp-p4` or `tcp-p4-clusterip`.
    #[schemars(length(max = 63))]
    pub variant: String,
    /// How the server was reached.
    #[serde(default)]
    pub path: PathKind,
    /// What carried the data.
    #[serde(default)]
    pub protocol: Protocol,
    /// Who sent.
    pub flow: Flow,
    /// Printable, e.g. `9.41 Gbit/s`.
    pub throughput: String,
    /// At the receiver, over the repeats.
    pub throughput_bits_per_second: Spread,
    /// What the sender sent.
    pub sender_bits_per_second: i64,
    /// What arrived.
    pub receiver_bits_per_second: i64,
    /// Bytes that the sender sent.
    pub sent_bytes: i64,
    /// Bytes that arrived.
    pub received_bytes: i64,
    /// TCP: segments sent again. Absent when unknown, as all below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<i64>,
    /// TCP: mean of the sender's smoothed round-trip time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_microseconds: Option<i64>,
    /// TCP: the same at each interval of each stream, where the client is the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_percentiles_microseconds: Option<Percentiles>,
    /// How evenly the streams shared the throughput: Jain's index in millionths. 1000000: all had the same; 1000000 / streams: one had everything. Absent for a single stream.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "fairnessPPM"
    )]
    pub fairness_ppm: Option<i64>,
    /// UDP: datagrams that the receiver should have seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<i64>,
    /// UDP: those of them that did not arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_datagrams: Option<i64>,
    /// UDP: lost datagrams per million, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "lossPPM")]
    pub loss_ppm: Option<i64>,
    /// UDP: datagrams that arrived after a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_order: Option<i64>,
    /// UDP: jitter as RFC 1889 has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_microseconds: Option<i64>,
    /// CPU of the client's engine, thousandths of one CPU.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "clientCPUMilli"
    )]
    pub client_cpu_milli: Option<i64>,
    /// CPU of the server's engine, thousandths of one CPU.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "serverCPUMilli"
    )]
    pub server_cpu_milli: Option<i64>,
    /// The fast paths that were in force on this flow, asked for or not. Empty: none, or the ends did not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), extend("x-kubernetes-list-type" = "atomic"))]
    pub fast_paths: Vec<FastPath>,
    /// TCP: the sender's congestion control, e.g. `cubic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 16))]
    pub congestion_control: Option<String>,
    /// Queueing discipline of the device by which the client's data leaves it (in a pod network, the pod's own), e.g. `fq`, `noqueue`, `mq/fq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub client_qdisc: Option<String>,
    /// The same of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub server_qdisc: Option<String>,
    /// Repeats that were measured.
    pub repeats: i32,
}

/// Values that were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Percentiles {
    /// Half of the values are at most this.
    pub p50: i64,
    /// 90 % of the values are at most this.
    pub p90: i64,
    /// 99 % of the values are at most this.
    pub p99: i64,
}

/// Who sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Flow {
    ClientToServer,
    ServerToClient,
}

/// What spares copies or calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum FastPath {
    /// The sender's payload went to the kernel without a copy.
    ZeroCopy,
    /// The receiver's kernel dropped the payload without a copy.
    SkipReceiveCopy,
    /// The sender's kernel cut large sends into datagrams (GSO).
    UDPSegmentation,
    /// The receiver's kernel merged datagrams (GRO).
    UDPMerging,
}

impl FastPath {
    /// As in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            FastPath::ZeroCopy => "ZeroCopy",
            FastPath::SkipReceiveCopy => "SkipReceiveCopy",
            FastPath::UDPSegmentation => "UDPSegmentation",
            FastPath::UDPMerging => "UDPMerging",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// The median repeat (of an even count the lower of the two in the middle, so that it is one that ran).
    pub median: i64,
    /// The lowest repeat.
    pub min: i64,
    /// The highest repeat.
    pub max: i64,
    /// (max - min) / median, in percent.
    pub spread_percent: i64,
}

/// How one threshold went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThresholdResult {
    /// Its name in the spec.
    #[schemars(length(max = 63))]
    pub name: String,
    /// Every flow of every pair met it, or the median did, as its scope says.
    pub met: bool,
    /// Warn: the test passes all the same.
    #[serde(default)]
    pub severity: Severity,
    /// The figure that decided, in the metric's unit: the worst, or the median. Absent when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<i64>,
    /// What it had to reach (Throughput) or stay within, in the metric's unit. Absent when what it is relative to is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<i64>,
    /// The variant of that figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub variant: Option<String>,
    /// The pair of that figure, `client -> server`, by node. Absent for the median over several pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 512))]
    pub pair: Option<String>,
    /// Pairs that missed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_pairs: Option<i32>,
    /// What was measured against what, e.g. `4.21 Gbit/s from node1 to node3, at least 9.00 Gbit/s (90 % of the 10.0 Gbit/s link) asked; missed by 3 of 12 pairs`.
    pub message: String,
}

/// Where one end ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointStatus {
    /// Name of the node.
    pub node: String,
    /// Its zone (label topology.kubernetes.io/zone), if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub zone: Option<String>,
    /// Of the pod: its own in the pod network, its node's with host network; of the family that `path.ipFamily` asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// CPUs that the engine was allowed, e.g. `0` or `2-3`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "allowedCPUs"
    )]
    pub allowed_cpus: Option<String>,
}

/// Where the pair ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairStatus {
    /// The end that connected.
    pub client: EndpointStatus,
    /// The end that was connected to.
    pub server: EndpointStatus,
}

/// How far the pairs of a run are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// All of them, the second pass included once it is known.
    pub pairs: i32,
    /// Being measured now.
    pub running: i32,
    /// Measured, whether their thresholds were met or not.
    pub measured: i32,
    /// Could not be measured.
    pub failed: i32,
}

/// How one pair of a run with several went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairResult {
    /// Node of the client.
    #[schemars(length(max = 253))]
    pub client: String,
    /// Node of the server, or the external server.
    #[schemars(length(max = 253))]
    pub server: String,
    /// How the server was reached, where the pair's variants do not all do it alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathKind>,
    pub state: PairState,
    /// Measured once more, against a good node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_pass: bool,
    /// Why it could not be measured, or what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub reason: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 512))]
    pub message: Option<String>,
    /// Names of the thresholds that it missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(max = 63)), extend("x-kubernetes-list-type" = "atomic"))]
    pub missed: Vec<String>,
    /// One a variant and flow; the worst of them where all would be too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128), extend("x-kubernetes-list-type" = "atomic"))]
    pub figures: Vec<PairFigures>,
}

/// Where one pair is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum PairState {
    /// Its turn has not come.
    Waiting,
    /// Its pods start or run.
    Running,
    /// Every repeat was measured.
    Measured,
    /// It could not be measured.
    Failed,
}

/// The key figures of one variant and flow of a pair, of the median repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairFigures {
    /// What was measured, as in `results`.
    #[schemars(length(max = 63))]
    pub variant: String,
    /// Who sent.
    pub flow: Flow,
    /// At the receiver, the median over the repeats.
    pub throughput_bits_per_second: i64,
    /// (max - min) / median of the throughput.
    pub spread_percent: i64,
    /// TCP: segments sent again. Absent when unknown, as all below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<i64>,
    /// TCP: mean of the sender's smoothed round-trip time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_microseconds: Option<i64>,
    /// UDP: lost datagrams per million, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "lossPPM")]
    pub loss_ppm: Option<i64>,
    /// UDP: jitter as RFC 1889 has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_microseconds: Option<i64>,
}

/// A node that failed against good ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspect {
    /// Its name.
    #[schemars(length(max = 253))]
    pub node: String,
    /// The second pass agrees: it failed against a good node, too.
    pub confirmed: bool,
    /// Pairs of it that failed, of both passes.
    pub bad_pairs: i32,
    /// … and that were good.
    pub good_pairs: i32,
    /// Against which nodes, for people.
    #[schemars(length(max = 512))]
    pub message: String,
}
