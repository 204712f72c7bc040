//! One end of a pair.

use super::{Refusal, count, quantity_in};
use crate::{
    names,
    valid::{Bytes, NodeChoice, NodeName, ValidEndpoint},
};
use nettest_api::endpoint::Endpoint;

pub(super) fn endpoint(role: &str, end: &Endpoint) -> Result<ValidEndpoint, Refusal> {
    let Endpoint {
        network: _,
        node_name,
        node_selector,
        tolerations,
        cpu,
        memory,
    } = end;
    let node = match node_name {
        Some(_) if !node_selector.is_empty() => {
            return Err(Refusal::invalid(
                role,
                "has nodeName and nodeSelector: set one of them",
            ));
        }
        Some(name) if names::is_dns_subdomain(name) => NodeChoice::Named(NodeName(name.clone())),
        Some(name) => {
            return Err(Refusal::invalid(
                format!("{role}.nodeName"),
                format!("{name:?} is not a node's name: see kubectl get nodes"),
            ));
        }
        None if node_selector.is_empty() => NodeChoice::Any,
        None => {
            if node_selector.len() > 8 {
                return Err(Refusal::invalid(
                    format!("{role}.nodeSelector"),
                    "has more than 8 labels",
                ));
            }
            for (key, value) in node_selector {
                if !names::is_label_key(key) || !names::is_label_value(value) {
                    return Err(Refusal::invalid(
                        format!("{role}.nodeSelector"),
                        format!("has {key:?}: {value:?}, which is not a label"),
                    ));
                }
            }
            NodeChoice::Labelled(node_selector.clone())
        }
    };
    Ok(ValidEndpoint {
        node,
        tolerations: tolerations.clone(),
        cpu: cpu.mode,
        enforcement: cpu.enforcement,
        cpus: count(&format!("{role}.cpu.count"), cpu.count, 1..=64)?,
        memory: Bytes(quantity_in(
            &format!("{role}.memory"),
            memory,
            32 << 20..=64 << 30,
            "32Mi to 64Gi",
        )?),
    })
}
