//! Which namespaces are served: all, or some by name (then Roles are enough, besides reading nodes).

use k8s_openapi::NamespaceResourceScope;
use kube::{Api, Client, Resource};

#[derive(Clone)]
pub struct Scope {
    client: Client,
    /// Empty: all.
    namespaces: Vec<String>,
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope")
            .field("namespaces", &self.namespaces)
            .finish_non_exhaustive()
    }
}

impl Scope {
    pub fn new(client: Client, namespaces: Vec<String>) -> Scope {
        Scope { client, namespaces }
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// One API for all namespaces, or one for each.
    pub fn apis<K>(&self) -> Vec<Api<K>>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        if self.namespaces.is_empty() {
            return vec![Api::all(self.client.clone())];
        }
        self.namespaces
            .iter()
            .map(|namespace| Api::namespaced(self.client.clone(), namespace))
            .collect()
    }

    pub fn api<K>(&self, namespace: &str) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), namespace)
    }
}
