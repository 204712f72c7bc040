//! Single field reports that concern stock peers, in both roles.

use crate::generator;
use crate::output;
use crate::peer::{self, Peer, Stock};
use crate::session;
use crate::{axes, ports, slots};
use serde_json::Value;

/// Ours against every stock version, each as the client once.
fn pairs() -> Vec<(Peer, Peer)> {
    Stock::all()
        .map(Peer::Stock)
        .flat_map(|stock| [(Peer::Ours, stock), (stock, Peer::Ours)])
        .collect()
}

/// One test with the machine for itself; both documents.
fn documents(client: Peer, server: Peer, flags: &str) -> (Value, Value) {
    let _slots = slots::take(slots::ALL);
    let port = ports::block(1);
    let words = |text: String| {
        text.split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let ends = session::run(
        (&client, &words(format!("-c 127.0.0.1 -p {port} {flags}"))),
        (&server, &words(format!("-s -1 -p {port} -J -i 0.5"))),
        port,
    );
    assert!(
        ends.went_well(),
        "{} -> {} {flags}: {ends:?}",
        client.name(),
        server.name()
    );
    let read = |said, ours| {
        let output = output::read(["-J"].into_iter(), said, ours).unwrap();
        output.document().unwrap().clone()
    };
    (
        read(&ends.client, client == Peer::Ours),
        read(&ends.server, server == Peer::Ours),
    )
}

#[test]
fn report_046_results_of_128_streams_with_the_servers_output_are_not_cut() {
    for (client, server) in pairs() {
        for flags in [
            "-P 128 -t 1 -b 500K -l 4K -i 0.1 --get-server-output -J",
            "-P 128 -t 1 -b 500K -l 4K -i 0.1 --get-server-output -J -R",
        ] {
            let (document, _) = documents(client, server, flags);
            let at = format!("{} -> {} {flags}", client.name(), server.name());
            let streams = document["end"]["streams"].as_array().unwrap();
            assert_eq!(streams.len(), 128, "{at}");
            let sum: u64 = streams
                .iter()
                .map(|stream| stream["sender"]["bytes"].as_f64().unwrap() as u64)
                .sum();
            let total = document["end"]["sum_sent"]["bytes"].as_f64().unwrap() as u64;
            assert_eq!(sum, total, "{at}");
            let theirs = &document["server_output_json"]["end"]["streams"];
            assert_eq!(theirs.as_array().map(Vec::len), Some(128), "{at}");
        }
    }
}

#[test]
fn report_049_unknown_retransmits_are_absent_and_no_number_is_2_to_the_64() {
    fn largest(value: &Value) -> f64 {
        match value {
            Value::Number(number) => number.as_f64().unwrap(),
            Value::Array(elements) => elements.iter().map(largest).fold(0.0, f64::max),
            Value::Object(members) => members.values().map(largest).fold(0.0, f64::max),
            _ => 0.0,
        }
    }
    for (client, server) in pairs() {
        for flags in ["-t 1 -b 8M -l 4K -R -J", "-t 1 -b 8M -l 4K --bidir -J"] {
            let (client_document, server_document) = documents(client, server, flags);
            for (peer, document) in [(client, client_document), (server, server_document)] {
                if peer == Peer::Ours {
                    assert!(largest(&document) < 9.2e18, "{flags}: {document}");
                    let received = &document["end"]["sum_received"];
                    assert!(received.get("retransmits").is_none(), "{received}");
                }
            }
        }
    }
}

#[test]
fn report_050_the_servers_whole_report_is_in_the_clients_document() {
    for (client, server) in pairs() {
        let (document, _) = documents(
            client,
            server,
            "-t 1 -b 8M -l 4K -i 0 --get-server-output -J",
        );
        let theirs = &document["server_output_json"];
        let received = theirs["end"]["sum_received"]["bytes"].as_f64();
        let ours = document["end"]["sum_received"]["bytes"].as_f64();
        assert!(received.is_some_and(|bytes| bytes > 0.0), "{theirs}");
        assert_eq!(received, ours, "{} -> {}", client.name(), server.name());
    }
}

/// A name that is missing from our help would be left out of all combinations without a word.
#[test]
fn our_engine_has_every_flag_that_is_combined() {
    let help = Peer::Ours.help();
    for flag in generator::all_flags() {
        assert!(peer::names(&help, flag), "{flag} is not in\n{help}");
    }
}

#[test]
fn every_flag_is_known_to_stock_iperf3_since_its_version() {
    for stock in Stock::all() {
        let help = Peer::Stock(stock).help();
        for flag in generator::all_flags() {
            let known = axes::since(flag) <= stock;
            assert_eq!(peer::names(&help, flag), known, "{flag} of {stock:?}");
        }
    }
}
