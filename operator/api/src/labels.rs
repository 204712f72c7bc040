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
/// The two nodes of the pair, on both pods (hashed when longer than 63; the annotation of the same key has the full name).
pub const CLIENT_NODE: &str = "nettest.dev/client-node";
pub const SERVER_NODE: &str = "nettest.dev/server-node";
