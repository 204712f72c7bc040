//! What a result must reach to pass.

use crate::quantity::Quantity;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One bound on one figure. A test without thresholds passes when it was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("has(self.relativeTo) ? !has(self.min) && !has(self.max) : has(self.min) != has(self.max)", "a threshold has min, max or relativeTo: exactly one of them"))]
#[x_kube(validation = ("has(self.relativeTo) || (self.metric == 'Throughput') == has(self.min)", "Throughput has min (bits per second, e.g. 900M); every other metric has max, e.g. 100"))]
#[x_kube(validation = ("!has(self.relativeTo) || self.relativeTo.kind != 'LinkSpeed' || self.metric == 'Throughput'", "relativeTo.kind LinkSpeed is for metric Throughput"))]
pub struct Threshold {
    /// Names the threshold in status and metrics.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub name: String,
    /// The figure. Throughput: the receiver's bits per second. LossPPM: lost datagrams per million (UDP). JitterMicroseconds: RFC 1889's jitter (UDP). RTTMicroseconds: mean smoothed round-trip time (TCP). Retransmits: segments sent again (TCP).
    pub metric: ThresholdMetric,
    /// At least this much: of Throughput, e.g. 900M.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Quantity>,
    /// At most this much: of every other metric, e.g. LossPPM 1000 for 0.1 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Quantity>,
    /// In place of min and max: so much of another figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<RelativeTo>,
    /// What must meet it. EachPair: every pair, each way. WorstPair: the same, and one figure is shown, the worst. Median: the median over the pairs.
    #[serde(default)]
    pub scope: ThresholdScope,
    /// Fail: the test fails when it is missed. Warn: it is told, and the test passes.
    #[serde(default)]
    pub severity: Severity,
    /// Only of this variant, by its name in the results; of all that have the metric when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub variant: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ThresholdMetric {
    /// Receiver's bits per second of each flow.
    Throughput,
    /// Lost datagrams per million (UDP only).
    LossPPM,
    /// Jitter (UDP only).
    JitterMicroseconds,
    /// Mean smoothed round-trip time (TCP only).
    RTTMicroseconds,
    /// Segments sent again (TCP only).
    Retransmits,
}

/// So much of another figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("(self.kind == 'Variant') == has(self.variant)", "relativeTo.variant and relativeTo.kind Variant need each other"))]
#[x_kube(validation = ("self.kind == 'LinkSpeed' || !has(self.nodeLabel)", "relativeTo.nodeLabel is for relativeTo.kind LinkSpeed"))]
#[x_kube(validation = ("self.kind == 'History' || !has(self.runs)", "relativeTo.runs is for relativeTo.kind History"))]
pub struct RelativeTo {
    /// LinkSpeed: the slower end's link, read from its device with host network, else from `nodeLabel`. Variant: the same pair's figure of `variant`. History: the median of the last `runs` measured runs of this test.
    pub kind: RelativeKind,
    /// Throughput: at least this percentage of it; every other metric: at most.
    #[schemars(range(min = 1, max = 1000))]
    pub percent: i32,
    /// For Variant: its name in the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub variant: Option<String>,
    /// For LinkSpeed: a node label whose value is the speed in bits per second, e.g. 10G or 25000M.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 317),
        regex(
            pattern = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
        )
    )]
    pub node_label: Option<String>,
    /// For History: how many runs; 5 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 20))]
    pub runs: Option<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum RelativeKind {
    LinkSpeed,
    Variant,
    History,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ThresholdScope {
    #[default]
    EachPair,
    Median,
    WorstPair,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Severity {
    #[default]
    Fail,
    Warn,
}

impl ThresholdMetric {
    /// As in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            ThresholdMetric::Throughput => "Throughput",
            ThresholdMetric::LossPPM => "LossPPM",
            ThresholdMetric::JitterMicroseconds => "JitterMicroseconds",
            ThresholdMetric::RTTMicroseconds => "RTTMicroseconds",
            ThresholdMetric::Retransmits => "Retransmits",
        }
    }
}
