//! What is varied: one variant for each combination.

use crate::{path::PathKind, quantity::Quantity, traffic::Protocol};
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// What is varied: each list takes the place of the field of the same meaning, and every combination is a variant, at most 64. All variants of a pair are measured by one client, in turns, so that a drift of the network meets them all alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("(has(self.parallelStreams) ? size(self.parallelStreams) : 1) * (has(self.messageSizes) ? size(self.messageSizes) : 1) * (has(self.windowSizes) ? size(self.windowSizes) : 1) * (has(self.protocols) ? size(self.protocols) : 1) * (has(self.paths) ? size(self.paths) : 1) * (has(self.congestionControls) ? size(self.congestionControls) : 1) <= 64", "sweep makes more than 64 variants: shorten its lists"))]
#[x_kube(validation = ("!has(self.messageSizes) || self.messageSizes.all(size, quantity(string(size)).compareTo(quantity('1')) >= 0 && quantity(string(size)).compareTo(quantity('1Mi')) <= 0)", "sweep.messageSizes are 1 to 1Mi each"))]
#[x_kube(validation = ("!has(self.windowSizes) || self.windowSizes.all(size, quantity(string(size)).compareTo(quantity('1')) >= 0 && quantity(string(size)).compareTo(quantity('512Mi')) <= 0)", "sweep.windowSizes are 1 to 512Mi each"))]
pub struct Sweep {
    /// In place of traffic.parallelStreams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16), inner(range(min = 1, max = 128)), extend("x-kubernetes-list-type" = "set"))]
    pub parallel_streams: Vec<i32>,
    /// In place of traffic.messageSize, in bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    pub message_sizes: Vec<Quantity>,
    /// In place of traffic.windowSize, in bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    pub window_sizes: Vec<Quantity>,
    /// In place of traffic.protocol. Options that only one protocol has are left out for the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 3), extend("x-kubernetes-list-type" = "set"))]
    pub protocols: Vec<Protocol>,
    /// In place of path.type. Host measures between the nodes themselves: both ends in their node's network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 4), extend("x-kubernetes-list-type" = "set"))]
    pub paths: Vec<PathKind>,
    /// In place of traffic.congestionControl (TCP).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 8), inner(length(min = 1, max = 15), regex(pattern = r"^[a-z][a-z0-9_]{0,14}$")), extend("x-kubernetes-list-type" = "set"))]
    pub congestion_controls: Vec<String>,
}
