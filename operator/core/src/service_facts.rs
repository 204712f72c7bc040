//! What planning needs to know of the Service in front of a server.

use k8s_openapi::api::core::v1::Service;
use nettest_api::labels;
use std::net::IpAddr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceFacts {
    pub name: String,
    pub uid: String,
    /// Of the pair, in a run with several.
    pub number: Option<u32>,
    pub attempt: u32,
    pub deleting: bool,
    pub addresses: Vec<IpAddr>,
    /// Of TCP, and of UDP: they are asked for as one, but nobody promises that.
    pub node_port: Option<u16>,
}

impl ServiceFacts {
    /// `None` for a Service that is not ours.
    pub fn from_service(service: &Service) -> Option<ServiceFacts> {
        let meta = &service.metadata;
        let tags = meta.labels.as_ref()?;
        let spec = service.spec.as_ref();
        let addresses = spec
            .and_then(|spec| spec.cluster_ips.as_deref())
            .unwrap_or_default();
        let ports = spec
            .and_then(|spec| spec.ports.as_deref())
            .unwrap_or_default();
        Some(ServiceFacts {
            name: meta.name.clone()?,
            uid: meta.uid.clone()?,
            number: match tags.get(labels::PAIR) {
                Some(number) => Some(number.parse().ok()?),
                None => None,
            },
            attempt: tags.get(labels::ATTEMPT)?.parse().ok()?,
            deleting: meta.deletion_timestamp.is_some(),
            addresses: addresses.iter().filter_map(|ip| ip.parse().ok()).collect(),
            node_port: ports
                .iter()
                .filter_map(|port| port.node_port)
                .filter_map(|port| u16::try_from(port).ok())
                .find(|port| *port > 0),
        })
    }
}
