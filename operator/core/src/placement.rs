//! Which two nodes a run goes to.

use crate::{
    node_facts::NodeFacts,
    pod_facts::NodePair,
    valid::{NodeChoice, NodeName, ValidTest, ValidTopology},
};
use nettest_api::topology::Placement;
use std::collections::BTreeSet;

/// Every pair of nodes that the spec and the nodes allow, best first: for `Any` two nodes before one, then by name.
pub fn pairs(test: &ValidTest, nodes: &[NodeFacts]) -> Vec<NodePair> {
    let clients = eligible(&test.client.node, nodes);
    let servers = eligible(&test.server.node, nodes);
    let mut pairs: Vec<NodePair> = clients
        .iter()
        .flat_map(|client| {
            servers.iter().map(|server| NodePair {
                client: (*client).clone(),
                server: (*server).clone(),
            })
        })
        .filter(|pair| match placement(test) {
            Placement::SameNode => pair.client == pair.server,
            Placement::DifferentNode | Placement::DifferentZone => pair.client != pair.server,
            Placement::Any => true,
        })
        .collect();
    pairs.sort_by(|one, two| (one.client == one.server, one).cmp(&(two.client == two.server, two)));
    pairs
}

/// The best pair that touches no busy node.
pub fn free_pair(pairs: &[NodePair], busy: &BTreeSet<NodeName>) -> Option<NodePair> {
    pairs
        .iter()
        .find(|pair| !busy.contains(&pair.client) && !busy.contains(&pair.server))
        .cloned()
}

/// Why there is no pair, for people: a node each, at most ten.
pub fn why_none(test: &ValidTest, nodes: &[NodeFacts]) -> String {
    const SHOWN: usize = 10;
    let (clients, servers) = (
        eligible(&test.client.node, nodes),
        eligible(&test.server.node, nodes),
    );
    let fitting: BTreeSet<&NodeName> = clients.iter().chain(&servers).copied().collect();
    let mut whys: Vec<String> = named_but_absent(test, nodes);
    whys.extend(
        nodes
            .iter()
            .filter(|node| !fitting.contains(&node.name))
            .map(|node| {
                let why = node
                    .closed
                    .clone()
                    .unwrap_or_else(|| "does not match nodeName or nodeSelector".to_owned());
                format!("{} {why}", node.name)
            }),
    );
    let head = match (clients.as_slice(), servers.as_slice(), placement(test)) {
        ([], [], _) => "no node fits client or server".to_owned(),
        ([], _, _) => "no node fits the client".to_owned(),
        (_, [], _) => "no node fits the server".to_owned(),
        (_, _, Placement::SameNode) => {
            "topology.pair.placement is SameNode and no node fits both ends".to_owned()
        }
        ([only], _, _) | (_, [only], _) => format!(
            "topology.pair.placement is DifferentNode and only {only} fits: add a node or use SameNode or Any"
        ),
        _ => "no two nodes fit".to_owned(),
    };
    let more = whys.len().saturating_sub(SHOWN);
    whys.truncate(SHOWN);
    if more > 0 {
        whys.push(format!("and {more} more"));
    }
    if whys.is_empty() {
        head
    } else {
        format!("{head} ({})", whys.join(", "))
    }
}

fn placement(test: &ValidTest) -> Placement {
    match test.topology {
        ValidTopology::Pair { placement } => placement,
        _ => Placement::DifferentNode,
    }
}

fn named_but_absent(test: &ValidTest, nodes: &[NodeFacts]) -> Vec<String> {
    let mut absent = BTreeSet::new();
    for end in [&test.client, &test.server] {
        if let NodeChoice::Named(name) = &end.node
            && !nodes.iter().any(|node| node.name == *name)
        {
            absent.insert(format!("there is no node {name}"));
        }
    }
    absent.into_iter().collect()
}

fn eligible<'a>(choice: &NodeChoice, nodes: &'a [NodeFacts]) -> Vec<&'a NodeName> {
    nodes
        .iter()
        .filter(|node| node.closed.is_none())
        .filter(|node| match choice {
            NodeChoice::Any => true,
            NodeChoice::Named(name) => node.name == *name,
            NodeChoice::Labelled(labels) => labels
                .iter()
                .all(|(key, value)| node.labels.get(key) == Some(value)),
        })
        .map(|node| &node.name)
        .collect()
}

#[cfg(test)]
mod tests;
