//! Labels and annotations of what the operator makes. Live pods' labels are the truth about who uses a node.

/// `app.kubernetes.io/managed-by` on everything we make.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
pub const MANAGED_BY_VALUE: &str = "nettest-operator";
/// Name of the NetTest (hashed when longer than 63).
pub const TEST: &str = "nettest.dev/test";
/// UID of the NetTestRun.
pub const RUN_UID: &str = "nettest.dev/run-uid";
/// `client` or `server`.
pub const ROLE: &str = "nettest.dev/role";
/// Number of the attempt, from 1.
pub const ATTEMPT: &str = "nettest.dev/attempt";
/// Number of the pair, from 0, on the pods of a run with several pairs.
pub const PAIR: &str = "nettest.dev/pair";
/// The two nodes of the pair, on both pods (hashed when longer than 63; the annotation of the same key has the full name).
pub const CLIENT_NODE: &str = "nettest.dev/client-node";
pub const SERVER_NODE: &str = "nettest.dev/server-node";

/// Which end a pod is: the value of [`ROLE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Client,
    Server,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Client => "client",
            Role::Server => "server",
        }
    }

    /// The role of this label value.
    pub fn parse(text: &str) -> Option<Role> {
        match text {
            "client" => Some(Role::Client),
            "server" => Some(Role::Server),
            _ => None,
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
