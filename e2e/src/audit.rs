//! What was really written: the API server's audit log.

use crate::{cluster, engine_pod::Role};
use anyhow::{Context, Result};
use std::fs;

/// Names of the engine pods of a role that were created in a namespace, in order, gone ones included.
///
/// The operator's names end in the role and a hash: `NAME-a1-client-1a2b3`.
pub fn engine_pod_creates(namespace: &str, role: Role) -> Result<Vec<String>> {
    let mut names = pod_creates(namespace)?;
    names.retain(|name| name.contains(&format!("-{}", role.as_str())));
    Ok(names)
}

/// Names of all pods that were created in a namespace, in order.
pub fn pod_creates(namespace: &str) -> Result<Vec<String>> {
    let log = cluster::path("NETTEST_CLUSTER_AUDIT_LOG")?;
    let text = fs::read_to_string(&log).with_context(|| log.display().to_string())?;
    // Cheap first: the log has every request of the whole run.
    let near = format!("\"namespace\":\"{namespace}\"");
    let mut names = Vec::new();
    for line in text.lines().filter(|line| line.contains(&near)) {
        // The last line may be half written; the next look has it.
        let Ok(event) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let object = &event["objectRef"];
        // 201 tells a create by any verb: server-side apply is a patch.
        if event["stage"] == "ResponseComplete"
            && object["resource"] == "pods"
            && object["subresource"].is_null()
            && object["namespace"] == namespace
            && event["responseStatus"]["code"] == 201
            && !is_dry_run(&event)
        {
            names.push(object["name"].as_str().unwrap_or("unnamed").to_owned());
        }
    }
    Ok(names)
}

/// Answered as if it had been done, and not done.
fn is_dry_run(event: &serde_json::Value) -> bool {
    let address = event["requestURI"].as_str().unwrap_or_default();
    address.contains("dryRun=All")
}
