//! What was asked for is what is counted.

use crate::run::{Server, finish, text};
use serde_json::Value;

fn end_of(port: u16, flags: &str) -> Value {
    let output = finish(&format!("-c 127.0.0.1 -p {port} -J {flags}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["end"].clone()
}

/// Rate and time of exactly four datagrams: the one that is due at the end of the time is not the test's.
#[test]
fn a_paced_udp_test_sends_no_datagram_more_than_asked() {
    let server = Server::start("");
    // The default length is about as long, on loopback.
    for flags in ["-l 32768", "-l 32768 -R", ""] {
        let flags = format!("-u -b 1048576 -t 1 {flags}");
        let end = end_of(server.port, &flags);
        assert_eq!(end["sum"]["packets"], 4, "{flags}: {end}");
        assert_eq!(end["sum"]["lost_packets"], 0, "{flags}: {end}");
    }
}

/// The receiver's time has the drain in it, and the sender's no time in which it only waited for a CPU.
#[test]
fn a_receivers_rate_is_not_above_its_senders() {
    let server = Server::start("");
    let end = end_of(server.port, "-t 1 -P 8");
    let (sent, received) = (&end["sum_sent"], &end["sum_received"]);
    assert_eq!(sent["bytes"], received["bytes"], "{end}");
    let rate = |sum: &Value| sum["bits_per_second"].as_f64().expect("a rate");
    assert!(rate(sent) > 0.0 && rate(received) <= rate(sent), "{end}");
}
