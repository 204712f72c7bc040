//! NetTestRun: one execution, with an immutable copy of the spec.

use crate::{
    diagnosis::Diagnosis,
    net_test::NetTestSpec,
    result::{PairResult, PairStatus, Progress, Suspect, ThresholdResult, VariantResult, Verdict},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One execution of a test. The operator makes one for each new generation of a NetTest; users may make one with generateName.
#[derive(CustomResource, Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "nettest.dev",
    version = "v1alpha1",
    kind = "NetTestRun",
    plural = "nettestruns",
    shortname = "ntr",
    category = "nettest-all",
    namespaced,
    status = "NetTestRunStatus",
    derive = "PartialEq",
    doc = "One execution of a NetTest: an immutable copy of its spec, and what was measured.",
    printcolumn = r#"{"name":"Test","type":"string","jsonPath":".spec.testName"}"#,
    printcolumn = r#"{"name":"Throughput","type":"string","jsonPath":".status.results[0].throughput"}"#,
    printcolumn = r#"{"name":"Measured","type":"integer","jsonPath":".status.progress.measured","priority":1}"#,
    printcolumn = r#"{"name":"Pairs","type":"integer","jsonPath":".status.progress.pairs","priority":1}"#,
    printcolumn = r#"{"name":"Verdict","type":"string","jsonPath":".status.verdict"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Succeeded\")].reason"}"#,
    printcolumn = r#"{"name":"Finished","type":"date","jsonPath":".status.finishTime"}"#,
    printcolumn = r#"{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self == oldSelf", "the spec of a NetTestRun cannot be changed: make another run"))]
pub struct NetTestRunSpec {
    /// The NetTest that this run belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub test_name: Option<String>,
    /// Its generation when the run was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_generation: Option<i64>,
    /// The spec.rerun token that asked for it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub rerun: Option<String>,
    /// The time of the schedule that it was made for, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_time: Option<Time>,
    /// The copy of the spec.
    pub test: NetTestSpec,
}

/// Where the run is and what it measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetTestRunStatus {
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
    /// When the run was first seen; scheduleTimeout counts from the moment it leaves the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it left the queue (its nodes were free).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement_time: Option<Time>,
    /// When it ended, with or without a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_time: Option<Time>,
    /// Number of the current or last attempt, from 1. A measured failure is never repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<i32>,
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
    /// The pairs of a run that has several, worst first, as many as fit; all are in the ConfigMaps of `ledger`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200), extend("x-kubernetes-list-type" = "atomic"))]
    pub pairs: Vec<PairResult>,
    /// Nodes that failed against nodes that are good, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50), extend("x-kubernetes-list-type" = "atomic"))]
    pub suspects: Vec<Suspect>,
    /// The nodes of a run with several pairs, by name: chosen once, when the run leaves the queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 2000), inner(length(max = 253)), extend("x-kubernetes-list-type" = "atomic"))]
    pub nodes: Vec<String>,
    /// ConfigMaps with every pair's results: `<prefix>-0`, `<prefix>-1` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerStatus>,
    /// ConfigMap with the full iperf3 documents (gzip), when they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<DocumentsStatus>,
}

/// Where the results of all pairs are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerStatus {
    /// What the ConfigMaps' names begin with, in the run's namespace.
    #[schemars(length(max = 253))]
    pub prefix: String,
    /// How many there are.
    pub shards: i32,
}

/// Where the full documents are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentsStatus {
    /// Its name, in the run's namespace. Absent when nothing could be kept, and where there are several pairs: each of them has a ConfigMap of its own, `<run>-documents-<number of the pair>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<String>,
    /// Of several pairs: those whose documents are kept, all or some. A run keeps 8 MiB, compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<i32>,
    /// The documents were cut or not readable; the figures above are whole all the same.
    pub truncated: bool,
}
