//! NetTest: what to measure, and the latest result.

use crate::{
    diagnosis::Diagnosis,
    endpoint::Endpoint,
    limits::Limits,
    path::Path,
    repeats::Repeats,
    result::{PairStatus, ThresholdResult, VariantResult, Verdict},
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
    doc = "Measures the network between two pods and gives a verdict.",
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
#[x_kube(validation = ("!has(self.thresholds) || self.traffic.protocol == 'UDP' || self.thresholds.all(t, t.metric != 'LossPPM')", "a LossPPM threshold needs traffic.protocol UDP"))]
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
    #[serde(default)]
    pub repeats: Repeats,
    /// What the result must reach to pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub thresholds: Vec<Threshold>,
    #[serde(default)]
    pub limits: Limits,
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
}
