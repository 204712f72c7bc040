//! Our client and our server.

use crate::run::{Server, finish, text};
use serde_json::Value;

#[test]
fn text_has_rows_a_summary_and_an_end() {
    let mut server = Server::start("");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 2 -i 1 -P 2 -b 20M",
        server.port
    ));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let seen = text(&output.stdout);
    let count = |what: &str| seen.lines().filter(|l| l.contains(what)).count();
    assert!(seen.starts_with(&format!(
        "Connecting to host 127.0.0.1, port {}\n",
        server.port
    )));
    // Two intervals, the sender's and the receiver's summary.
    assert_eq!(count("[SUM]"), 4, "{seen}");
    assert_eq!(count("sender"), 3, "{seen}");
    assert_eq!(count("receiver"), 3, "{seen}");
    assert!(seen.ends_with("\niperf Done.\n"), "{seen}");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    // An idle server that is told to end has done nothing wrong.
    let (code, printed) = server.stop();
    assert_eq!(code, Some(0));
    assert!(
        printed.contains("Accepted connection from 127.0.0.1, port "),
        "{printed}"
    );
    assert!(printed.contains("(test #2)"), "{printed}");
}

/// A one-off server is not used up by probes (field report 082), and ends with its test.
#[test]
fn report_082_probes_do_not_use_up_a_one_off_server() {
    let mut server = Server::start("-1");
    for _ in 0..3 {
        let output = finish(&format!("--probe -p {}", server.port));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let output = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let code = server.child.wait().expect("the server ends").code();
    assert_eq!(code, Some(0));
}

/// Field report 050.
#[test]
fn report_050_the_servers_report_comes_whole() {
    let server = Server::start("");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 1 -i 0 -b 20M -J --get-server-output",
        server.port
    ));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("exactly one value");
    let theirs = document["server_output_text"].as_str().expect("a text");
    assert!(theirs.starts_with("Accepted connection from "), "{theirs}");
    assert!(theirs.trim_end().ends_with("receiver"), "{theirs}");
}

/// Field report 004: a byte limit is met to the byte, and the two ends agree.
#[test]
fn report_004_bytes_are_exact_at_both_ends() {
    let server = Server::start("");
    for flags in ["-n 5M", "-n 5M -P 4", "-n 5M -R", "-k 40 -l 64K"] {
        let output = finish(&format!("-c 127.0.0.1 -p {} -J {flags}", server.port));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{flags}: {}",
            text(&output.stderr)
        );
        let document: Value = serde_json::from_slice(&output.stdout).expect("exactly one value");
        let asked = if flags.starts_with("-k") {
            40 * 65_536
        } else {
            5_242_880
        };
        assert_eq!(document["end"]["sum_sent"]["bytes"], asked, "{flags}");
        assert_eq!(document["end"]["sum_received"]["bytes"], asked, "{flags}");
    }
}

/// Data that was on the way when the omitted part ended is counted by the sender only: the client must not wait
/// for it.
#[test]
fn bytes_after_an_omitted_part_end_a_reverse_test() {
    let server = Server::start("");
    for flags in ["-R", "--bidir", "-u -b 50M -R"] {
        let output = finish(&format!(
            "-c 127.0.0.1 -p {} -J -n 2M -O 0.5 {flags}",
            server.port
        ));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{flags}: {}",
            text(&output.stdout)
        );
        let document: Value = serde_json::from_slice(&output.stdout).expect("exactly one value");
        let sent = document["end"]["sum_sent"]["bytes"].as_u64();
        let whole = sent.is_some_and(|sent| (2 << 20..(2 << 20) + 40_000).contains(&sent));
        assert!(whole, "{flags}: {sent:?}");
    }
}

/// The token keeps others out.
#[test]
fn a_wrong_run_token_is_refused() {
    let server = Server::start("--run-token abc234");
    let client = |token: &str| finish(&format!("-c 127.0.0.1 -p {} -n 1M {token}", server.port));
    assert_ne!(client("").status.code(), Some(0));
    assert_ne!(client("--run-token abc235").status.code(), Some(0));
    let output = client("--run-token abc234");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
