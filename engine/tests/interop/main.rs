//! Our engine against stock iperf3, both roles: every mode completes, the two ends agree about what was
//! counted, and our JSON document has the keys that the stock tool's has for that mode.
//!
//! Stock tools: `iperf3` (3.12 on Debian bookworm) from PATH or `NETTEST_IPERF3_312`, and 3.18 from
//! `NETTEST_IPERF3_318`. A missing tool fails the test: `hack/install-prerequisites` brings both.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for production code"
)]

mod agreement;
mod keys;
mod mode;
mod peer;
mod session;

use mode::Mode;
use peer::{Peer, Stock};

/// All modes of one pairing, one after the other: they share the machine's two CPUs. Every fault is listed,
/// not only the first.
fn all_modes(client: Peer, server: Peer) {
    let faults: Vec<String> = Mode::all()
        .flat_map(|mode| {
            let found = match session::run(&client, &server, mode) {
                Ok(documents) => check(&client, &server, mode, &documents),
                Err(fault) => vec![fault],
            };
            found
                .into_iter()
                .map(move |fault| format!("{mode}: {fault}"))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} client, {} server: {} faults\n{}",
        client.name(),
        server.name(),
        faults.len(),
        faults.join("\n")
    );
}

fn check(client: &Peer, server: &Peer, mode: Mode, documents: &session::Documents) -> Vec<String> {
    let mut faults = agreement::check(mode, client, server, documents);
    for (peer, document, role) in [
        (client, &documents.client, peer::Role::Client),
        (server, &documents.server, peer::Role::Server),
    ] {
        let other = if role == peer::Role::Client {
            server
        } else {
            client
        };
        if let (Peer::Ours, Peer::Stock(stock)) = (peer, other) {
            faults.extend(keys::check(*stock, role, mode, document));
        }
    }
    faults
}

#[test]
fn our_client_with_an_iperf3_3_12_server() {
    all_modes(Peer::Ours, Peer::Stock(Stock::V3_12));
}

#[test]
fn our_client_with_an_iperf3_3_18_server() {
    all_modes(Peer::Ours, Peer::Stock(Stock::V3_18));
}

#[test]
fn iperf3_3_12_client_with_our_server() {
    all_modes(Peer::Stock(Stock::V3_12), Peer::Ours);
}

#[test]
fn iperf3_3_18_client_with_our_server() {
    all_modes(Peer::Stock(Stock::V3_18), Peer::Ours);
}

#[test]
fn our_client_with_our_server() {
    all_modes(Peer::Ours, Peer::Ours);
}
