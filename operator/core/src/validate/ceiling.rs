//! What the operator's administrator permits: every refusal says what to ask for.

use super::{
    Refusal,
    limits::{self, Work},
};
use crate::{
    policy::{HOSTNAME_KEY, Policy},
    span, units,
    valid::{End, NodeChoice, ValidEndpoint, ValidTest, ValidTopology},
};
use nettest_api::{NetTestSpec, endpoint::Network, topology::StarConcurrency};
use std::{net::IpAddr, time::Duration};

pub(super) fn permitted(
    test: &ValidTest,
    spec: &NetTestSpec,
    namespace: &str,
    policy: &Policy,
) -> Result<(), Refusal> {
    host_network(test, spec, namespace, policy)?;
    nodes("client", &test.client, policy)?;
    nodes("server", &test.server, policy)?;
    topology(&test.topology, policy)?;
    duration(test, spec, policy)?;
    bitrate(test, policy)
}

fn host_network(
    test: &ValidTest,
    spec: &NetTestSpec,
    namespace: &str,
    policy: &Policy,
) -> Result<(), Refusal> {
    if policy.allows_host_network(namespace) {
        return Ok(());
    }
    let fix = "use Pod";
    let (field, fix) = if spec.client.network == Network::Host {
        ("client.network", fix)
    } else if spec.server.network == Network::Host {
        ("server.network", fix)
    } else if test.lanes().iter().any(|lane| lane.server == Network::Host) {
        ("sweep.paths", "remove it")
    } else {
        return Ok(());
    };
    Err(Refusal::not_permitted(
        field,
        format!(
            "Host is not permitted in namespace {namespace}: ask the operator's administrator to add it to policy.hostNetworkNamespaces, or {fix}"
        ),
    ))
}

/// Which nodes, and past which taints.
fn nodes(role: &str, end: &ValidEndpoint, policy: &Policy) -> Result<(), Refusal> {
    match &end.node {
        NodeChoice::Any => {}
        NodeChoice::Named(_) => {
            key(&format!("{role}.nodeName"), HOSTNAME_KEY, policy)?;
        }
        NodeChoice::Labelled(labels) => {
            for label in labels.keys() {
                key(&format!("{role}.nodeSelector"), label, policy)?;
            }
        }
    }
    match end
        .tolerations
        .iter()
        .find(|toleration| !policy.tolerations.allows(&toleration.key))
    {
        None => Ok(()),
        Some(toleration) => Err(Refusal::not_permitted(
            format!("{role}.tolerations"),
            format!(
                "of the taint {} is not permitted: ask the operator's administrator to add the key to policy.tolerations, or remove it",
                toleration.key
            ),
        )),
    }
}

fn key(field: &str, key: &str, policy: &Policy) -> Result<(), Refusal> {
    if policy.node_selector_keys.allows(key) {
        return Ok(());
    }
    Err(Refusal::not_permitted(
        field,
        format!(
            "by the label {key} is not permitted: ask the operator's administrator to add it to policy.nodeSelectorKeys, or choose by another"
        ),
    ))
}

fn topology(topology: &ValidTopology, policy: &Policy) -> Result<(), Refusal> {
    match topology {
        ValidTopology::Pair { .. } => Ok(()),
        ValidTopology::Mesh(mesh) => {
            for label in mesh.node_selector.keys() {
                key("topology.mesh.nodeSelector", label, policy)?;
            }
            control_plane(
                "topology.mesh.includeControlPlane",
                mesh.include_control_plane,
                policy,
            )?;
            pairs(
                "topology.mesh.maxConcurrentPairs",
                mesh.max_concurrent,
                policy,
            )
        }
        ValidTopology::Star(star) => {
            control_plane(
                "topology.star.includeControlPlane",
                star.include_control_plane,
                policy,
            )?;
            match star.concurrency {
                StarConcurrency::OneByOne => Ok(()),
                StarConcurrency::Simultaneous => {
                    pairs("topology.star.maxClients", star.max_clients, policy)
                }
            }
        }
        ValidTopology::External(external) => {
            let field = "topology.external.host";
            if let Ok(address) = external.host.parse::<IpAddr>() {
                return policy
                    .allows_external(address)
                    .map_err(|why| Refusal::not_permitted(field, format!("{address} {why}")));
            }
            if policy.external.is_none() {
                return Err(Refusal::not_permitted(
                    field,
                    format!(
                        "{} is outside of the cluster, and no address there is permitted: ask the operator's administrator to add its address to policy.externalTargets",
                        external.host
                    ),
                ));
            }
            // Its address is judged when it is known.
            Ok(())
        }
    }
}

fn control_plane(field: &str, included: bool, policy: &Policy) -> Result<(), Refusal> {
    if !included || policy.control_plane {
        return Ok(());
    }
    Err(Refusal::not_permitted(
        field,
        "is not permitted: ask the operator's administrator to set policy.controlPlane, or remove it",
    ))
}

fn pairs(field: &str, asked: u32, policy: &Policy) -> Result<(), Refusal> {
    match policy.max_pairs {
        Some(most) if asked > most => Err(Refusal::not_permitted(
            field,
            format!(
                "is {asked}, and policy.maxPairs permits {most} at a time: set {most} or less, or ask the operator's administrator to raise policy.maxPairs"
            ),
        )),
        _ => Ok(()),
    }
}

fn duration(test: &ValidTest, spec: &NetTestSpec, policy: &Policy) -> Result<(), Refusal> {
    let Some(most) = policy.max_duration else {
        return Ok(());
    };
    let too_long = |field: &str, what: &str, asked: Duration| {
        Err(Refusal::not_permitted(
            field,
            format!(
                "{what} {}, and policy.maxDuration permits {}: ask for less, or ask the operator's administrator to raise policy.maxDuration",
                span::display(asked),
                span::display(most)
            ),
        ))
    };
    let work = Work {
        variants: &test.variants,
        repeats: test.repeats,
    };
    match work.at_most() {
        Some(needed) if needed > most => too_long(
            "traffic.duration",
            "with all variants and repeats is",
            needed,
        ),
        _ if spec.limits.run_timeout.is_some() && test.limits.run_timeout > most => {
            too_long("limits.runTimeout", "is", test.limits.run_timeout)
        }
        _ => Ok(()),
    }
}

fn bitrate(test: &ValidTest, policy: &Policy) -> Result<(), Refusal> {
    let Some(most) = policy.max_bitrate else {
        return Ok(());
    };
    let permits = units::bits_per_second(most.0);
    for variant in &test.variants {
        match limits::asked_rate(&variant.traffic) {
            Some(asked) if asked <= most.0 => {}
            Some(asked) => {
                return Err(Refusal::not_permitted(
                    "traffic.bitrate",
                    format!(
                        "of all streams together is {}, and policy.maxBitrate permits {permits}: ask for less, or ask the operator's administrator to raise policy.maxBitrate",
                        units::bits_per_second(asked)
                    ),
                ));
            }
            None => {
                return Err(Refusal::not_permitted(
                    "traffic.bitrate",
                    format!(
                        "is unlimited, and policy.maxBitrate permits {permits}: set limits.maxBitrate to that or less, or ask the operator's administrator to raise policy.maxBitrate"
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// Of bytes nobody knows the time: the ceiling ends them.
pub(super) fn run_timeout(test: &mut ValidTest, policy: &Policy) {
    let is_timed = test
        .variants
        .iter()
        .all(|variant| matches!(variant.traffic.end, End::Time(_)));
    if let (Some(most), false) = (policy.max_duration, is_timed) {
        test.limits.run_timeout = test.limits.run_timeout.min(most);
    }
}
