//! What planning needs to know of a node.

use crate::valid::NodeName;
use k8s_openapi::api::core::v1::Node;
use std::collections::BTreeMap;

/// Label of control-plane nodes, which never carry a test.
const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFacts {
    pub name: NodeName,
    pub labels: BTreeMap<String, String>,
    /// Its Ready condition is True.
    pub ready: bool,
    /// Why no test pod goes there, whatever the spec says; `None`: one may.
    pub closed: Option<String>,
}

impl NodeFacts {
    /// `None` for a node without a name, which the API does not have.
    pub fn from_node(node: &Node) -> Option<NodeFacts> {
        let name = NodeName(node.metadata.name.clone()?);
        let labels = node.metadata.labels.clone().unwrap_or_default();
        let ready = node
            .status
            .as_ref()
            .and_then(|status| status.conditions.as_deref())
            .unwrap_or_default()
            .iter()
            .any(|condition| condition.type_ == "Ready" && condition.status == "True");
        let closed = closed(node, &labels, ready);
        Some(NodeFacts {
            name,
            labels,
            ready,
            closed,
        })
    }
}

fn closed(node: &Node, labels: &BTreeMap<String, String>, ready: bool) -> Option<String> {
    if labels.contains_key(CONTROL_PLANE) {
        return Some("is a control-plane node".to_owned());
    }
    if !ready {
        return Some("is not ready".to_owned());
    }
    let spec = node.spec.as_ref()?;
    if spec.unschedulable == Some(true) {
        return Some("is cordoned".to_owned());
    }
    // Our pods tolerate nothing but what every pod gets, so each hard taint closes the node.
    spec.taints
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute"))
        .map(|taint| {
            let value = taint.value.as_deref().unwrap_or_default();
            format!("has the taint {}={value}:{}", taint.key, taint.effect)
        })
}

#[cfg(test)]
mod tests;
