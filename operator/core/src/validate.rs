//! Spec -> [`ValidTest`]. Checks again what the schema checks: objects may be older than the schema, or the
//! schema may be gone; and checks what CEL cannot see (sizes in quantities, names, the operator's policy).

mod endpoint;
mod limits;
mod threshold;
mod traffic;

use crate::{
    policy::Policy,
    span,
    valid::{Stability, ValidCleanup, ValidRepeats, ValidTest, ValidTopology, ValidVariant},
};
use nettest_api::{
    NetTestSpec, Reason, duration,
    endpoint::Network,
    path::PathKind,
    topology::{Placement, TopologyKind},
    traffic::Protocol,
};
use std::{ops::RangeInclusive, time::Duration};
use thiserror::Error;

/// Why a test does not run, before any pod.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The message names the field and the fix.
    #[error("{field} {problem}")]
    Invalid { field: String, problem: String },
    #[error(
        "{field} Host is not permitted in namespace {namespace}: ask the operator's administrator to add it to policy.hostNetworkNamespaces, or use Pod"
    )]
    HostNetwork {
        field: &'static str,
        namespace: String,
    },
}

impl Refusal {
    pub fn reason(&self) -> Reason {
        match self {
            Refusal::Invalid { .. } => Reason::InvalidSpec,
            Refusal::HostNetwork { .. } => Reason::NotPermitted,
        }
    }

    pub(crate) fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Refusal {
        Refusal::Invalid {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// Check a spec whole. Sync, total; the first problem found is the refusal.
pub fn validate(
    spec: &NetTestSpec,
    namespace: &str,
    policy: &Policy,
) -> Result<ValidTest, Refusal> {
    let NetTestSpec {
        topology,
        path,
        client,
        server,
        traffic,
        sweep: _,
        repeats,
        thresholds,
        limits,
        schedule: _,
        cleanup,
        rerun: _,
    } = spec;
    let TopologyKind::Pair = topology.kind else {
        return Err(Refusal::invalid("topology.type", "is not built yet"));
    };
    let placement = topology.pair.clone().unwrap_or_default().placement;
    let (client_network, server_network) = (client.network, server.network);
    let client = endpoint::endpoint("client", client)?;
    let server = endpoint::endpoint("server", server)?;
    contradictions(placement, path.kind, server_network, &client, &server)?;
    let traffic = traffic::traffic(traffic)?;
    let repeats = ValidRepeats {
        count: count("repeats.count", repeats.count, 1..=20)?,
        pause: span_in("repeats.pause", &repeats.pause, 0..=600_000, "0s to 10m")?,
        stability: repeats.max_spread_percent.map(|percent| Stability {
            max_spread_percent: percent.unsigned_abs(),
            max_count: repeats.max_count.map_or(9, i32::unsigned_abs),
        }),
    };
    let thresholds = threshold::thresholds(thresholds, traffic.protocol)?;
    let limits = limits::limits(limits, &traffic, repeats)?;
    for (field, network) in [
        ("client.network", client_network),
        ("server.network", server_network),
    ] {
        if network == Network::Host && !policy.allows_host_network(namespace) {
            return Err(Refusal::HostNetwork {
                field,
                namespace: namespace.to_owned(),
            });
        }
    }
    let name = format!("{}-p{}", protocol_word(traffic.protocol), traffic.streams);
    Ok(ValidTest {
        topology: ValidTopology::Pair { placement },
        ip_family: path.ip_family,
        client,
        server,
        variants: vec![ValidVariant {
            key: name.clone(),
            name,
            path: path.kind,
            client_network,
            server_network,
            traffic,
        }],
        repeats,
        thresholds,
        limits,
        cleanup: ValidCleanup {
            pods: cleanup.pods,
            ttl: None,
            successful: cleanup.successful_runs_history_limit.unsigned_abs(),
            failed: cleanup.failed_runs_history_limit.unsigned_abs(),
        },
    })
}

/// As names of variants have it.
fn protocol_word(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::TCP => "tcp",
        Protocol::UDP => "udp",
        Protocol::SCTP => "sctp",
    }
}

fn contradictions(
    placement: Placement,
    path: PathKind,
    server_network: Network,
    client: &crate::valid::ValidEndpoint,
    server: &crate::valid::ValidEndpoint,
) -> Result<(), Refusal> {
    use crate::valid::NodeChoice::Named;
    match (path, server_network) {
        (PathKind::Host, Network::Pod) => Err(Refusal::invalid(
            "path.type",
            "Host needs server.network Host",
        )),
        (PathKind::PodIP, Network::Host) => Err(Refusal::invalid(
            "server.network",
            "Host needs path.type Host",
        )),
        _ => Ok(()),
    }?;
    if let (Named(client), Named(server)) = (&client.node, &server.node) {
        match placement {
            Placement::SameNode if client != server => {
                return Err(Refusal::invalid(
                    "topology.pair.placement",
                    "SameNode contradicts client.nodeName and server.nodeName, which differ",
                ));
            }
            Placement::DifferentNode if client == server => {
                return Err(Refusal::invalid(
                    "topology.pair.placement",
                    "DifferentNode contradicts client.nodeName and server.nodeName, which are the same",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A count in its bounds.
fn count(field: &str, value: i32, bounds: RangeInclusive<u32>) -> Result<u32, Refusal> {
    u32::try_from(value)
        .ok()
        .filter(|value| bounds.contains(value))
        .ok_or_else(|| {
            Refusal::invalid(
                field,
                format!("is {value}: set {} to {}", bounds.start(), bounds.end()),
            )
        })
}

/// A duration in its bounds (milliseconds); `words` are the bounds for people.
fn span_in(
    field: &str,
    text: &duration::Duration,
    bounds: RangeInclusive<u128>,
    words: &str,
) -> Result<Duration, Refusal> {
    let span = span::parse(text.as_str())
        .map_err(|error| Refusal::invalid(field, format!("{:?} {error}", text.as_str())))?;
    if !bounds.contains(&span.as_millis()) {
        return Err(Refusal::invalid(
            field,
            format!("is {}: set {words}", text.as_str()),
        ));
    }
    Ok(span)
}

/// A quantity in its bounds; `words` are the bounds for people.
fn quantity_in(
    field: &str,
    text: &nettest_api::quantity::Quantity,
    bounds: RangeInclusive<u64>,
    words: &str,
) -> Result<u64, Refusal> {
    let number = crate::quantity::whole(text.as_str())
        .map_err(|error| Refusal::invalid(field, format!("{:?} {error}", text.as_str())))?;
    if !bounds.contains(&number) {
        return Err(Refusal::invalid(
            field,
            format!("is {}: set {words}", text.as_str()),
        ));
    }
    Ok(number)
}

#[cfg(test)]
mod tests;
