//! NetTest: what to measure, and the latest result.

use crate::{
    cleanup::Cleanup,
    diagnosis::Diagnosis,
    endpoint::Endpoint,
    limits::Limits,
    path::Path,
    repeats::Repeats,
    result::{PairStatus, Progress, Suspect, ThresholdResult, VariantResult, Verdict},
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
#[x_kube(validation = ("self.path.type != 'Host' || self.server.network == 'Host'", "path.type Host needs server.network Host"))]
#[x_kube(validation = ("self.server.network != 'Host' || self.path.type == 'Host'", "server.network Host needs path.type Host"))]
#[x_kube(validation = ("!has(self.topology.pair) || self.topology.pair.placement != 'SameNode' || !has(self.client.nodeName) || !has(self.server.nodeName) || self.client.nodeName == self.server.nodeName", "topology.pair.placement SameNode contradicts client.nodeName and server.nodeName, which differ"))]
#[x_kube(validation = ("!has(self.topology.pair) || self.topology.pair.placement != 'DifferentNode' || !has(self.client.nodeName) || !has(self.server.nodeName) || self.client.nodeName != self.server.nodeName", "topology.pair.placement DifferentNode contradicts client.nodeName and server.nodeName, which are the same"))]
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
    /// Accepted, Scheduled, Measured, WithinThresholds, CPUPinned, Succeeded.
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
    /// The runs before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), extend("x-kubernetes-list-type" = "atomic"))]
    pub history: Vec<PastRun>,
    /// With a schedule: when the next run is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_time: Option<Time>,
    /// With a schedule: the time of the schedule that the latest run was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,
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
