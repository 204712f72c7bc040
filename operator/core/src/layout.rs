//! The pairs of a run that has several, by number. Made anew in each pass, from the nodes that the status keeps: the
//! numbers are always the same.

use crate::{
    mesh::{Mesh, MeshNode, MeshPair, Selection},
    node_facts::NodeFacts,
    placement,
    valid::{
        Lane, NodeChoice, NodeName, ValidEndpoint, ValidMesh, ValidStar, ValidTest, ValidTopology,
    },
};
use nettest_api::topology::MeshSelection;

/// One pair of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairSpec {
    pub client: NodeName,
    pub server: NodeName,
    pub lane: Lane,
    /// Measured once more, against a good node.
    pub second_pass: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub nodes: Vec<MeshNode>,
    /// Of the first pass, in the order in which they are measured.
    pub first: Vec<MeshPair>,
    /// Of the second pass, once it is known.
    pub second: Vec<MeshPair>,
    lanes: Vec<Lane>,
}

impl Layout {
    /// `nodes` as [`members`] chose them.
    pub fn new(test: &ValidTest, nodes: &[NodeName], facts: &[NodeFacts], seed: &str) -> Layout {
        let zone = |name: &NodeName| {
            let node = facts.iter().find(|node| node.name == *name)?;
            node.zone().map(str::to_owned)
        };
        let by_zone = |test: &ValidTest| matches!(&test.topology, ValidTopology::Mesh(mesh) if mesh.selection == MeshSelection::PerZonePair);
        let wants_zones = by_zone(test);
        let nodes: Vec<MeshNode> = nodes
            .iter()
            .map(|name| MeshNode {
                name: name.clone(),
                zone: if wants_zones { zone(name) } else { None },
            })
            .collect();
        let (nodes, first) = match &test.topology {
            ValidTopology::Mesh(mesh) => {
                let Mesh { nodes, pairs, .. } = Mesh::new(&nodes, selection(mesh), seed);
                (nodes, pairs)
            }
            ValidTopology::Star(_) => {
                let clients = 1..u32::try_from(nodes.len()).unwrap_or(u32::MAX);
                let pairs = clients.map(|client| MeshPair { client, server: 0 });
                let pairs = pairs.collect();
                (nodes, pairs)
            }
            ValidTopology::Pair { .. } | ValidTopology::External(_) => {
                let one = MeshPair {
                    client: 0,
                    server: 1,
                };
                (nodes, vec![one])
            }
        };
        Layout {
            nodes,
            first,
            second: Vec::new(),
            lanes: test.lanes(),
        }
    }

    /// How many pairs, each lane one of its own.
    pub fn len(&self) -> u32 {
        let pairs = self.first.len() + self.second.len();
        u32::try_from(pairs.saturating_mul(self.lanes.len())).unwrap_or(u32::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of the first pass.
    pub fn first_len(&self) -> u32 {
        u32::try_from(self.first.len().saturating_mul(self.lanes.len())).unwrap_or(u32::MAX)
    }

    /// The numbers of a pair of nodes, one a lane. `index` counts on from the first pass to the second.
    pub fn numbers(&self, index: usize) -> std::ops::Range<u32> {
        let lanes = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(index)
            .unwrap_or(u32::MAX)
            .saturating_mul(lanes);
        first..first.saturating_add(lanes)
    }

    pub fn pair(&self, number: u32) -> Option<PairSpec> {
        let number = usize::try_from(number).ok()?;
        let lanes = self.lanes.len().max(1);
        let (index, lane) = (number / lanes, number % lanes);
        let second_pass = index >= self.first.len();
        let pair = if second_pass {
            self.second.get(index - self.first.len())?
        } else {
            self.first.get(index)?
        };
        let node = |index: u32| Some(self.nodes.get(usize::try_from(index).ok()?)?.name.clone());
        Some(PairSpec {
            client: node(pair.client)?,
            server: node(pair.server)?,
            lane: *self.lanes.get(lane)?,
            second_pass,
        })
    }
}

fn selection(mesh: &ValidMesh) -> Selection {
    match mesh.selection {
        MeshSelection::Full => Selection::Full,
        MeshSelection::Ring => Selection::Ring,
        MeshSelection::RandomPairs => Selection::RandomPairs {
            per_node: mesh.pairs_per_node,
        },
        MeshSelection::PerZonePair => Selection::PerZonePair {
            per_zone_pair: mesh.pairs_per_node,
        },
    }
}

/// The nodes of a mesh, by name; of a star the server's first. Else why there are none, for people.
pub fn members(test: &ValidTest, nodes: &[NodeFacts]) -> Result<Vec<NodeName>, String> {
    match &test.topology {
        ValidTopology::Mesh(mesh) => mesh_members(test, mesh, nodes),
        ValidTopology::Star(star) => star_members(test, star, nodes),
        ValidTopology::Pair { .. } | ValidTopology::External(_) => {
            placement::first_pair(test, nodes)
                .map(|pair| vec![pair.client, pair.server])
                .ok_or_else(|| placement::why_none(test, nodes))
        }
    }
}

fn mesh_members(
    test: &ValidTest,
    mesh: &ValidMesh,
    nodes: &[NodeFacts],
) -> Result<Vec<NodeName>, String> {
    let end = ValidEndpoint {
        node: if mesh.node_selector.is_empty() {
            NodeChoice::Any
        } else {
            NodeChoice::Labelled(mesh.node_selector.clone())
        },
        ..test.client.clone()
    };
    let mut fitting: Vec<NodeName> = placement::eligible(&end, mesh.include_control_plane, nodes)
        .into_iter()
        .cloned()
        .collect();
    fitting.sort();
    match fitting.as_slice() {
        [] => Err(format!(
            "no node fits topology.mesh{}",
            placement::whys(&end, mesh.include_control_plane, nodes, &fitting)
        )),
        [only] => Err(format!(
            "a mesh needs two nodes and only {only} fits{}",
            placement::whys(&end, mesh.include_control_plane, nodes, &fitting)
        )),
        _ => Ok(fitting),
    }
}

fn star_members(
    test: &ValidTest,
    star: &ValidStar,
    nodes: &[NodeFacts],
) -> Result<Vec<NodeName>, String> {
    let sorted = |end: &ValidEndpoint| -> Vec<NodeName> {
        let mut fitting: Vec<NodeName> =
            placement::eligible(end, star.include_control_plane, nodes)
                .into_iter()
                .cloned()
                .collect();
        fitting.sort();
        fitting
    };
    let servers = sorted(&test.server);
    let Some(server) = servers.first() else {
        return Err(format!(
            "no node fits the server of the star{}",
            placement::whys(&test.server, star.include_control_plane, nodes, &servers)
        ));
    };
    let mut clients = sorted(&test.client);
    clients.retain(|client| client != server);
    clients.truncate(usize::try_from(star.max_clients).unwrap_or(usize::MAX));
    if clients.is_empty() {
        return Err(format!(
            "the star's server goes to {server} and no other node fits a client{}",
            placement::whys(&test.client, star.include_control_plane, nodes, &servers)
        ));
    }
    clients.insert(0, server.clone());
    Ok(clients)
}
