//! What goes into a report about this end's machine.

use super::{format_cpus, online_cpus};
use crate::sock::{self, Device};
use nettest_report::report::{HostFacts, SocketFacts};
use socket2::Socket;

/// Facts at this moment; throttling is a difference over the test, see [`super::Throttling::note`]. `connected`: a
/// socket to the peer, which tells the device that the data leaves by.
pub fn facts(connected: Option<&Socket>) -> HostFacts {
    let (hostname, kernel) = match sock::uname() {
        Ok([_, node, release, _, _]) => (node, release),
        Err(_) => (String::new(), String::new()),
    };
    let allowed = sock::allowed_cpus().unwrap_or_default();
    let device = connected.and_then(|socket| sock::device_of(socket).ok());
    let Device {
        mtu,
        qdisc,
        link_speed,
    } = device.unwrap_or_default();
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
        mtu,
        qdisc,
        link_speed_bits_per_second: link_speed,
        sockets: SocketFacts::default(),
    }
}

/// `uname -a` style, as iperf3's `system_info`.
pub fn system_info() -> String {
    sock::uname()
        .map(|words| words.join(" "))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn this_machine_over_loopback() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let facts = facts(Some(&Socket::from(stream)));
        assert_eq!(facts.mtu, Some(65536));
        assert!(facts.qdisc.is_some());
        assert!(!facts.hostname.is_empty() && !facts.kernel.is_empty());
        assert!(facts.allowed_cpu_count >= 1 && facts.allowed_cpu_count <= facts.online_cpu_count);
        let listed = super::super::parse_cpus(&facts.allowed_cpus).unwrap();
        assert_eq!(listed.len(), facts.allowed_cpu_count as usize);
    }

    #[test]
    fn nothing_is_said_of_a_way_that_is_not_there_yet() {
        let facts = facts(None);
        assert_eq!((facts.mtu, facts.qdisc), (None, None));
    }

    #[test]
    fn system_info_reads_like_uname() {
        assert!(system_info().starts_with("Linux "));
    }
}
