//! Several tests on one port (`--max-tests`), and what one more is told.

use crate::raw::{COOKIE, Raw, cookie};
use crate::run::{Running, Server, engine, finish, free_port, signal, text, wait};
use std::time::{Duration, Instant};

#[test]
fn two_tests_at_once_are_both_right() {
    let server = Server::start("--max-tests 2");
    for kind in ["-P 2", "-u -P 2", "--bidir"] {
        let flags = format!("-c 127.0.0.1 -p {} -J -t 2 -b 10M {kind}", server.port);
        let clients = [engine(&flags), engine(&flags)].map(|mut c| c.spawn().expect("starts"));
        for output in clients.map(wait) {
            assert_eq!(
                output.status.code(),
                Some(0),
                "{kind}: {}",
                text(&output.stdout)
            );
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let end = &document["end"];
            let sent = end["sum_sent"]["bytes"].as_u64().expect("a number");
            assert_eq!(
                Some(sent),
                end["sum_received"]["bytes"].as_u64(),
                "{kind}: {end}"
            );
            assert!(sent > 2_000_000, "{kind}: {sent}");
        }
    }
}

/// At once, with a code of its own, and the running test is not touched.
#[test]
fn report_083_one_more_than_max_tests_is_told_so_at_once() {
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -t 6 -b 10M", server.port);
    let running = Running::start(&flags).until("connected to");
    let begun = Instant::now();
    let second = finish(&format!(
        "-c 127.0.0.1 -p {} -t 1 --queue-timeout 0",
        server.port
    ));
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(second.status.code(), Some(5), "{}", text(&second.stderr));
    assert!(
        text(&second.stderr).contains("busy"),
        "{}",
        text(&second.stderr)
    );
    let mut raw = Raw::connect(server.port);
    raw.send(COOKIE);
    assert_eq!(raw.rest(), [0xff]);
    let probe = finish(&format!("--probe -p {}", server.port));
    assert_eq!(probe.status.code(), Some(1));
    assert_eq!(running.end().status.code(), Some(0));
}

/// Ten at once, of which one gets the slot; the nine others hear so, and the one is not touched.
#[test]
fn report_083_ten_at_once_make_one_test_and_nine_refusals() {
    let server = Server::start("");
    let mut raws: Vec<Raw> = (0..10)
        .map(|number| Raw::stream(server.port, &cookie(number)))
        .collect();
    let mut taken = Vec::new();
    for (number, raw) in raws.iter_mut().enumerate() {
        match raw.state() {
            9 => {}
            // Its cookie was read when the slot was taken already.
            state => {
                assert_eq!((state, taken.is_empty()), (-1, false));
                continue;
            }
        }
        raw.send_json(r#"{"tcp":true,"time":1,"len":1000,"bandwidth":80000}"#);
        match raw.state() {
            10 => taken.push(number),
            state => assert_eq!(state, -1),
        }
    }
    assert_eq!(taken, [0]);
    let stream = Raw::stream(server.port, &cookie(0));
    let raw = &mut raws[0];
    assert_eq!([raw.state(), raw.state()], [1, 2]);
    raw.send(&[4]);
    assert_eq!(raw.state(), 13);
    drop(stream);
}

/// SIGTERM ends the tests that run, with a word to their clients.
#[test]
fn a_server_that_is_told_to_end_tells_its_client() {
    let mut server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -t 20 -i 0.5 -b 10M", server.port);
    let client = Running::start(&flags).until("/sec");
    let begun = Instant::now();
    signal(&server.child, "TERM");
    let output = client.end();
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("server was terminated"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stdout).contains("  sender\n"),
        "the partial report: {}",
        text(&output.stdout)
    );
    assert!(
        server
            .child
            .wait()
            .expect("the server ends")
            .code()
            .is_some()
    );
}

/// The rows of tests that run at the same time are told apart, and no document is torn.
#[test]
fn the_output_of_several_tests_at_once_stays_readable() {
    for flags in ["", "-J", "--json-stream"] {
        let port = free_port();
        let server = engine(&format!("-s -p {port} --max-tests 3 -i 0.1 {flags}")).spawn();
        let server = server.expect("it starts");
        let begun = Instant::now();
        while !finish(&format!("--probe -p {port}")).status.success() {
            assert!(begun.elapsed() < Duration::from_secs(20), "it listens");
        }
        let client = format!("-c 127.0.0.1 -p {port} -t 1 -b 10M -P 2");
        let clients = [(); 3].map(|()| engine(&client).spawn().expect("starts"));
        for output in clients.map(wait) {
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        signal(&server, "TERM");
        let said = text(&wait(server).stdout);
        match flags {
            "" => {
                let of = |number: u32| {
                    let mark = format!("#{number} ");
                    said.lines().filter(|line| line.starts_with(&mark)).count()
                };
                assert!([1, 2, 3].iter().all(|n| of(*n) > 10), "{said}");
                let rows = said.lines().filter(|line| line.contains("bits/sec"));
                assert!(rows.clone().count() > 30, "{said}");
                assert!(rows.clone().all(|row| row.starts_with('#')), "{said}");
            }
            "-J" => {
                let documents =
                    serde_json::Deserializer::from_str(&said).into_iter::<serde_json::Value>();
                let whole: Vec<_> = documents.map(|d| d.expect("a whole document")).collect();
                assert_eq!(whole.len(), 3);
                assert!(whole.iter().all(|d| d["end"]["sum_received"].is_object()));
            }
            _ => {
                let mut seen = std::collections::BTreeMap::<u64, u32>::new();
                for line in said.lines() {
                    let line: serde_json::Value =
                        serde_json::from_str(line).expect("a line of JSON");
                    *seen
                        .entry(line["test"].as_u64().expect("its number"))
                        .or_default() += 1;
                }
                assert!(
                    seen.len() == 3 && seen.values().all(|lines| *lines > 5),
                    "{seen:?}"
                );
            }
        }
    }
}

/// Two UDP tests of one address open their streams one after the other. Who goes away meanwhile is noticed.
#[test]
fn a_client_that_leaves_while_it_waits_for_its_turn_gives_its_slot_back() {
    let server = Server::start("--max-tests 2");
    let params = r#"{"udp":true,"time":1,"parallel":1,"len":1000}"#;
    // It has its turn, and opens nothing.
    let _first = Raw::start_test(server.port, params);
    let mut second = Raw::knock(server.port, &cookie(2));
    second.send_json(params);
    let begun = Instant::now();
    let answer = || {
        let mut third = Raw::connect(server.port);
        third.send(&cookie(3));
        third.state()
    };
    while answer() != -1 {
        assert!(begun.elapsed() < Duration::from_secs(5), "it has its slot");
    }
    drop(second);
    while answer() == -1 {
        // The first one's own deadline is 10 s.
        assert!(begun.elapsed() < Duration::from_secs(8), "not free");
        std::thread::sleep(Duration::from_millis(50));
    }
}
