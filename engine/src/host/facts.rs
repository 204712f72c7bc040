//! What goes into a report about this end's machine.

use super::{format_cpus, online_cpus};
use crate::sock;
use nettest_report::report::HostFacts;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Facts at this moment; throttling is a difference over the test, see [`super::Throttling::note`]. `peer` tells
/// which interface carries the test.
pub fn facts(peer: Option<IpAddr>) -> HostFacts {
    let (hostname, kernel) = match sock::uname() {
        Ok([_, node, release, _, _]) => (node, release),
        Err(_) => (String::new(), String::new()),
    };
    let allowed = sock::allowed_cpus().unwrap_or_default();
    HostFacts {
        hostname,
        kernel,
        node: std::env::var("NODE_NAME")
            .ok()
            .filter(|name| !name.is_empty()),
        allowed_cpus: format_cpus(&allowed),
        allowed_cpu_count: u32::try_from(allowed.len()).unwrap_or(u32::MAX),
        online_cpu_count: online_cpus().unwrap_or(0),
        throttled_periods: None,
        throttled_usec: None,
        mtu: peer
            .and_then(local_address)
            .and_then(|local| sock::mtu_of(local).ok().flatten()),
    }
}

/// `uname -a` style, as iperf3's `system_info`.
pub fn system_info() -> String {
    sock::uname()
        .map(|words| words.join(" "))
        .unwrap_or_default()
}

/// The address that the route to `peer` starts from. Connecting a UDP socket sends nothing.
fn local_address(peer: IpAddr) -> Option<IpAddr> {
    let any: SocketAddr = match peer {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket
        .connect((peer.to_canonical(), 9))
        .or_else(|_| socket.connect((peer, 9)))
        .ok()?;
    Some(socket.local_addr().ok()?.ip().to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_over_loopback() {
        let facts = facts(Some(Ipv4Addr::LOCALHOST.into()));
        assert_eq!(facts.mtu, Some(65536));
        assert!(!facts.hostname.is_empty() && !facts.kernel.is_empty());
        assert!(facts.allowed_cpu_count >= 1 && facts.allowed_cpu_count <= facts.online_cpu_count);
        let listed = super::super::parse_cpus(&facts.allowed_cpus).unwrap();
        assert_eq!(listed.len(), facts.allowed_cpu_count as usize);
    }

    #[test]
    fn an_ipv4_peer_of_a_dual_stack_socket_counts_as_ipv4() {
        let mapped = Ipv4Addr::LOCALHOST.to_ipv6_mapped();
        assert_eq!(facts(Some(mapped.into())).mtu, Some(65536));
        assert_eq!(facts(None).mtu, None);
    }

    #[test]
    fn system_info_reads_like_uname() {
        assert!(system_info().starts_with("Linux "));
    }
}
