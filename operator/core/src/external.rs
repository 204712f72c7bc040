//! Which of a name's addresses a test dials, outside of the cluster.

use crate::{pod_facts::of_family, policy::Policy};
use nettest_api::{Reason, path::IPFamily};
use std::net::IpAddr;

/// Why a name has no address, in full.
pub fn not_resolved(host: &str, why: &str) -> (Reason, String) {
    let message = format!("topology.external.host {host} has no address: {why}");
    (Reason::NameNotResolved, message)
}

/// The first of `found` that is of the family and that the policy allows. The error is of the last one that was
/// refused, or says that there is none of the family.
pub fn choose(
    host: &str,
    found: impl IntoIterator<Item = IpAddr>,
    family: Option<IPFamily>,
    policy: &Policy,
) -> Result<IpAddr, (Reason, String)> {
    // As it will be dialled: an IPv4 address in IPv6 clothes is the IPv4 address.
    let found: Vec<IpAddr> = found.into_iter().map(|ip| ip.to_canonical()).collect();
    let of_family = found
        .iter()
        .copied()
        .filter(|address| of_family(&[*address], family).is_some());
    let mut refusal = match (found.first(), family) {
        (Some(other), Some(family)) => {
            let family = family.as_str();
            let message = format!(
                "topology.external.host {host} has no {family} address, which path.ipFamily asks for: it has {other}; \
                 remove path.ipFamily, or give the name an {family} address"
            );
            (Reason::NameNotResolved, message)
        }
        _ => not_resolved(host, "the answer is empty"),
    };
    for address in of_family {
        match policy.allows_external(address) {
            Ok(()) => return Ok(address),
            Err(why) => {
                let named = if address.to_string() == host {
                    format!("topology.external.host {host}")
                } else {
                    format!("topology.external.host {host} ({address})")
                };
                refusal = (Reason::NotPermitted, format!("{named} {why}"));
            }
        }
    }
    Err(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyText;

    /// The way of a name with these addresses under a policy that allows the documentation's ranges.
    fn chosen(found: &[&str], family: Option<IPFamily>) -> Result<String, String> {
        let policy = Policy::parse(&PolicyText {
            external_targets: vec!["192.0.2.0/24".into(), "2001:db8::/64".into()],
            cluster_cidrs: vec!["10.0.0.0/8".into()],
            ..PolicyText::default()
        });
        let policy = policy.expect("a policy");
        let found = found.iter().map(|text| text.parse().expect("an address"));
        choose("iperf.example.net", found, family, &policy)
            .map(|address| address.to_string())
            .map_err(|(reason, message)| format!("{reason}: {message}"))
    }

    const BOTH: [&str; 4] = ["10.1.2.3", "2001:db8::7", "192.0.2.7", "192.0.2.8"];

    #[test]
    fn the_first_of_the_family_that_is_allowed() {
        assert_eq!(chosen(&BOTH, None).as_deref(), Ok("2001:db8::7"));
        let four = chosen(&BOTH, Some(IPFamily::IPv4));
        assert_eq!(four.as_deref(), Ok("192.0.2.7"));
        let six = chosen(&BOTH, Some(IPFamily::IPv6));
        assert_eq!(six.as_deref(), Ok("2001:db8::7"));
        // What some resolvers answer for a name with an A record alone.
        let mapped = ["::ffff:192.0.2.7"];
        let four = chosen(&mapped, Some(IPFamily::IPv4));
        assert_eq!(four.as_deref(), Ok("192.0.2.7"));
    }

    #[test]
    fn none_of_the_family_names_the_family() {
        for (found, family, other) in [
            ("192.0.2.7", IPFamily::IPv6, "192.0.2.7"),
            ("::ffff:192.0.2.7", IPFamily::IPv6, "192.0.2.7"),
            ("2001:db8::7", IPFamily::IPv4, "2001:db8::7"),
        ] {
            let family_name = family.as_str();
            assert_eq!(
                chosen(&[found], Some(family)).unwrap_err(),
                format!(
                    "NameNotResolved: topology.external.host iperf.example.net has no {family_name} address, which \
                     path.ipFamily asks for: it has {other}; remove path.ipFamily, or give the name an {family_name} address"
                )
            );
        }
        let nothing = chosen(&[], Some(IPFamily::IPv6)).unwrap_err();
        assert!(nothing.starts_with("NameNotResolved: "), "{nothing}");
    }

    /// An allowed address of the other family is no way around the refusal of the one that was asked for.
    #[test]
    fn not_permitted_is_said_of_the_family_that_was_asked_for() {
        let found = ["2001:db8:1::7", "192.0.2.7"];
        let refused = chosen(&found, Some(IPFamily::IPv6)).unwrap_err();
        assert!(
            refused.starts_with(
                "NotPermitted: topology.external.host iperf.example.net (2001:db8:1::7) is not in policy.externalTargets"
            ),
            "{refused}"
        );
        let refused = chosen(&["10.1.2.3"], None).unwrap_err();
        assert!(
            refused.contains("(10.1.2.3) is in the cluster's own range"),
            "{refused}"
        );
    }
}
