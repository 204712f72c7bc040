//! Which endpoints are measured against which.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which endpoints are measured against which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self.type == 'Mesh' || !has(self.mesh)", "topology.mesh is for topology.type Mesh: remove it, or set the type"))]
#[x_kube(validation = ("self.type == 'Star' || !has(self.star)", "topology.star is for topology.type Star: remove it, or set the type"))]
#[x_kube(validation = ("(self.type == 'External') == has(self.external)", "topology.external and topology.type External need each other: set both, or neither"))]
#[x_kube(validation = ("self.type == 'Pair' || !has(self.pair)", "topology.pair is for topology.type Pair: remove it, or set the type"))]
pub struct Topology {
    /// Pair: one client and one server. Mesh: nodes of the cluster, each against others. Star: many clients, one server. External: one client against an iperf3 server outside of the cluster.
    #[serde(rename = "type", default)]
    pub kind: TopologyKind,
    /// For `type: Pair`; DifferentNode when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<PairTopology>,
    /// For `type: Mesh`; every pair of the workers when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshTopology>,
    /// For `type: Star`; a client on every other worker, one after the other, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub star: Option<StarTopology>,
    /// For `type: External`: the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalTopology>,
}

impl Default for Topology {
    fn default() -> Self {
        Topology {
            kind: TopologyKind::Pair,
            pair: None,
            mesh: None,
            star: None,
            external: None,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum TopologyKind {
    #[default]
    Pair,
    Mesh,
    Star,
    External,
}

/// One client and one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairTopology {
    /// Where the two pods go in relation to each other. SameNode: both on one node. DifferentNode: on two; where only one node fits, the test waits and then fails, it never measures loopback. DifferentZone: on two nodes whose label topology.kubernetes.io/zone differs. Any: on two nodes when there are two, else on one; the status names them.
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
    /// On two nodes of two zones.
    DifferentZone,
    /// Two nodes when there are two, else one; the status names them.
    Any,
}

/// Nodes of the cluster, each against others. A pair is measured once, both ways, unless traffic.direction says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MeshTopology {
    /// Labels of the nodes that take part; all workers when left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 8, "additionalProperties" = {"type": "string", "maxLength": 63, "pattern": "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"}))]
    #[x_kube(validation = ("self.all(k, size(k) <= 317 && k.matches('^[A-Za-z0-9][-A-Za-z0-9_./]*$'))", "a key of nodeSelector is a label's, such as topology.kubernetes.io/zone, of at most 317 characters"))]
    pub node_selector: BTreeMap<String, String>,
    /// Control-plane nodes take part, too, where the operator's policy allows it.
    #[serde(default)]
    pub include_control_plane: bool,
    /// Full: every pair. Ring: each node with the next by name. RandomPairs: each node with `pairsPerNode` others, the same ones in each run. PerZonePair: `pairsPerNode` pairs of nodes for each pair of zones, and within each zone.
    #[serde(default)]
    pub selection: MeshSelection,
    /// For RandomPairs and PerZonePair.
    #[serde(default = "MeshTopology::default_pairs_per_node")]
    #[schemars(range(min = 1, max = 100))]
    pub pairs_per_node: i32,
    /// Pairs that are measured at a time, each on nodes of its own.
    #[serde(default = "MeshTopology::default_concurrent")]
    #[schemars(range(min = 1, max = 500))]
    pub max_concurrent_pairs: i32,
    /// SuspectsOnly: nodes of pairs that failed are measured once more, each against a node that is good, so that the bad node can be told from its partner. Never: no second pass.
    #[serde(default)]
    pub second_pass: SecondPass,
}

impl MeshTopology {
    fn default_pairs_per_node() -> i32 {
        3
    }

    fn default_concurrent() -> i32 {
        8
    }
}

impl Default for MeshTopology {
    fn default() -> Self {
        MeshTopology {
            node_selector: BTreeMap::new(),
            include_control_plane: false,
            selection: MeshSelection::default(),
            pairs_per_node: Self::default_pairs_per_node(),
            max_concurrent_pairs: Self::default_concurrent(),
            second_pass: SecondPass::default(),
        }
    }
}

/// Which pairs of a mesh are measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum MeshSelection {
    #[default]
    Full,
    Ring,
    RandomPairs,
    PerZonePair,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum SecondPass {
    #[default]
    SuspectsOnly,
    Never,
}

/// Many clients, one server. The server's node is `server.nodeName` or the first that fits `server.nodeSelector`; clients go to all others that fit `client.nodeSelector`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self.concurrency != 'Simultaneous' || self.maxClients <= 128", "topology.star.maxClients is at most 128 with concurrency Simultaneous"))]
pub struct StarTopology {
    /// OneByOne: each client has the server to itself. Simultaneous: all at a time, to see how the server's node shares.
    #[serde(default)]
    pub concurrency: StarConcurrency,
    /// At most this many clients, by node name; 128 of Simultaneous ones.
    #[serde(default = "StarTopology::default_max_clients")]
    #[schemars(range(min = 1, max = 200))]
    pub max_clients: i32,
    /// Control-plane nodes take part, too, where the operator's policy allows it.
    #[serde(default)]
    pub include_control_plane: bool,
}

impl StarTopology {
    fn default_max_clients() -> i32 {
        50
    }
}

impl Default for StarTopology {
    fn default() -> Self {
        StarTopology {
            concurrency: StarConcurrency::default(),
            max_clients: Self::default_max_clients(),
            include_control_plane: false,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum StarConcurrency {
    #[default]
    OneByOne,
    Simultaneous,
}

/// A stock iperf3 (or nettest-engine) server outside of the cluster. The operator's policy says which addresses are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalTopology {
    /// Its name or address. A name is resolved by the operator, and the address is what the policy judges and the client dials.
    #[schemars(
        length(min = 1, max = 253),
        regex(pattern = r"^[A-Za-z0-9]([-A-Za-z0-9.:]*[A-Za-z0-9])?$")
    )]
    pub host: String,
    /// Its port.
    #[serde(default = "ExternalTopology::default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,
}

impl ExternalTopology {
    fn default_port() -> i32 {
        5201
    }
}
