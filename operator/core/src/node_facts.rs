//! What planning needs to know of a node.

use crate::valid::NodeName;
use k8s_openapi::api::core::v1::{Node, Taint};
use nettest_api::endpoint::{Toleration, TolerationOperator};
use std::collections::BTreeMap;

/// Label of control-plane nodes, which carry a test only where it asks for them.
pub const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";
/// Label of a node's zone.
pub const ZONE: &str = "topology.kubernetes.io/zone";

#[derive(Debug, Clone, PartialEq)]
pub struct NodeFacts {
    pub name: NodeName,
    pub labels: BTreeMap<String, String>,
    /// Its Ready condition is True.
    pub ready: bool,
    /// Why no test pod goes there, whatever the spec says; `None`: one may.
    pub closed: Option<String>,
    pub control_plane: bool,
    /// Those that keep pods away.
    pub taints: Vec<Taint>,
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
        let spec = node.spec.as_ref();
        let cordoned = spec.is_some_and(|spec| spec.unschedulable == Some(true));
        let closed = if !ready {
            Some("is not ready".to_owned())
        } else if cordoned {
            Some("is cordoned".to_owned())
        } else {
            None
        };
        let taints = spec
            .and_then(|spec| spec.taints.as_deref())
            .unwrap_or_default();
        Some(NodeFacts {
            name,
            control_plane: labels.contains_key(CONTROL_PLANE),
            labels,
            ready,
            closed,
            taints: taints
                .iter()
                .filter(|taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute"))
                .cloned()
                .collect(),
        })
    }

    /// Why a pod with these tolerations does not go there; `None`: it may.
    pub fn closed_to(&self, tolerations: &[Toleration], control_plane: bool) -> Option<String> {
        if self.control_plane && !control_plane {
            return Some("is a control-plane node".to_owned());
        }
        if let Some(why) = &self.closed {
            return Some(why.clone());
        }
        let taint = self.taints.iter().find(|taint| {
            // Whoever asks for control-plane nodes means those with their usual taint, too.
            let implied = control_plane && taint.key == CONTROL_PLANE;
            !implied
                && !tolerations
                    .iter()
                    .any(|toleration| tolerates(toleration, taint))
        })?;
        let value = taint.value.as_deref().unwrap_or_default();
        Some(format!(
            "has the taint {}={value}:{}",
            taint.key, taint.effect
        ))
    }

    pub fn zone(&self) -> Option<&str> {
        self.labels.get(ZONE).map(String::as_str)
    }
}

/// The zone of one of these, if it is there and has one.
pub fn zone_of(nodes: &[NodeFacts], name: &NodeName) -> Option<String> {
    let mut nodes = nodes.iter();
    let facts = nodes.find(|facts| facts.name == *name)?;
    facts.zone().map(str::to_owned)
}

/// As the scheduler does (kubernetes component-helpers, tolerations).
fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let Toleration {
        key,
        operator,
        value,
        effect,
    } = toleration;
    let effect_fits = effect.is_none_or(|effect| format!("{effect:?}") == taint.effect);
    let value_fits = match operator {
        TolerationOperator::Exists => true,
        TolerationOperator::Equal => {
            value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default()
        }
    };
    *key == taint.key && effect_fits && value_fits
}

#[cfg(test)]
mod tests;
