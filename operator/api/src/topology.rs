//! Which endpoints are measured against which.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which endpoints are measured against which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self.type != 'Pair' || has(self.pair)", "topology.pair is required when topology.type is Pair"))]
pub struct Topology {
    /// Pair: one client and one server.
    #[serde(rename = "type", default)]
    pub kind: TopologyKind,
    /// The member for `type: Pair`.
    #[serde(
        default = "Topology::default_pair",
        skip_serializing_if = "Option::is_none"
    )]
    pub pair: Option<PairTopology>,
}

impl Topology {
    fn default_pair() -> Option<PairTopology> {
        Some(PairTopology::default())
    }
}

impl Default for Topology {
    fn default() -> Self {
        Topology {
            kind: TopologyKind::Pair,
            pair: Self::default_pair(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TopologyKind {
    #[default]
    Pair,
}

/// One client and one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairTopology {
    /// Where the two pods go in relation to each other.
    /// Where the two pods go in relation to each other. SameNode: both on one node. DifferentNode: on two; where only one node fits, the test waits and then fails, it never measures loopback. Any: on two nodes when there are two, else on one; the status names them.
    #[serde(default)]
    pub placement: Placement,
}

/// Where the two pods of a pair go in relation to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Placement {
    /// Both on one node.
    SameNode,
    /// On two nodes; on a cluster with one fitting node the test waits and then fails, it never measures loopback.
    #[default]
    DifferentNode,
    /// Two nodes when there are two, else one; the status names them.
    Any,
}
