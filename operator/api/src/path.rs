//! How the client reaches the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the client reaches the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Path {
    /// The address that the client dials. PodIP: the server pod's, in the pod network. ClusterIP: of a Service of its own in front of the server. NodePort: of that Service, on the server's node. Host: the server's node's; needs `server.network: Host`.
    #[serde(rename = "type", default)]
    pub kind: PathKind,
    /// The family of that address; the cluster's first when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IPFamily>,
}

/// The address that the client dials.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub enum PathKind {
    /// The server pod's address in the pod network.
    #[default]
    PodIP,
    /// A Service's address; the cluster's proxy sends it on to the server pod.
    ClusterIP,
    /// A port of the server's node, which the cluster's proxy sends on to the server pod.
    NodePort,
    /// The address of the server's node; needs `server.network: Host`.
    Host,
}

impl PathKind {
    /// As in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            PathKind::PodIP => "PodIP",
            PathKind::ClusterIP => "ClusterIP",
            PathKind::NodePort => "NodePort",
            PathKind::Host => "Host",
        }
    }

    /// Whether a Service stands in front of the server.
    pub const fn has_service(self) -> bool {
        matches!(self, PathKind::ClusterIP | PathKind::NodePort)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum IPFamily {
    IPv4,
    IPv6,
}

impl IPFamily {
    /// As in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            IPFamily::IPv4 => "IPv4",
            IPFamily::IPv6 => "IPv6",
        }
    }
}
