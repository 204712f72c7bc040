//! Addresses outside of the cluster.

use crate::cidr::Cidr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses a test may dial outside of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalTargets {
    /// Loopback too: for a user's own machine.
    Everywhere,
    These {
        targets: Vec<Cidr>,
        /// Pods, Services and nodes: never, whatever `targets` has.
        cluster: Vec<Cidr>,
    },
}

impl Default for ExternalTargets {
    fn default() -> Self {
        ExternalTargets::These {
            targets: Vec::new(),
            cluster: Vec::new(),
        }
    }
}

impl ExternalTargets {
    /// Whether no address at all is allowed.
    pub fn is_none(&self) -> bool {
        matches!(self, ExternalTargets::These { targets, .. } if targets.is_empty())
    }

    /// The error goes on after the address.
    pub fn allows(&self, address: IpAddr) -> Result<(), String> {
        let ExternalTargets::These { targets, cluster } = self else {
            return Ok(());
        };
        for meant in meanings(address) {
            if let Some(kind) = never(meant) {
                return Err(format!("is {kind}: no test may dial it"));
            }
            if let Some(range) = cluster.iter().find(|range| range.contains(meant)) {
                return Err(format!(
                    "is in the cluster's own range {range} (policy.clusterCIDRs): no test may dial it, use another topology"
                ));
            }
        }
        // As it will be dialled: an IPv4 address in IPv6 clothes is the IPv4 address.
        let address = address.to_canonical();
        if targets.iter().any(|range| range.contains(address)) {
            return Ok(());
        }
        Err(
            "is not in policy.externalTargets: ask the operator's administrator to add it"
                .to_owned(),
        )
    }
}

/// The address, and the IPv4 address that a network may take it for: mapped (RFC 4291, 2.5.5.2), translated by NAT64
/// (RFC 6052, 64:ff9b::/96) or tunnelled by 6to4 (RFC 3056, 2002::/16).
fn meanings(address: IpAddr) -> Vec<IpAddr> {
    let address = address.to_canonical();
    let mut all = vec![address];
    if let IpAddr::V6(six) = address {
        let [a, b, c, d, e, f, g, h] = six.segments();
        let four = |high: u16, low: u16| {
            let [[one, two], [three, four]] = [high.to_be_bytes(), low.to_be_bytes()];
            IpAddr::V4(Ipv4Addr::new(one, two, three, four))
        };
        if [a, b, c, d, e, f] == [0x64, 0xff9b, 0, 0, 0, 0] {
            all.push(four(g, h));
        }
        if a == 0x2002 {
            all.push(four(b, c));
        }
    }
    all
}

/// What no policy can allow.
fn never(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(four) => never_v4(four),
        IpAddr::V6(six) => never_v6(six),
    }
}

fn never_v4(address: Ipv4Addr) -> Option<&'static str> {
    match address.octets() {
        // "This network" (RFC 791): Linux takes 0.0.0.0 for itself.
        [0, ..] => Some("an unspecified address"),
        [127, ..] => Some("a loopback address"),
        // With the clouds' metadata services.
        [169, 254, ..] => Some("a link-local address"),
        [224..=239, ..] => Some("a multicast address"),
        // With the broadcast address (RFC 1112, RFC 919).
        [240..=255, ..] => Some("a reserved address"),
        _ => None,
    }
}

fn never_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments() {
        _ if address.is_unspecified() => Some("an unspecified address"),
        _ if address.is_loopback() => Some("a loopback address"),
        // The rest of ::/96, "IPv4-compatible" (RFC 4291, 2.5.5.1).
        [0, 0, 0, 0, 0, 0, _, _] => Some("a reserved address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        // The metadata service of EC2.
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254] => Some("a metadata service's address"),
        _ => None,
    }
}
