//! NetTest: what to measure, and the latest result.

use crate::{
    cleanup::Cleanup,
    diagnosis::Diagnosis,
    endpoint::Endpoint,
    limits::Limits,
    path::Path,
    repeats::Repeats,
    result::{PairStatus, Progress, Suspect, ThresholdResult, VariantResult, Verdict},
    rules,
    schedule::Schedule,
    sweep::Sweep,
    threshold::Threshold,
    topology::Topology,
    traffic::Traffic,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to measure. Applying it runs it; a changed spec runs it again; an identical apply does not.
#[derive(
    CustomResource, Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema,
)]
#[kube(
    group = "nettest.dev",
    version = "v1alpha1",
    kind = "NetTest",
    plural = "nettests",
    shortname = "nt",
    category = "nettest-all",
    namespaced,
    status = "NetTestStatus",
    derive = "PartialEq",
    doc = "Measures the network between pods, nodes and services, and gives a verdict.",
    printcolumn = r#"{"name":"Topology","type":"string","jsonPath":".spec.topology.type"}"#,
    printcolumn = r#"{"name":"Path","type":"string","jsonPath":".spec.path.type"}"#,
    printcolumn = r#"{"name":"Protocol","type":"string","jsonPath":".spec.traffic.protocol"}"#,
    printcolumn = r#"{"name":"Throughput","type":"string","jsonPath":".status.results[0].throughput"}"#,
    printcolumn = r#"{"name":"Verdict","type":"string","jsonPath":".status.verdict"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Succeeded\")].reason"}"#,
    printcolumn = r#"{"name":"Last Run","type":"date","jsonPath":".status.lastRunTime"}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
// Which ends and addresses there are.
#[x_kube(validation = ("self.path.type != 'Host' || self.server.network == 'Host'", "path.type Host needs server.network Host"))]
#[x_kube(validation = ("self.server.network != 'Host' || self.path.type == 'Host'", "server.network Host needs path.type Host"))]
#[x_kube(validation = ("!has(self.sweep) || !has(self.sweep.paths) || (self.path.type == 'PodIP' && self.server.network == 'Pod')", "sweep.paths stands in place of path.type and server.network: remove them; Host in sweep.paths takes the nodes' network by itself"))]
#[x_kube(validation = ("self.topology.type != 'External' || (self.path.type == 'PodIP' && (!has(self.sweep) || !has(self.sweep.paths)))", "topology.type External has one way to its server: remove path.type and sweep.paths"))]
#[x_kube(validation = ("self.topology.type != 'External' || (self.server.network == 'Pod' && self.server.cpu.mode == 'Shared' && !has(self.server.nodeName) && !has(self.server.nodeSelector) && !has(self.server.tolerations))", "topology.type External has no server pod: remove server"))]
#[x_kube(validation = ("self.topology.type != 'Mesh' || (!has(self.client.nodeName) && !has(self.client.nodeSelector) && !has(self.server.nodeName) && !has(self.server.nodeSelector))", "topology.type Mesh takes its nodes by topology.mesh.nodeSelector: remove nodeName and nodeSelector of client and server"))]
#[x_kube(validation = ("self.topology.type != 'Mesh' || self.traffic.direction != 'Reverse'", "traffic.direction Reverse is not for topology.type Mesh, which measures each pair both ways: use Forward, or Bidirectional for both at once"))]
#[x_kube(validation = ("self.topology.type != 'Star' || !has(self.client.nodeName)", "client.nodeName is one node and topology.type Star has many clients: use client.nodeSelector"))]
#[x_kube(validation = ("self.topology.type != 'Pair' || !has(self.topology.pair) || self.topology.pair.placement != 'SameNode' || !has(self.client.nodeName) || !has(self.server.nodeName) || self.client.nodeName == self.server.nodeName", "topology.pair.placement SameNode contradicts client.nodeName and server.nodeName, which differ"))]
#[x_kube(validation = ("self.topology.type != 'Pair' || (has(self.topology.pair) && self.topology.pair.placement != 'DifferentNode') || !has(self.client.nodeName) || !has(self.server.nodeName) || self.client.nodeName != self.server.nodeName", "topology.pair.placement DifferentNode contradicts client.nodeName and server.nodeName, which are the same"))]
#[x_kube(validation = ("self.topology.type != 'Pair' || !has(self.topology.pair) || self.topology.pair.placement != 'DifferentZone' || !has(self.client.nodeName) || !has(self.server.nodeName) || self.client.nodeName != self.server.nodeName", "topology.pair.placement DifferentZone contradicts client.nodeName and server.nodeName, which are the same"))]
// What only some protocols have.
#[x_kube(validation = rules::value_of(&["TCP"], "congestionControl", "traffic.congestionControl is TCP's: remove it or set traffic.protocol to TCP"))]
#[x_kube(validation = rules::switch_of(&["TCP"], "zeroCopy", "traffic.zeroCopy is TCP's: remove it, or set traffic.protocol to TCP; UDP has traffic.udpOffload"))]
#[x_kube(validation = rules::switch_of(&["UDP"], "udpOffload", "traffic.udpOffload is UDP's: remove it, or set traffic.protocol to UDP; TCP has traffic.zeroCopy"))]
#[x_kube(validation = rules::value_of(&["TCP", "SCTP"], "mss", "traffic.mss is TCP's and SCTP's: remove it; UDP has traffic.messageSize"))]
#[x_kube(validation = rules::switch_of(&["TCP", "SCTP"], "noDelay", "traffic.noDelay is TCP's and SCTP's: remove it; UDP never waits"))]
#[x_kube(validation = rules::switch_of(&["TCP"], "mptcp", "traffic.mptcp is TCP's: remove it, or set traffic.protocol to TCP"))]
#[x_kube(validation = rules::value_of(&["TCP"], "sendTimeout", "traffic.sendTimeout is TCP's: remove it, or set traffic.protocol to TCP"))]
#[x_kube(validation = rules::value_of(&["SCTP"], "sctpStreams", "traffic.sctpStreams is SCTP's: remove it, or set traffic.protocol to SCTP"))]
#[x_kube(validation = rules::switch_of(&["UDP"], "dontFragment", "traffic.dontFragment is UDP's: remove it, or set traffic.protocol to UDP; TCP never fragments"))]
#[x_kube(validation = ("!has(self.traffic.dontFragment) || !self.traffic.dontFragment || !has(self.path.ipFamily) || self.path.ipFamily == 'IPv4'", "traffic.dontFragment is IPv4's: remove it, or set path.ipFamily to IPv4; IPv6 never fragments on the way"))]
#[x_kube(validation = ("!has(self.traffic.flowLabel) || (has(self.path.ipFamily) && self.path.ipFamily == 'IPv6')", "traffic.flowLabel is IPv6's: set path.ipFamily to IPv6, or remove flowLabel"))]
#[x_kube(validation = ("!has(self.sweep) || !has(self.sweep.congestionControls) || !has(self.sweep.protocols) || 'TCP' in self.sweep.protocols", "sweep.congestionControls is TCP's: remove it, or add TCP to sweep.protocols"))]
#[x_kube(validation = ("!has(self.sweep) || !has(self.sweep.congestionControls) || has(self.sweep.protocols) || self.traffic.protocol == 'TCP'", "sweep.congestionControls is TCP's: remove it, or set traffic.protocol to TCP"))]
#[x_kube(validation = rules::where_measured(&["UDP"], "!has(self.traffic.messageSize) || (quantity(string(self.traffic.messageSize)).compareTo(quantity('16')) >= 0 && quantity(string(self.traffic.messageSize)).compareTo(quantity('65507')) <= 0)", "traffic.messageSize is 16 to 65507 for UDP"))]
#[x_kube(validation = rules::where_measured(&["UDP"], "!has(self.sweep) || !has(self.sweep.messageSizes) || self.sweep.messageSizes.all(size, quantity(string(size)).compareTo(quantity('16')) >= 0 && quantity(string(size)).compareTo(quantity('65507')) <= 0)", "sweep.messageSizes are 16 to 65507 each for UDP"))]
#[x_kube(validation = rules::metrics_of(&["UDP"], &["LossPPM", "JitterMicroseconds"], "thresholds on LossPPM and JitterMicroseconds need UDP in traffic.protocol or sweep.protocols"))]
#[x_kube(validation = rules::one_link_label())]
#[x_kube(validation = rules::metrics_of(&["TCP"], &["RTTMicroseconds", "Retransmits"], "thresholds on RTTMicroseconds and Retransmits need TCP in traffic.protocol or sweep.protocols"))]
// What is sent at most.
#[x_kube(validation = ("!has(self.limits.maxBitrate) || !has(self.traffic.bitrate) || quantity(string(self.traffic.bitrate)).compareTo(quantity(string(self.limits.maxBitrate))) <= 0", "traffic.bitrate is above limits.maxBitrate: lower it, or raise limits.maxBitrate"))]
pub struct NetTestSpec {
    #[serde(default)]
    pub topology: Topology,
    #[serde(default)]
    pub path: Path,
    /// The end that connects.
    #[serde(default)]
    pub client: Endpoint,
    /// The end that is connected to.
    #[serde(default)]
    pub server: Endpoint,
    #[serde(default)]
    pub traffic: Traffic,
    /// What is varied; one variant as the fields above say when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    #[serde(default)]
    pub repeats: Repeats,
    /// What the result must reach to pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub thresholds: Vec<Threshold>,
    #[serde(default)]
    pub limits: Limits,
    /// When the test is run again by itself. Without one it runs when it is applied and when its spec changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    #[serde(default)]
    pub cleanup: Cleanup,
    /// Any text, e.g. a date. A new one starts a run of the same test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub rerun: Option<String>,
}

/// The latest run in short; the NetTestRun has it whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetTestStatus {
    /// The generation of the spec that all below is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Accepted, Scheduled, Measured, WithinThresholds, CPUPinned, Succeeded, Complete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// Passed; Failed: measured, a threshold missed; Error: could not be measured. Absent until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Name of the latest NetTestRun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_run: Option<String>,
    /// When the latest run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_time: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairStatus>,
    /// What was measured, one entry a flow: two when both ends send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 128), extend("x-kubernetes-list-type" = "atomic"))]
    pub results: Vec<VariantResult>,
    /// How each threshold of the spec went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "atomic"))]
    pub thresholds: Vec<ThresholdResult>,
    /// What held the throughput, where the figures show it. Every measured run is looked at; empty: nothing that is known of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    pub diagnosis: Vec<Diagnosis>,
    /// How many pairs there are, and how far they are. Absent for a single pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Nodes that failed against nodes that are good, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50), extend("x-kubernetes-list-type" = "atomic"))]
    pub suspects: Vec<Suspect>,
    /// The runs that have ended, newest first; kept when they are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), extend("x-kubernetes-list-type" = "atomic"))]
    pub history: Vec<PastRun>,
    /// With a schedule: when the next run is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_time: Option<Time>,
    /// With a schedule: the time of the schedule that the latest run was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,
    /// The spec.rerun token that was last served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub last_rerun: Option<String>,
}

/// A run that has ended, in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastRun {
    /// Name of the NetTestRun.
    pub run: String,
    pub verdict: Verdict,
    /// Why, as the run's condition Succeeded says.
    #[schemars(length(max = 64))]
    pub reason: String,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_time: Option<Time>,
    /// Of its first result, printable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub throughput: Option<String>,
}
