//! One end of a pair.

use super::{Refusal, count, quantity_in, topology::labels};
use crate::{
    names,
    valid::{Bytes, NodeChoice, NodeName, ValidEndpoint},
};
use nettest_api::endpoint::{Endpoint, Toleration, TolerationOperator};

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
            labels(&format!("{role}.nodeSelector"), node_selector)?;
            NodeChoice::Labelled(node_selector.clone())
        }
    };
    tolerated(&format!("{role}.tolerations"), tolerations)?;
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

/// Taints as Kubernetes writes them.
fn tolerated(field: &str, tolerations: &[Toleration]) -> Result<(), Refusal> {
    if tolerations.len() > 8 {
        return Err(Refusal::invalid(field, "has more than 8 entries"));
    }
    for (index, toleration) in tolerations.iter().enumerate() {
        let Toleration {
            key,
            operator,
            value,
            effect: _,
        } = toleration;
        if !names::is_label_key(key) {
            return Err(Refusal::invalid(
                format!("{field}[{index}].key"),
                format!("{key:?} is not a taint's key, such as dedicated or example.com/team"),
            ));
        }
        match (operator, value) {
            (TolerationOperator::Exists, Some(_)) => {
                return Err(Refusal::invalid(
                    format!("{field}[{index}]"),
                    "with operator Exists has no value: remove value, or use Equal",
                ));
            }
            (TolerationOperator::Equal, Some(value)) if !names::is_label_value(value) => {
                return Err(Refusal::invalid(
                    format!("{field}[{index}].value"),
                    format!("{value:?} is not a taint's value"),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
