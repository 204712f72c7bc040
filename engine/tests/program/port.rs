//! Whether a port is somebody's, without opening it. A socket of this process is, for a moment, also that of every child
//! that another thread starts just then (the copy goes with the child's exec): a listener made only to see whether it can
//! be made would for that moment take a test's first connections, and then reset them.

use std::fs;

/// The kernel's tables of one network namespace, the thread's: a port in one of them is taken.
const TABLES: [&str; 4] = ["tcp", "tcp6", "udp", "udp6"];
/// A connection's remains on our side, which keep nobody from listening.
const TIME_WAIT: &str = "06";

pub fn is_free(port: u16) -> bool {
    TABLES.iter().all(|table| {
        // No IPv6, no table of it.
        let rows = fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
        !rows.lines().skip(1).any(|row| takes(row, port))
    })
}

/// `  0: 0100007F:2710 00000000:0000 0A …`: number, local, remote, state.
fn takes(row: &str, port: u16) -> bool {
    let mut words = row.split_whitespace().skip(1);
    let local = words.next().and_then(|local| local.rsplit(':').next());
    let state = words.nth(1);
    let taken = local.and_then(|hex| u16::from_str_radix(hex, 16).ok());
    taken == Some(port) && state != Some(TIME_WAIT)
}

#[test]
fn a_port_is_taken_while_somebody_has_it() {
    use std::net::{TcpListener, UdpSocket};
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let ports = [
        tcp.local_addr().expect("an address").port(),
        udp.local_addr().expect("an address").port(),
    ];
    assert_eq!(ports.map(is_free), [false, false]);
    let row = "   0: 0100007F:2710 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1";
    assert!(takes(row, 10_000) && !takes(row, 10_001));
    assert!(!takes(&row.replace(" 0A ", " 06 "), 10_000));
}
