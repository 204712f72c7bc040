//! The address of a server elsewhere.

use crate::local::LocalError;
use nettest_api::path::IPFamily;
use nettest_core::valid::ValidExternal;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Resolvers give up by themselves, but not all before their user does.
const LOOKUP: Duration = Duration::from_secs(20);

/// Where the server is: the first address of the family that was asked for. Looked up once, so that all variants
/// measure the same machine.
pub async fn find(
    external: &ValidExternal,
    family: Option<IPFamily>,
) -> Result<SocketAddr, LocalError> {
    let ValidExternal { host, port } = external;
    let no_address = |why: String| LocalError::NoAddress {
        host: host.clone(),
        why,
    };
    let found = tokio::net::lookup_host((host.as_str(), *port));
    let found: Vec<IpAddr> = tokio::time::timeout(LOOKUP, found)
        .await
        .map_err(|_| no_address(format!("no answer within {} s", LOOKUP.as_secs())))?
        .map_err(|error| no_address(error.to_string()))?
        .map(|found| found.ip().to_canonical())
        .collect();
    match first(&found, family) {
        Some(address) => Ok(SocketAddr::new(address, *port)),
        None => Err(no_address(match (found.first(), family) {
            (Some(other), Some(family)) => {
                format!("it has {other}, and path.ipFamily is {}", family.as_str())
            }
            _ => "the answer is empty".to_owned(),
        })),
    }
}

fn first(found: &[IpAddr], family: Option<IPFamily>) -> Option<IpAddr> {
    let fits = |address: &&IpAddr| match family {
        Some(IPFamily::IPv4) => address.is_ipv4(),
        Some(IPFamily::IPv6) => address.is_ipv6(),
        None => true,
    };
    found.iter().find(fits).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_family() {
        let found = ["2001:db8::1", "192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let first = |family| first(&found, family).map(|address| address.to_string());
        assert_eq!(first(None).as_deref(), Some("2001:db8::1"));
        assert_eq!(first(Some(IPFamily::IPv4)).as_deref(), Some("192.0.2.1"));
        assert_eq!(first(Some(IPFamily::IPv6)).as_deref(), Some("2001:db8::1"));
    }

    #[tokio::test]
    async fn an_address_is_itself_and_another_family_is_none() {
        let external = ValidExternal {
            host: "192.0.2.1".to_owned(),
            port: 5202,
        };
        let found = find(&external, None).await.unwrap();
        assert_eq!(found.to_string(), "192.0.2.1:5202");
        let error = find(&external, Some(IPFamily::IPv6)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "topology.external.host 192.0.2.1 has no address: it has 192.0.2.1, and path.ipFamily is IPv6"
        );
    }
}
