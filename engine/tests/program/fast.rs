//! `--fast`: every fast path at both ends, and what the result says of them.

use crate::data::{bytes, document};
use crate::run::{Server, finish, text};
use serde_json::{Value, json};

/// The document of a client, and what stands on its stderr.
fn measured(flags: &str) -> (Value, String) {
    let output = finish(flags);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{flags}: {said}");
    let document = serde_json::from_slice(&output.stdout).expect("one JSON document");
    (document, said)
}

#[track_caller]
fn paths(document: &Value, client: &[&str], server: &[&str]) {
    let paths = &document["end"]["nettest"]["fast_paths"];
    assert_eq!(paths, &json!({"client": client, "server": server}));
}

/// TCP, to the byte.
#[test]
fn fast_tcp_counts_every_byte_each_way_and_names_its_paths() {
    let server = Server::start("");
    let (sends, receives) = (&["zerocopy"][..], &["skip_rx_copy"][..]);
    let both = &["zerocopy", "skip_rx_copy"][..];
    for (flags, client, served) in [
        ("", sends, receives),
        ("-R", receives, sends),
        ("--bidir", both, both),
        ("--bidir -P 3 --repeating-payload", both, both),
        ("-P 4 -l 1000", sends, receives),
    ] {
        let (document, said) = measured(&format!(
            "-c 127.0.0.1 -p {} -J --fast -n 3000001 {flags}",
            server.port
        ));
        assert_eq!(said, "", "{flags}");
        let sums = ["sum_sent", "sum_received"].map(|sum| bytes(&document, sum));
        assert_eq!(sums, [3_000_001; 2], "{flags}");
        if flags.contains("--bidir") {
            let back = ["sum_sent_bidir_reverse", "sum_received_bidir_reverse"];
            let sums = back.map(|sum| bytes(&document, sum));
            assert_eq!(sums, [3_000_001; 2], "{flags}");
        }
        paths(&document, client, served);
        // Nothing else is another test for it.
        let test = &document["start"]["test_start"];
        let block = if flags.contains("-l") { 1000 } else { 131_072 };
        assert_eq!(test["blksize"], block, "{flags}");
        let nettest = &document["start"]["nettest"];
        assert_eq!(nettest["requested"]["fast"], true);
        for name in client {
            assert_eq!(nettest["granted"][name], true, "{flags} {name}");
        }
    }
}

/// UDP, to the datagram; also where no two of them go into one send.
#[test]
fn fast_udp_counts_every_datagram_each_way_and_names_its_paths() {
    let server = Server::start("");
    let (sends, receives) = (&["gso"][..], &["gro"][..]);
    let both = &["gso", "gro"][..];
    for (flags, client, served) in [
        ("-l 1000", sends, receives),
        ("-l 1000 -R", receives, sends),
        ("-l 1000 --bidir -P 2", both, both),
        // Above half of what UDP carries: neither cut nor merged, and so only the heads are read.
        ("-l 40000", &[], &["skip_rx_copy"]),
        ("-l 40000 -R", &["skip_rx_copy"], &[]),
        ("-l 40000 --bidir", &["skip_rx_copy"], &["skip_rx_copy"]),
    ] {
        let (document, said) = measured(&format!(
            "-c 127.0.0.1 -p {} -J --fast -u -b 20M -k 40 {flags}",
            server.port
        ));
        for (sent, received) in [
            ("sum_sent", "sum_received"),
            ("sum_sent_bidir_reverse", "sum_received_bidir_reverse"),
        ] {
            let Some(end) = document["end"].get(received) else {
                assert!(!flags.contains("--bidir") && received != "sum_received");
                continue;
            };
            let seen = (&end["packets"], &end["lost_packets"]);
            assert_eq!(seen, (&json!(40), &json!(0)), "{flags}");
            assert_eq!(bytes(&document, sent), bytes(&document, received));
        }
        paths(&document, client, served);
        // The result says what the server was asked.
        let asked = &document["start"]["nettest"]["requested"]["gsro"];
        assert_eq!(asked, !flags.contains("40000"), "{flags}");
        // The end that sends says on its stderr what it does without.
        let tells = flags.contains("40000") && !flags.contains("-R");
        assert_eq!(
            said.contains("--fast: datagrams of 40000 bytes leave without segmentation"),
            tells,
            "{flags}: {said}"
        );
        assert_eq!(said.lines().count(), usize::from(tells), "{said}");
    }
}

#[test]
fn what_was_not_asked_for_by_name_is_not_used_and_not_printed() {
    let mut server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -n 1M", server.port);
    paths(&document(&format!("{flags} -J")), &[], &[]);
    paths(&document(&format!("{flags} -J -Z")), &["zerocopy"], &[]);
    let skipping = document(&format!("{flags} -J --skip-rx-copy -R"));
    paths(&skipping, &["skip_rx_copy"], &[]);
    let plain = text(&finish(&flags).stdout);
    assert!(!plain.contains("Fast paths"), "{plain}");
    let fast = text(&finish(&format!("{flags} --fast")).stdout);
    let line = "Fast paths: client: sends without a copy; server: receives without a copy\n";
    assert_eq!(fast.matches(line).count(), 1, "{fast}");
    // Its words may come after the client has ended.
    let (_, served) = server.stop();
    assert_eq!(served.matches(line).count(), 1, "{served}");
}

/// With `-Z` the first of these is refused.
#[test]
fn a_file_wins_over_fast_and_that_is_said() {
    let content: Vec<u8> = (0..1_500_007u32).map(|i| (i * 31 % 251) as u8).collect();
    let dir = tempfile::tempdir().expect("a folder");
    let name = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(name("from"), &content).expect("the file");
    let (to_server, to_client) = (name("to-server"), name("to-client"));
    for (serving, flags, client, served) in [
        (
            &to_server,
            format!("-F {}", name("from")),
            &["zerocopy"][..],
            &[][..],
        ),
        (
            &name("from"),
            format!("-R -F {to_client}"),
            &[],
            &["zerocopy"],
        ),
    ] {
        let server = Server::start(&format!("-F {serving}"));
        let (document, said) = measured(&format!(
            "-c 127.0.0.1 -p {} -J --fast {flags}",
            server.port
        ));
        assert!(said.contains("note - --fast: with -F"), "{said}");
        assert_eq!(bytes(&document, "sum_received"), content.len() as u64);
        paths(&document, client, served);
    }
    for arrived in [to_server, to_client] {
        assert!(
            std::fs::read(&arrived).expect("it is there") == content,
            "{arrived}"
        );
    }
    // A device has no pages; it never ends.
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -J -t 0.3 -F /dev/zero", server.port);
    let (document, said) = measured(&format!("{flags} --fast"));
    assert!(
        said.contains("--fast: what is sent comes from a pipe or a device"),
        "{said}"
    );
    paths(&document, &[], &[]);
    assert_eq!(finish(&format!("{flags} -Z")).status.code(), Some(1));
}

/// The client knows nothing of the server's file, and asks it to skip the data.
#[test]
fn a_servers_file_wins_over_the_clients_fast() {
    let dir = tempfile::tempdir().expect("a folder");
    let to = dir.path().join("to");
    let server = Server::start(&format!("-F {}", to.display()));
    let flags = format!("-c 127.0.0.1 -p {} -J --fast -n 300000", server.port);
    let (document, _) = measured(&format!("{flags} --repeating-payload -l 1000"));
    paths(&document, &["zerocopy"], &[]);
    let complained = server.complained();
    assert!(
        complained.contains("--fast: what arrives is written to a file (-F)"),
        "{complained}"
    );
    let digits: Vec<u8> = (b'0'..=b'9').cycle().take(300_000).collect();
    assert!(std::fs::read(to).expect("it is there") == digits);
}

/// Linux copies what is sent over MPTCP, whoever asks.
#[test]
fn mptcp_is_told_as_it_is() {
    let server = Server::start("");
    for flags in ["--fast", "-Z"] {
        let (document, said) = measured(&format!(
            "-c 127.0.0.1 -p {} -J -m -n 1M {flags}",
            server.port
        ));
        let granted = &document["start"]["nettest"]["granted"];
        let copied = granted["mptcp"] == true;
        assert_eq!(granted["zerocopy"], !copied, "{flags}");
        let told = said.contains("--fast: what is sent over MPTCP is copied");
        assert_eq!(told, copied && flags == "--fast", "{said}");
        assert_eq!(bytes(&document, "sum_received"), 1 << 20, "{flags}");
    }
}
