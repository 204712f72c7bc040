//! Tests that break off: one document all the same, with the error in it.

use crate::lab::Alone;
use crate::raw::Raw;
use crate::run::{Running, engine, signal, text, wait};
use crate::strict::{self, list};
use std::net::{TcpListener, TcpStream};
use std::process::Output;

/// A server that goes away after a number of steps.
fn against_a_server_that_leaves_after(steps: usize, flags: &str) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let client = engine(&format!("-c 127.0.0.1 -p {port} {flags}")).spawn();
    let client = client.expect("the client starts");
    let mut raw = Raw::accept(&listener);
    let mut streams: Vec<TcpStream> = Vec::new();
    for step in 1..=steps {
        match step {
            1 => drop(raw.exactly(37)),
            2 => raw.send(&[9]),
            3 => drop(raw.json()),
            4 => raw.send(&[10]),
            5 => streams.push(listener.accept().expect("a stream").0),
            6 => streams.push(listener.accept().expect("a stream").0),
            7 => raw.send(&[1]),
            8 => raw.send(&[2]),
            9 => {
                for mut stream in streams.split_off(0) {
                    std::thread::spawn(move || std::io::copy(&mut stream, &mut std::io::sink()));
                }
                assert_eq!(raw.state(), 4);
            }
            10 => raw.send(&[13]),
            11 => drop(raw.json()),
            _ => unreachable!("there are no more steps before the results"),
        }
    }
    drop((raw, listener, streams));
    wait(client)
}

/// The server is gone in each state: one document, with the error in it, and a line for people on stderr.
#[test]
fn report_042_a_lost_server_leaves_exactly_one_document() {
    std::thread::scope(|scope| {
        for steps in 0..=11 {
            scope.spawn(move || {
                let output = against_a_server_that_leaves_after(steps, "-J -P 2 -t 1 -b 10M");
                let document = strict::parse(&output.stdout);
                let error = document["error"]
                    .as_str()
                    .unwrap_or_else(|| panic!("step {steps}: no error"));
                assert!(!error.is_empty());
                assert_ne!(output.status.code(), Some(0), "step {steps}");
                for key in ["start", "intervals", "end"] {
                    assert!(!document[key].is_null(), "step {steps}: {key}");
                }
                let said = text(&output.stderr);
                assert_eq!(said.lines().count(), 1, "step {steps}: {said}");
            });
        }
    });
}

/// The same with a server of ours that is killed while data flows: the rows so far are kept.
#[test]
fn report_042_rows_so_far_are_kept_when_the_server_is_killed() {
    let lab = Alone::new("");
    for flags in [
        "-t 20 -P 5 -b 2M -i 0.2",
        "-t 20 -P 5 -b 2M -i 0.2 -R",
        "-t 20 -u -b 2M -i 0.2 --bidir",
    ] {
        let server = lab.net.server("-p 5300");
        let client = lab.net.engine(&format!(
            "-c 127.0.0.1 -p 5300 --json-stream --json-stream-full-output {flags}"
        ));
        let client = { client }.spawn().expect("the client starts");
        let client = Running::of(client).until("\"event\":\"interval\"");
        drop(server);
        let output = client.end();
        assert_ne!(output.status.code(), Some(0), "{flags}");
        let printed = text(&output.stdout);
        let errors = printed
            .lines()
            .filter(|line| line.contains(r#""event":"error""#))
            .count();
        assert_eq!(errors, 1, "{flags}: {printed}");
        let whole = printed.find("\n{\n").map_or("", |at| &printed[at..]);
        let document = strict::parse(whole.as_bytes());
        assert!(document["error"].is_string(), "{flags}");
        assert!(
            !list(&document["intervals"]).is_empty(),
            "{flags}: {document}"
        );
    }
}

/// One value on stdout, however a run goes.
#[test]
fn report_044_the_document_is_printed_once() {
    let lab = Alone::new("--max-tests 4");
    for turn in 0..20 {
        let flags = [
            "-n 1M",
            "-n 1M --get-server-output",
            "-u -k 20 -b 10M",
            "-t 0.2 --bidir -b 10M",
        ];
        lab.measure(flags[turn % 4]);
    }
    for name in ["INT", "TERM"] {
        let client = lab
            .net
            .engine("-c 127.0.0.1 -J -t 30 -b 10M -i 0.1")
            .spawn()
            .expect("the client starts");
        // Nothing is printed before the end: the server tells that data flows.
        std::thread::sleep(std::time::Duration::from_millis(700));
        signal(&client, name);
        let document = strict::parse(&wait(client).stdout);
        assert!(
            document["error"]
                .as_str()
                .is_some_and(|error| error.contains(name)),
            "{document}"
        );
    }
}
