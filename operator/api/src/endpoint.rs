//! One end of a pair: where its pod goes and what CPU it gets.

use crate::quantity::Quantity;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One end of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("!has(self.nodeName) || !has(self.nodeSelector) || size(self.nodeSelector) == 0", "set nodeName or nodeSelector, not both"))]
pub struct Endpoint {
    /// The pod's network namespace. Host needs the operator's policy and a namespace whose Pod Security level allows it.
    #[serde(default)]
    pub network: Network,
    /// The node to run on, by name; without it and nodeSelector any worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 253),
        regex(pattern = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
    )]
    pub node_name: Option<String>,
    /// Labels that the node must carry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 8, "additionalProperties" = {"type": "string", "maxLength": 63, "pattern": "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"}))]
    #[x_kube(validation = ("self.all(k, size(k) <= 317 && k.matches('^[A-Za-z0-9][-A-Za-z0-9_./]*$'))", "a key of nodeSelector is a label's, such as topology.kubernetes.io/zone, of at most 317 characters"))]
    pub node_selector: BTreeMap<String, String>,
    /// Taints that the pod accepts, where the operator's policy allows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), extend("x-kubernetes-list-type" = "atomic"))]
    pub tolerations: Vec<Toleration>,
    /// Which CPUs the engine runs on.
    #[serde(default)]
    pub cpu: CpuRequest,
    /// Memory request and limit of the pod: 32Mi to 64Gi.
    #[serde(default = "Endpoint::default_memory")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('32Mi')) >= 0 && quantity(string(self)).compareTo(quantity('64Gi')) <= 0", "memory is 32Mi to 64Gi"))]
    pub memory: Quantity,
}

impl Endpoint {
    fn default_memory() -> Quantity {
        Quantity::from("256Mi")
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Endpoint {
            network: Network::Pod,
            node_name: None,
            node_selector: BTreeMap::new(),
            tolerations: Vec::new(),
            cpu: CpuRequest::default(),
            memory: Self::default_memory(),
        }
    }
}

/// The pod's network namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Network {
    #[default]
    Pod,
    Host,
}

/// A taint that a pod accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("self.operator == 'Equal' || !has(self.value)", "a toleration with operator Exists has no value: remove value, or use Equal"))]
pub struct Toleration {
    /// The taint's key.
    #[schemars(
        length(min = 1, max = 317),
        regex(
            pattern = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
        )
    )]
    pub key: String,
    /// Equal: key and value are the taint's. Exists: the key is.
    #[serde(default)]
    pub operator: TolerationOperator,
    /// The taint's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 63),
        regex(pattern = r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$")
    )]
    pub value: Option<String>,
    /// The taint's effect; any when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<TaintEffect>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum TolerationOperator {
    #[default]
    Equal,
    Exists,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum TaintEffect {
    NoSchedule,
    PreferNoSchedule,
    NoExecute,
}

/// Which CPUs the engine runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CpuRequest {
    /// Shared: a request and no limit. Exclusive: a Guaranteed pod whose CPUs the kubelet's static policy grants to it alone; `enforcement` says what happens when it does not.
    #[serde(default)]
    pub mode: CpuMode,
    /// CPUs. Shared: requested as a tenth of a CPU each, no limit. Exclusive: whole CPUs.
    #[serde(default = "CpuRequest::default_count")]
    #[schemars(range(min = 1, max = 64))]
    pub count: i32,
    /// Exclusive CPUs that are not granted. Required: the test fails rather than run unpinned. Preferred: it runs in the shared pool, and the condition CPUPinned says so.
    #[serde(default)]
    pub enforcement: CpuEnforcement,
}

impl CpuRequest {
    fn default_count() -> i32 {
        1
    }
}

impl Default for CpuRequest {
    fn default() -> Self {
        CpuRequest {
            mode: CpuMode::Shared,
            count: 1,
            enforcement: CpuEnforcement::Required,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum CpuEnforcement {
    #[default]
    Required,
    Preferred,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum CpuMode {
    #[default]
    Shared,
    Exclusive,
}
