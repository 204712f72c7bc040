//! Reads an engine's log.

use crate::client::{CallError, call};
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, api::LogParams};
use std::time::Duration;

/// The engine keeps its log under 8 MiB (kubelets rotate at 10 MiB).
const MAX_LOG_BYTES: i64 = 10 * 1024 * 1024;

/// A kubelet that is busy or being restarted gets another chance before the documents are given up.
const TRIES: u32 = 2;
const PAUSE: Duration = Duration::from_secs(1);

/// The log of one container, as the kubelet has it.
pub async fn read(pods: &Api<Pod>, pod: &str, container: &str) -> Result<String, CallError> {
    let params = LogParams {
        container: Some(container.to_owned()),
        limit_bytes: Some(MAX_LOG_BYTES),
        ..LogParams::default()
    };
    let mut tries = 1;
    loop {
        match call("read the client pod's log", pods.logs(pod, &params)).await {
            Ok(log) => return Ok(log),
            Err(error) if tries >= TRIES || error.is_not_found() => return Err(error),
            Err(error) => tracing::info!(pod, %error, "trying again"),
        }
        tries += 1;
        tokio::time::sleep(PAUSE).await;
    }
}
