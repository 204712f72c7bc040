//! The connection that a kubeconfig describes.

use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};
use std::path::Path;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ConnectError {
    #[error(
        "no cluster to talk to: {}. Give --kubeconfig or --context, or run on this machine with --local",
        first_line(.0)
    )]
    Kubeconfig(#[from] KubeconfigError),
    #[error("no cluster to talk to: {}", said(.0))]
    Client(#[from] kube::Error),
}

/// An error in its own words, once: of an answer of the API server kube prints the whole object after it.
pub fn said(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        kube::Error::Api(status) => {
            format!("the API server answered {} {}", status.code, status.reason)
        }
        // Of what failed on the way, the last cause is what there is to mend ("No route to host"); the layers above it are ours.
        kube::Error::Service(error) => last_cause(error.as_ref()),
        error => last_cause(error),
    }
}

fn last_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}

/// A file's error with the place in it takes several lines, of which the first says it.
fn first_line(error: &KubeconfigError) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// A client, and the namespace of tests that name none.
#[derive(Clone)]
pub struct Connection {
    pub client: Client,
    pub namespace: String,
    /// Where the API server is.
    pub server: String,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

/// Connects as kubectl would. Nothing is asked of the server yet.
pub async fn connect(
    kubeconfig: Option<&Path>,
    context: Option<&str>,
    namespace: Option<&str>,
) -> Result<Connection, ConnectError> {
    let options = KubeConfigOptions {
        context: context.map(str::to_owned),
        ..KubeConfigOptions::default()
    };
    let config = match kubeconfig {
        Some(file) => {
            let read = Kubeconfig::read_from(file)?;
            Config::from_custom_kubeconfig(read, &options).await?
        }
        None => Config::from_kubeconfig(&options).await?,
    };
    let namespace = namespace.map_or_else(|| config.default_namespace.clone(), str::to_owned);
    let server = config.cluster_url.to_string();
    let client = Client::try_from(config)?;
    Ok(Connection {
        client,
        namespace,
        server: server.trim_end_matches('/').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::said;
    use kube::core::Status;

    #[test]
    fn the_servers_message_is_said_once() {
        let api = |message: &str| {
            said(&kube::Error::Api(Box::new(Status {
                code: 500,
                message: message.to_owned(),
                reason: "InternalError".to_owned(),
                ..Status::default()
            })))
        };
        assert_eq!(api("etcd is away"), "etcd is away");
        assert_eq!(api(""), "the API server answered 500 InternalError");
    }
}
