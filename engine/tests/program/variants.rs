//! Several variants in one client, as the operator and a user at a shell run them.

use crate::run::{Running, Server, finish, signal, text};
use crate::uninterrupted::uninterrupted;
use nettest_report::digest::{Digest, Outcome, decode, encode, find_in_log};
use nettest_report::event::Event;
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const THREE: &str =
    "--variant tcp-p1 --variant tcp-p4 -P 4 -R --variant udp -u -b 8M -l 1000 --bidir";

fn events(output: &Output) -> Vec<Event> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let events = text(&output.stdout);
    let events = events
        .lines()
        .map(|line| Event::parse(line).expect("an event"));
    events.collect()
}

fn order(events: &[Event]) -> Vec<(&str, u32)> {
    let measured = events.iter().filter_map(|event| match event {
        Event::Measurement(m) => Some((m.variant.as_str(), m.repeat)),
        _ => None,
    });
    measured.collect()
}

#[test]
fn variants_are_measured_round_by_round_and_told_in_one_digest() {
    let server = Server::start("");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 0.3 -i 0.1 --measurement-stream --run-uid u-1 --repeats 2 --repeat-pause 0.05 \
         --digest-file {} {THREE}",
        server.port,
        file.display()
    ));
    let events = events(&output);
    assert_eq!(
        order(&events),
        [
            ("tcp-p1", 1),
            ("tcp-p4", 1),
            ("udp", 1),
            ("tcp-p1", 2),
            ("tcp-p4", 2),
            ("udp", 2),
        ]
    );
    let Some(Event::Digest(digest)) = events.last() else {
        panic!("no digest: {}", text(&output.stdout));
    };
    assert_eq!((digest.outcome, digest.thinned), (Outcome::Complete, 0));
    let flows: Vec<_> = digest
        .figures
        .iter()
        .map(|f| (f.variant.as_str(), f.flow.as_str()))
        .collect();
    assert_eq!(
        flows,
        [
            ("tcp-p1", "ClientToServer"),
            ("tcp-p4", "ServerToClient"),
            ("udp", "ClientToServer"),
            ("udp", "ServerToClient"),
        ]
    );
    for figures in &digest.figures {
        let udp = figures.variant == "udp";
        assert_eq!(figures.received_bits_per_second.len(), 2, "{figures:?}");
        assert_eq!(
            figures.datagrams.len(),
            if udp { 2 } else { 0 },
            "{figures:?}"
        );
        assert_eq!(
            figures.fairness_ppm.len(),
            if figures.variant == "tcp-p4" { 2 } else { 0 }
        );
        for sockets in [&figures.sender_sockets, &figures.receiver_sockets] {
            let sockets = sockets.as_ref().expect("of both ends");
            assert_eq!(sockets.congestion.is_some(), !udp, "{figures:?}");
            assert!(sockets.sndbuf.is_some());
        }
    }
    // The document's own rates, in the order of the repeats.
    let rates: Vec<u64> = events
        .iter()
        .filter_map(|event| match event {
            Event::Measurement(m) if m.variant == "tcp-p4" => {
                m.report["end"]["sum_received"]["bits_per_second"].as_f64()
            }
            _ => None,
        })
        .map(|rate| rate.round() as u64)
        .collect();
    assert_eq!(digest.figures[1].received_bits_per_second, rates);
    let written = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(written, encode(digest));
    assert_eq!(&decode(&written).expect("a digest"), digest);
}

/// Too much for a termination message: the file has a stub, and the log all.
#[test]
fn a_long_series_leaves_a_stub_that_its_log_completes() {
    let server = Server::start("");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    let variants: String = (0..128)
        .map(|n| format!(" --variant v{n} -P {}", n % 2 + 1))
        .collect();
    let line = format!(
        "-c 127.0.0.1 -p {} -n 4K -i 0 --bidir --run-uid u-1 --attempt 3 --repeats 2 --digest-file {}",
        server.port,
        file.display()
    );
    let output = finish(&format!("{line} --measurement-stream {variants}"));
    let events = events(&output);
    assert_eq!(order(&events).len(), 256);
    let Some(Event::Digest(whole)) = events.last() else {
        panic!("no digest");
    };
    let stub = decode(&std::fs::read_to_string(&file).expect("the file")).expect("a digest");
    assert!(stub.figures.is_empty());
    assert_eq!((stub.attempt, stub.outcome), (3, Outcome::Complete));
    assert_eq!(
        find_in_log(&text(&output.stdout), &stub).as_ref(),
        Some(whole)
    );
    assert_eq!(whole.figures.len(), 256);
    // Without the log a user is told where the figures would be.
    let output = finish(&format!("{line} {variants}"));
    let told = text(&output.stderr);
    assert!(told.contains("--measurement-stream"), "{told}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn text_and_json_lines_say_which_variant_they_are_of() {
    let server = Server::start("");
    let line = format!(
        "-c 127.0.0.1 -p {} -t 0.2 --repeats 2 {{}} {THREE}",
        server.port
    );
    let output = finish(&line.replace("{}", "-T title"));
    let said = text(&output.stdout);
    let headers: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("Variant"))
        .collect();
    assert_eq!(
        headers,
        [
            "Variant tcp-p1, repeat 1 of 2",
            "Variant tcp-p4, repeat 1 of 2",
            "Variant udp, repeat 1 of 2",
            "Variant tcp-p1, repeat 2 of 2",
            "Variant tcp-p4, repeat 2 of 2",
            "Variant udp, repeat 2 of 2",
        ]
    );
    assert!(said.starts_with("Variant tcp-p1"), "{said}");
    assert_eq!(said.matches("iperf Done.").count(), 6);

    let output = finish(&line.replace("{}", "--json-stream"));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let started = lines.iter().filter(|line| line["event"] == "start");
    let turns: Vec<_> = started
        .map(|line| (line["variant"].clone(), line["repeat"].clone()))
        .collect();
    assert_eq!(turns[4], (Value::from("tcp-p4"), Value::from(2)));
    assert!(lines.iter().all(|line| line["variant"].is_string()));

    // A single one is iperf3's, without a word more.
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 0.2 --json-stream --variant a",
        server.port
    ));
    assert!(text(&output.stdout).starts_with("{\"event\":\"start\""));
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 0.2 --variant a",
        server.port
    ));
    assert!(text(&output.stdout).starts_with("Connecting to host"));

    let output = finish("-c 127.0.0.1 -J --variant a --variant b");
    assert_eq!(output.status.code(), Some(1));
    let refused = text(&output.stderr);
    assert!(
        refused.contains("--json-stream or --measurement-stream"),
        "{refused}"
    );
}

/// Where nobody listens ends the series, and is named.
#[test]
fn the_first_failure_ends_all_and_names_its_variant() {
    let server = Server::start("");
    let port = server.port;
    let nobody = crate::run::free_port();
    let output = finish(&format!(
        "-c 127.0.0.1 -t 0.2 --measurement-stream --run-uid u-1 --repeats 3 --variant here -p {port} \
         --variant nowhere -p {nobody} --variant never -p {port}"
    ));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let events: Vec<Event> = stdout.lines().filter_map(Event::parse).collect();
    assert_eq!(order(&events), [("here", 1)]);
    let Some(Event::Digest(digest)) = events.last() else {
        panic!("no digest: {stdout}");
    };
    assert_eq!(digest.outcome, Outcome::Failed);
    assert!(
        digest.message.starts_with("variant nowhere: "),
        "{}",
        digest.message
    );
    let told = text(&output.stderr);
    assert!(told.contains("error - variant nowhere: "), "{told}");
}

#[test]
fn a_signal_between_two_measurements_ends_the_series() {
    let server = Server::start("");
    let client = Running::start(&format!(
        "-c 127.0.0.1 -p {} -n 4K --measurement-stream --run-uid u-1 --repeats 2 --repeat-pause 60 \
         --variant a --variant b",
        server.port
    ))
    .until("\"measurement\"");
    signal(&client.child, "TERM");
    let output = client.end();
    assert_eq!(output.status.code(), Some(143));
    let stdout = text(&output.stdout);
    let digest: Option<Digest> = stdout.lines().find_map(|line| match Event::parse(line)? {
        Event::Digest(digest) => Some(digest),
        _ => None,
    });
    let message = digest.expect("a digest").message;
    assert!(message.starts_with("variant b: "), "{message}");
}

/// On the way to a server, it lets every datagram of the data pass but in one test, of which it drops every other.
struct BadOnce {
    port: u16,
}

impl BadOnce {
    /// `bad`: the number of that test, from 1.
    fn start(server: u16, bad: u32) -> BadOnce {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let from = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
        let tests = Arc::new(AtomicU32::new(0));
        let seen = tests.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a client");
                seen.fetch_add(1, Ordering::SeqCst);
                let server = TcpStream::connect(("127.0.0.1", server)).expect("the server listens");
                let back = (
                    server.try_clone().expect("a handle"),
                    client.try_clone().expect("a handle"),
                );
                std::thread::spawn(move || pump(back.0, back.1));
                std::thread::spawn(move || pump(client, server));
            }
        });
        std::thread::spawn(move || {
            let mut to: Option<(SocketAddr, UdpSocket)> = None;
            let mut buffer = [0; 2000];
            for number in 0u64.. {
                let (length, peer) =
                    uninterrupted(|| from.recv_from(&mut buffer)).expect("datagrams");
                if to.as_ref().is_none_or(|(known, _)| *known != peer) {
                    // Another stream of another test.
                    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
                    socket.connect(("127.0.0.1", server)).expect("connects");
                    let (answers, back) = (socket.try_clone(), from.try_clone());
                    let (answers, back) = (answers.expect("a handle"), back.expect("a handle"));
                    let patience = Some(Duration::from_secs(30));
                    answers.set_read_timeout(patience).expect("a timeout");
                    std::thread::spawn(move || {
                        let mut buffer = [0; 2000];
                        while let Ok(length) = uninterrupted(|| answers.recv(&mut buffer)) {
                            let _ = back.send_to(&buffer[..length], peer);
                        }
                    });
                    to = Some((peer, socket));
                }
                let drop = length == 1000 && number % 2 == 0 && tests.load(Ordering::SeqCst) == bad;
                if let Some((_, to)) = to.as_ref().filter(|_| !drop) {
                    let _ = to.send(&buffer[..length]);
                }
            }
        });
        BadOnce { port }
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// The way is bad in the second of three tests: half of the rate is a spread of 50 %, whatever comes after. The variant that
/// goes another way keeps its rate, and is not measured again.
#[test]
fn only_the_unsteady_variant_is_measured_again() {
    let server = Server::start("");
    // Tests of the bad way: repeats 1 and 2, of which the second is bad.
    let way = BadOnce::start(server.port, 2);
    let output = finish(&format!(
        "-c 127.0.0.1 -t 0.5 -u -b 4M -l 1000 -i 0 --measurement-stream --run-uid u-1 --repeats 3 \
             --max-spread-percent 40 --max-repeats 5 --variant steady -p {} --variant unsteady -p {}",
        server.port, way.port
    ));
    let events = events(&output);
    let unsteady: Vec<_> = order(&events)[4..].to_vec();
    assert_eq!(
        unsteady,
        [
            ("steady", 3),
            ("unsteady", 3),
            ("unsteady", 4),
            ("unsteady", 5)
        ]
    );
    let Some(Event::Digest(digest)) = events.last() else {
        panic!("no digest");
    };
    let rates: Vec<&Vec<u64>> = digest
        .figures
        .iter()
        .map(|f| &f.received_bits_per_second)
        .collect();
    assert_eq!((rates[0].len(), rates[1].len()), (3, 5));
    assert_eq!(digest.figures[1].datagrams.len(), 5);
    let bad = rates[1][1];
    assert!(bad > 1_500_000 && bad < 2_500_000, "{rates:?}");
}

/// What fails before any test is a variant's, too.
#[test]
fn a_file_that_is_not_there_is_the_variants() {
    let output = finish("-c 127.0.0.1 --variant a -t 1 --variant b -F /no/such/file");
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("error - variant b: -F: "), "{told}");
}
