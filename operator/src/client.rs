//! The API client and the deadline on each of its calls. kube sets no read timeout of its own, since a
//! watch is one long read (kube CHANGELOG 4.0); a plain call without one can wait for ever.

use kube::{Client, Config};
use std::{future::Future, time::Duration};

/// Longest wait for one answer of the API server, its retries (429, 503, 504) included.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// A client from the kubeconfig or the pod's service account.
pub async fn connect() -> Result<Client, ConnectError> {
    let config = Config::infer()
        .await
        .map_err(|error| ConnectError::Config(error.to_string()))?;
    Client::try_from(config).map_err(|error| ConnectError::Client(Box::new(error)))
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("no way to the API server is configured (set KUBECONFIG or run in a pod): {0}")]
    Config(String),
    #[error("the API client cannot be made: {0}")]
    Client(#[source] Box<kube::Error>),
}

/// A call to the API server that failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("cannot {what}: {error}")]
    Api {
        what: &'static str,
        #[source]
        error: Box<kube::Error>,
    },
    #[error("cannot {what}: no answer from the API server in {} s", CALL_TIMEOUT.as_secs())]
    Timeout { what: &'static str },
}

impl CallError {
    /// The API server's own refusal, if it answered.
    pub fn status(&self) -> Option<&kube::core::Status> {
        match self {
            CallError::Api { error, .. } => match error.as_ref() {
                kube::Error::Api(status) => Some(status),
                _ => None,
            },
            CallError::Timeout { .. } => None,
        }
    }

    pub fn code(&self) -> Option<u16> {
        self.status().map(|status| status.code)
    }

    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409)
    }

    /// Whether the same request may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        !matches!(self.code(), Some(400..=428 | 430..=499))
    }

    /// A name for metrics: few values, never free text.
    pub fn reason(&self) -> &'static str {
        match self {
            CallError::Timeout { .. } => "Timeout",
            CallError::Api { .. } => match self.code() {
                Some(403) => "Forbidden",
                Some(404) => "NotFound",
                Some(409) => "Conflict",
                Some(422) => "Invalid",
                Some(429) => "TooManyRequests",
                Some(500..=599) => "ServerError",
                Some(_) => "Refused",
                None => "Connection",
            },
        }
    }
}

/// Run one call under the deadline. `what` completes "cannot …".
pub async fn call<T>(
    what: &'static str,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, CallError> {
    match tokio::time::timeout(CALL_TIMEOUT, request).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(CallError::Api {
            what,
            error: Box::new(error),
        }),
        Err(_) => Err(CallError::Timeout { what }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_silent_api_server_is_an_error_not_a_hang() {
        let error = call("list nodes", std::future::pending::<kube::Result<()>>())
            .await
            .unwrap_err();
        assert_eq!(error.reason(), "Timeout");
        assert_eq!(
            error.to_string(),
            "cannot list nodes: no answer from the API server in 20 s"
        );
    }
}
