//! The connection that a kubeconfig describes.

use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};
use std::path::Path;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ConnectError {
    #[error(
        "no cluster to talk to: {0}. Give --kubeconfig or --context, or run on this machine with --local"
    )]
    Kubeconfig(#[from] KubeconfigError),
    #[error("no cluster to talk to: {0}")]
    Client(#[from] kube::Error),
}

/// A client, and the namespace of tests that name none.
#[derive(Clone)]
pub struct Connection {
    pub client: Client,
    pub namespace: String,
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
    let client = Client::try_from(config)?;
    Ok(Connection { client, namespace })
}
