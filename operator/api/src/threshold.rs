//! What a result must reach to pass.

use crate::quantity::Quantity;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One bound on one figure of the median repeat. A test without thresholds passes when it was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self.metric != 'Throughput' || (has(self.min) && !has(self.max))", "a Throughput threshold has min (bits per second, e.g. 900M) and no max"))]
#[x_kube(validation = ("self.metric != 'LossPPM' || (has(self.max) && !has(self.min))", "a LossPPM threshold has max (lost datagrams per million, e.g. 100) and no min"))]
pub struct Threshold {
    /// Names the threshold in status and metrics.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub name: String,
    /// The figure: Throughput, the receiver's bits per second; LossPPM, lost datagrams per million (UDP). Each flow must meet it.
    pub metric: ThresholdMetric,
    /// At least this much: of Throughput, e.g. 900M.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Quantity>,
    /// At most this much: of LossPPM, e.g. 1000 for 0.1 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Quantity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ThresholdMetric {
    /// Receiver's bits per second of each flow.
    Throughput,
    /// Lost datagrams per million (UDP only).
    LossPPM,
}
