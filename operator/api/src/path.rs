//! How the client reaches the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the client reaches the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Path {
    /// The address that the client dials. PodIP: the server pod's, in the pod network. Host: its node's; needs `server.network: Host`.
    #[serde(rename = "type", default)]
    pub kind: PathKind,
}

/// The address that the client dials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum PathKind {
    /// The server pod's address in the pod network.
    #[default]
    PodIP,
    /// The address of the server's node; needs `server.network: Host`.
    Host,
}
