//! Which ends are measured against which, and what contradicts it.

use super::{Refusal, count};
use crate::{
    names,
    valid::{ValidExternal, ValidMesh, ValidStar, ValidTopology},
};
use nettest_api::{
    endpoint::Endpoint,
    path::{IPFamily, Path, PathKind},
    sweep::Sweep,
    topology::{
        ExternalTopology, MeshTopology, Placement, StarConcurrency, StarTopology, Topology,
        TopologyKind,
    },
    traffic::Direction,
};
use std::{collections::BTreeMap, net::IpAddr};

/// What a topology must agree with.
pub(super) struct Rules<'a> {
    pub topology: &'a Topology,
    pub path: &'a Path,
    pub client: &'a Endpoint,
    pub server: &'a Endpoint,
    pub direction: Direction,
    pub sweep: Option<&'a Sweep>,
}

pub(super) fn topology(rules: &Rules<'_>) -> Result<ValidTopology, Refusal> {
    let Topology {
        kind,
        pair,
        mesh,
        star,
        external,
    } = rules.topology;
    for (is_set, name, its) in [
        (pair.is_some(), "pair", TopologyKind::Pair),
        (mesh.is_some(), "mesh", TopologyKind::Mesh),
        (star.is_some(), "star", TopologyKind::Star),
        (external.is_some(), "external", TopologyKind::External),
    ] {
        if is_set && its != *kind {
            return Err(Refusal::invalid(
                format!("topology.{name}"),
                format!("is for topology.type {its:?}: remove it, or set the type"),
            ));
        }
    }
    match kind {
        TopologyKind::Pair => {
            let placement = pair.clone().unwrap_or_default().placement;
            of_a_pair(placement, rules.client, rules.server)?;
            Ok(ValidTopology::Pair { placement })
        }
        TopologyKind::Mesh => of_a_mesh(rules, &mesh.clone().unwrap_or_default()),
        TopologyKind::Star => of_a_star(rules, &star.clone().unwrap_or_default()),
        TopologyKind::External => match external {
            Some(external) => of_a_server_outside(rules, external),
            None => Err(Refusal::invalid(
                "topology.external",
                "and topology.type External need each other: set both, or neither",
            )),
        },
    }
}

fn of_a_pair(placement: Placement, client: &Endpoint, server: &Endpoint) -> Result<(), Refusal> {
    let (Some(client), Some(server)) = (&client.node_name, &server.node_name) else {
        return Ok(());
    };
    let wrong = match placement {
        Placement::SameNode => (client != server).then_some("which differ"),
        Placement::DifferentNode | Placement::DifferentZone => {
            (client == server).then_some("which are the same")
        }
        Placement::Any => None,
    };
    match wrong {
        None => Ok(()),
        Some(wrong) => Err(Refusal::invalid(
            "topology.pair.placement",
            format!("{placement:?} contradicts client.nodeName and server.nodeName, {wrong}"),
        )),
    }
}

fn of_a_mesh(rules: &Rules<'_>, mesh: &MeshTopology) -> Result<ValidTopology, Refusal> {
    let chooses = |end: &Endpoint| end.node_name.is_some() || !end.node_selector.is_empty();
    if chooses(rules.client) || chooses(rules.server) {
        return Err(Refusal::invalid(
            "topology.type",
            "Mesh takes its nodes by topology.mesh.nodeSelector: remove nodeName and nodeSelector of client and server",
        ));
    }
    if rules.direction == Direction::Reverse {
        return Err(Refusal::invalid(
            "traffic.direction",
            "Reverse is not for topology.type Mesh, which measures each pair both ways: use Forward, or Bidirectional for both at once",
        ));
    }
    let MeshTopology {
        node_selector,
        include_control_plane,
        selection,
        pairs_per_node,
        max_concurrent_pairs,
        second_pass,
    } = mesh;
    labels("topology.mesh.nodeSelector", node_selector)?;
    Ok(ValidTopology::Mesh(ValidMesh {
        node_selector: node_selector.clone(),
        include_control_plane: *include_control_plane,
        selection: *selection,
        pairs_per_node: count("topology.mesh.pairsPerNode", *pairs_per_node, 1..=100)?,
        max_concurrent: count(
            "topology.mesh.maxConcurrentPairs",
            *max_concurrent_pairs,
            1..=500,
        )?,
        second_pass: *second_pass,
    }))
}

fn of_a_star(rules: &Rules<'_>, star: &StarTopology) -> Result<ValidTopology, Refusal> {
    if rules.client.node_name.is_some() {
        return Err(Refusal::invalid(
            "client.nodeName",
            "is one node and topology.type Star has many clients: use client.nodeSelector",
        ));
    }
    let StarTopology {
        concurrency,
        max_clients,
        include_control_plane,
    } = star;
    let max_clients = count("topology.star.maxClients", *max_clients, 1..=200)?;
    // The engine's server takes no more tests at a time.
    if *concurrency == StarConcurrency::Simultaneous && max_clients > 128 {
        return Err(Refusal::invalid(
            "topology.star.maxClients",
            "is at most 128 with concurrency Simultaneous",
        ));
    }
    Ok(ValidTopology::Star(ValidStar {
        concurrency: *concurrency,
        max_clients,
        include_control_plane: *include_control_plane,
    }))
}

fn of_a_server_outside(
    rules: &Rules<'_>,
    external: &ExternalTopology,
) -> Result<ValidTopology, Refusal> {
    let sweeps_paths = rules.sweep.is_some_and(|sweep| !sweep.paths.is_empty());
    if rules.path.kind != PathKind::PodIP || sweeps_paths {
        return Err(Refusal::invalid(
            "topology.type",
            "External has one way to its server: remove path.type and sweep.paths",
        ));
    }
    if *rules.server != Endpoint::default() {
        return Err(Refusal::invalid(
            "topology.type",
            "External has no server pod: remove server",
        ));
    }
    let ExternalTopology { host, port } = external;
    let host = match host.parse::<IpAddr>() {
        Ok(address) => {
            let address = address.to_canonical();
            let family = if address.is_ipv4() {
                IPFamily::IPv4
            } else {
                IPFamily::IPv6
            };
            if rules.path.ip_family.is_some_and(|asked| asked != family) {
                return Err(Refusal::invalid(
                    "path.ipFamily",
                    format!(
                        "contradicts topology.external.host, an {} address: remove it",
                        family.as_str()
                    ),
                ));
            }
            address.to_string()
        }
        Err(_) if is_host_name(host) => host.to_ascii_lowercase(),
        Err(_) => {
            return Err(Refusal::invalid(
                "topology.external.host",
                format!(
                    "{host:?} is neither a name nor an address; a port has a field of its own, topology.external.port"
                ),
            ));
        }
    };
    let port = count("topology.external.port", *port, 1..=65_535)?;
    Ok(ValidTopology::External(ValidExternal {
        host,
        port: u16::try_from(port).unwrap_or(u16::MAX),
    }))
}

/// A DNS name whose last part is no number: "127.1" and "0x7f.1" are addresses to some resolvers (RFC 1123, 2.1).
fn is_host_name(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let last = lower.rsplit('.').next().unwrap_or_default();
    names::is_dns_subdomain(&lower)
        && lower.split('.').all(|part| part.len() <= names::MAX_LABEL)
        && !last.bytes().all(|byte| byte.is_ascii_digit())
        && !last.starts_with("0x")
}

/// Labels that nodes must carry.
pub(super) fn labels(field: &str, selector: &BTreeMap<String, String>) -> Result<(), Refusal> {
    if selector.len() > 8 {
        return Err(Refusal::invalid(field, "has more than 8 labels"));
    }
    for (key, value) in selector {
        if !names::is_label_key(key) || !names::is_label_value(value) {
            return Err(Refusal::invalid(
                field,
                format!("has {key:?}: {value:?}, which is not a label"),
            ));
        }
    }
    Ok(())
}
