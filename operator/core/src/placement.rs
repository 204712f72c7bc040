//! Which two nodes a run goes to.

use crate::{
    node_facts::{self, NodeFacts},
    pod_facts::NodePair,
    valid::{NodeChoice, NodeName, ValidEndpoint, ValidTest, ValidTopology},
};
use nettest_api::topology::Placement;
use std::collections::{BTreeMap, BTreeSet};

/// The best pair of nodes that the spec and the nodes allow and that touches no busy node: for `Any` two nodes before
/// one, then by name.
pub fn free_pair(
    test: &ValidTest,
    nodes: &[NodeFacts],
    busy: &BTreeSet<NodeName>,
) -> Option<NodePair> {
    let free = |end: &ValidEndpoint| -> Vec<&NodeName> {
        let mut all = eligible(end, false, nodes);
        all.retain(|node| !busy.contains(*node));
        all.sort();
        all
    };
    let clients = free(&test.client);
    let pair = |client: &NodeName, server: &NodeName| NodePair {
        client: client.clone(),
        server: server.clone(),
    };
    if let ValidTopology::External(external) = &test.topology {
        let server = NodeName(external.host.clone());
        return clients.first().map(|client| pair(client, &server));
    }
    let servers = free(&test.server);
    let first = |fits: &dyn Fn(&NodeName, &NodeName) -> bool| {
        clients.iter().find_map(|client| {
            let server = servers.iter().find(|server| fits(client, server))?;
            Some(pair(client, server))
        })
    };
    let same = || first(&|client, server| client == server);
    let different = || first(&|client, server| client != server);
    match placement(test) {
        Placement::SameNode => same(),
        Placement::DifferentNode => different(),
        Placement::DifferentZone => {
            let zones: BTreeMap<&NodeName, &str> = nodes
                .iter()
                .filter_map(|node| Some((&node.name, node.zone()?)))
                .collect();
            first(
                &|client, server| match (zones.get(client), zones.get(server)) {
                    (Some(client), Some(server)) => client != server,
                    _ => false,
                },
            )
        }
        Placement::Any => different().or_else(same),
    }
}

/// The pair that it would be if no node were busy.
pub fn first_pair(test: &ValidTest, nodes: &[NodeFacts]) -> Option<NodePair> {
    free_pair(test, nodes, &BTreeSet::new())
}

/// Why there is no pair, for people: a node each, at most ten.
pub fn why_none(test: &ValidTest, nodes: &[NodeFacts]) -> String {
    let (clients, servers) = (
        eligible(&test.client, false, nodes),
        eligible(&test.server, false, nodes),
    );
    let fitting: BTreeSet<&NodeName> = clients.iter().chain(&servers).copied().collect();
    let mut whys: Vec<String> = named_but_absent(test, nodes);
    whys.extend(
        nodes
            .iter()
            .filter(|node| !fitting.contains(&node.name))
            .map(|node| {
                let why = node
                    .closed_to(&test.client.tolerations, false)
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
        (_, _, Placement::DifferentZone) => format!(
            "topology.pair.placement is DifferentZone and no two fitting nodes have different {} labels",
            node_facts::ZONE
        ),
        ([only], _, _) | (_, [only], _) => format!(
            "topology.pair.placement is DifferentNode and only {only} fits: add a node or use SameNode or Any"
        ),
        _ => "no two nodes fit".to_owned(),
    };
    format!("{head}{}", bracketed(whys))
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

/// Why the other nodes do not fit, in brackets after a sentence: a node each, at most ten.
pub fn whys(
    end: &ValidEndpoint,
    control_plane: bool,
    nodes: &[NodeFacts],
    fitting: &[NodeName],
) -> String {
    let whys: Vec<String> = nodes
        .iter()
        .filter(|node| !fitting.contains(&node.name))
        .map(|node| {
            let why = node
                .closed_to(&end.tolerations, control_plane)
                .unwrap_or_else(|| "does not match nodeName or nodeSelector".to_owned());
            format!("{} {why}", node.name)
        })
        .collect();
    bracketed(whys)
}

fn bracketed(mut whys: Vec<String>) -> String {
    const SHOWN: usize = 10;
    let more = whys.len().saturating_sub(SHOWN);
    whys.truncate(SHOWN);
    if more > 0 {
        whys.push(format!("and {more} more"));
    }
    if whys.is_empty() {
        String::new()
    } else {
        format!(" ({})", whys.join(", "))
    }
}

/// The nodes that an end may go to.
pub fn eligible<'a>(
    end: &ValidEndpoint,
    control_plane: bool,
    nodes: &'a [NodeFacts],
) -> Vec<&'a NodeName> {
    nodes
        .iter()
        .filter(|node| node.closed_to(&end.tolerations, control_plane).is_none())
        .filter(|node| match &end.node {
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
