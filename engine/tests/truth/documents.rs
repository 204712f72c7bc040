//! One JSON document whatever happens, and both ends' documents say the same.

use crate::lab::Net;
use crate::raw::Raw;
use crate::run::{Running, signal, text};
use crate::strict::{self, count, list};
use serde_json::Value;

/// A client's and a one-off server's document of one test.
fn both(flags: &str) -> (Value, Value) {
    let net = Net::new();
    let server = net.server("-1 -J");
    let client = net.measure("127.0.0.1", flags);
    let output = server.end();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{flags}: {}",
        text(&output.stderr)
    );
    let server = strict::parse(&output.stdout);
    strict::sane(&server);
    (client, server)
}

/// Unique keys, both directions under their own names, and each the same at both ends.
#[test]
fn report_039_a_bidirectional_document_has_both_directions() {
    for flags in [
        "-b 10M --bidir -t 1",
        "-b 10M --bidir -t 1 -P 2",
        "-u -b 10M --bidir -t 1 -l 1000",
    ] {
        let (client, server) = both(flags);
        for (sent, received) in [
            ("sum_sent", "sum_received"),
            ("sum_sent_bidir_reverse", "sum_received_bidir_reverse"),
        ] {
            for sum in [sent, received] {
                assert_eq!(
                    client["end"][sum]["bytes"], server["end"][sum]["bytes"],
                    "{flags}: {sum}"
                );
            }
            let bytes = count(&client["end"][sent]["bytes"]);
            assert!(bytes > 100_000, "{flags}: {sent}: {bytes}");
            assert_eq!(
                client["end"][sent]["bytes"], client["end"][received]["bytes"],
                "{flags}: {}",
                client["end"]
            );
        }
        for row in list(&client["intervals"]) {
            assert!(
                row["sum"].is_object() && row["sum_bidir_reverse"].is_object(),
                "{row}"
            );
        }
    }
}

#[test]
fn report_040_no_key_stands_there_twice_with_many_streams() {
    for (streams, rate) in [(1, "10M"), (2, "10M"), (8, "1M"), (128, "100K")] {
        for flags in ["-l 1000", "-u -l 500"] {
            let (client, server) = both(&format!("{flags} -P {streams} -b {rate} -t 0.5"));
            for document in [client, server] {
                assert_eq!(
                    list(&document["start"]["connected"]).len(),
                    streams,
                    "{flags} -P {streams}"
                );
                assert_eq!(
                    list(&document["end"]["streams"]).len(),
                    streams,
                    "{flags} -P {streams}"
                );
            }
        }
    }
}

/// Caps on what a peer may say are high enough for what is legal.
#[test]
fn report_046_many_streams_and_long_server_output_are_no_error() {
    for server in ["", "-J"] {
        let net = Net::new();
        let serving = net.server(&format!("-i 0.1 {server}"));
        for flags in ["", "-R"] {
            let document = net.measure(
                "127.0.0.1",
                &format!("-P 128 --get-server-output -i 0.1 -t 1.5 -b 200K -l 1000 {flags}"),
            );
            let end = &document["end"];
            assert_eq!(
                end["sum_sent"]["bytes"], end["sum_received"]["bytes"],
                "{server} {flags}"
            );
            assert_eq!(list(&end["streams"]).len(), 128);
            if server == "-J" {
                let theirs = &document["server_output_json"];
                assert_eq!(list(&theirs["end"]["streams"]).len(), 128, "{flags}");
            } else {
                let theirs = document["server_output_text"].as_str().expect("a text");
                assert!(
                    theirs.lines().count() > 128 * 10,
                    "{flags}: {}",
                    theirs.lines().count()
                );
            }
        }
        drop(serving);
    }
}

/// The server's half of the truth: what the client counted is in its document, too.
#[test]
fn report_047_a_servers_document_has_the_clients_half() {
    for flags in [
        "-R -n 3M",
        "-n 3M",
        "-u -R -b 10M -l 1000 -k 500",
        "-u -b 10M -l 1000 -k 500",
    ] {
        let (client, server) = both(flags);
        for sum in ["sum_sent", "sum_received"] {
            assert_eq!(
                client["end"][sum]["bytes"], server["end"][sum]["bytes"],
                "{flags}: {sum}"
            );
            assert_ne!(server["end"][sum]["bytes"], 0, "{flags}: {sum}");
        }
        let cpu =
            |document: &Value, key: &str| document["end"]["cpu_utilization_percent"][key].clone();
        for part in ["total", "user", "system"] {
            let (host, remote) = (format!("host_{part}"), format!("remote_{part}"));
            assert_eq!(cpu(&server, &remote), cpu(&client, &host), "{flags}");
            assert_eq!(cpu(&client, &remote), cpu(&server, &host), "{flags}");
        }
    }
}

/// What an interrupted client never told is not known: null, and no zero.
#[test]
fn report_047_what_a_client_never_told_is_null() {
    let net = Net::new();
    let server = net.server("-1 -J");
    let client = net
        .engine("-c 127.0.0.1 -t 30 -b 10M -i 0.2")
        .spawn()
        .expect("the client starts");
    let client = Running::of(client).until("/sec");
    signal(&client.child, "KILL");
    let _ = client.end();
    let document = strict::parse(&server.end().stdout);
    assert!(document["error"].is_string(), "{document}");
    assert!(!list(&document["intervals"]).is_empty());
    let end = &document["end"];
    for unknown in [
        &end["sum_sent"]["bytes"],
        &end["cpu_utilization_percent"]["remote_total"],
    ] {
        assert!(unknown.is_null(), "{end}");
    }
}

#[test]
fn report_048_the_tos_is_the_byte_that_was_set() {
    for (flags, tos) in [
        ("--dscp 10", 40),
        ("--dscp EF", 184),
        ("-S 0x48", 72),
        ("-S 0110", 72),
        ("-S 255", 255),
        ("", 0),
    ] {
        let (client, server) = both(&format!("-n 100K {flags}"));
        for document in [client, server] {
            assert_eq!(document["start"]["test_start"]["tos"], tos, "{flags}");
        }
    }
}

/// On the wire unknown retransmits are -1, and no number is the unsigned form of that.
#[test]
fn report_049_unknown_retransmits_are_minus_one_on_the_wire() {
    let lab = crate::run::Server::start("");
    let mut raw = Raw::start_test(
        lab.port,
        r#"{"tcp":true,"omit":0,"time":9,"parallel":1,"len":1000}"#,
    );
    let mut stream = Raw::connect(lab.port);
    stream.send(crate::raw::COOKIE);
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    stream.send(&[0; 5000]);
    raw.send(&[4]);
    assert_eq!(raw.state(), 13);
    raw.send_json(r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":1,"streams":[{"id":1,"bytes":5000,"retransmits":0,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#);
    let results = raw.json();
    assert_eq!(results["sender_has_retransmits"], -1);
    assert_eq!(results["streams"][0]["retransmits"], -1);
    assert_eq!(results["streams"][0]["bytes"], 5000);
    let all = results.to_string();
    let words = all.split(|c: char| !c.is_ascii_digit());
    let numbers = words.filter_map(|word| word.parse::<u64>().ok());
    assert!(
        numbers.into_iter().all(|n| i64::try_from(n).is_ok()),
        "{all}"
    );
}

#[test]
fn report_050_the_servers_document_has_its_end() {
    let net = Net::new();
    let _server = net.server("-J");
    for flags in [
        "-i 0 -n 1M",
        "-i 0 -n 1M -R",
        "-u -k 50 -b 10M",
        "-t 0.5 -b 10M --bidir",
    ] {
        let document = net.measure("127.0.0.1", &format!("--get-server-output {flags}"));
        let theirs = &document["server_output_json"];
        strict::sane(theirs);
        for sum in ["sum_sent", "sum_received"] {
            assert_eq!(
                theirs["end"][sum]["bytes"], document["end"][sum]["bytes"],
                "{flags}: {sum}: {theirs}"
            );
        }
    }
}

/// Descriptors stay as many as they are, with a log file too.
#[test]
fn report_054_descriptors_are_flat_over_many_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let net = Net::new();
    let server = net.server(&format!("--logfile {}", log.display()));
    let open = || {
        let folder = format!("/proc/{}/fd", server.child().id());
        std::fs::read_dir(folder).expect("descriptors").count()
    };
    let mut first = 0;
    for turn in 0..60 {
        let flags = [
            "-n 10K",
            "-u -k 5 -b 10M",
            "-n 10K -R -P 3",
            "-n 10K --bidir",
        ];
        let client = folder.path().join("client");
        let output = net.finish(&format!(
            "-c 127.0.0.1 {} --logfile {}",
            flags[turn % 4],
            client.display()
        ));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        if turn == 7 {
            first = settled(&open);
        }
    }
    assert_eq!(settled(&open), first);
    assert!(server.stop().stdout.is_empty());
    let written = std::fs::read_to_string(&log).expect("the log");
    assert_eq!(written.matches("Accepted connection").count(), 60);
}

/// A test's last sockets may still be on their way out.
fn settled(open: &impl Fn() -> usize) -> usize {
    std::thread::sleep(std::time::Duration::from_millis(300));
    open()
}
