//! What the operator's administrator allows.

use std::collections::BTreeSet;

/// What the operator's administrator allows, from flags and chart values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    pub host_network: HostNetwork,
}

/// In which namespaces pods may use their node's network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostNetwork {
    Everywhere,
    Namespaces(BTreeSet<String>),
}

impl Default for HostNetwork {
    fn default() -> Self {
        HostNetwork::Namespaces(BTreeSet::new())
    }
}

impl Policy {
    /// For `kubectl nettest run --local`: the user's own machine.
    pub fn everything() -> Policy {
        Policy {
            host_network: HostNetwork::Everywhere,
        }
    }

    /// From the comma-separated value of `--host-network-namespaces`; `*` is every namespace.
    pub fn with_host_network(namespaces: &str) -> Policy {
        let names: BTreeSet<String> = namespaces
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        Policy {
            host_network: if names.contains("*") {
                HostNetwork::Everywhere
            } else {
                HostNetwork::Namespaces(names)
            },
        }
    }

    /// Whether clients may dial this address outside of the cluster; else why not, after its name.
    pub fn allows_external(&self, address: std::net::IpAddr) -> Result<(), String> {
        let _ = address;
        Err("is not permitted".to_owned())
    }

    pub fn allows_host_network(&self, namespace: &str) -> bool {
        match &self.host_network {
            HostNetwork::Everywhere => true,
            HostNetwork::Namespaces(names) => names.contains(namespace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn flag_value() {
        let policy = Policy::with_host_network("nettest-system, lab");
        assert!(policy.allows_host_network("lab"));
        assert!(policy.allows_host_network("nettest-system"));
        assert!(!policy.allows_host_network("default"));
        assert!(!Policy::with_host_network("").allows_host_network(""));
        assert!(Policy::with_host_network("a,*").allows_host_network("default"));
    }
}
