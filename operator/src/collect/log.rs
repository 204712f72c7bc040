//! Reads an engine's log.

use crate::client::{CallError, call};
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, api::LogParams};

/// The engine keeps its log under 8 MiB (kubelets rotate at 10 MiB).
const MAX_LOG_BYTES: i64 = 10 * 1024 * 1024;

/// The log of one container, as the kubelet has it.
pub async fn read(pods: &Api<Pod>, pod: &str, container: &str) -> Result<String, CallError> {
    let params = LogParams {
        container: Some(container.to_owned()),
        limit_bytes: Some(MAX_LOG_BYTES),
        ..LogParams::default()
    };
    call("read the client pod's log", pods.logs(pod, &params)).await
}
