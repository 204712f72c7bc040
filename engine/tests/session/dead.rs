//! Field report 073, E7: a peer that stands still is noticed within 15 s of its last sign of life.

use crate::run::{Running, Server, finish, signal, text};
use std::time::{Duration, Instant};

/// 15 s, and some for a busy machine.
const NOTICED: Duration = Duration::from_secs(18);

/// Poll with new tests until one is taken.
fn free_again(port: u16) -> Duration {
    let begun = Instant::now();
    loop {
        let output = finish(&format!(
            "-c 127.0.0.1 -p {port} -n 1M --connect-timeout 2000 --queue-timeout 0"
        ));
        if output.status.code() == Some(0) {
            return begun.elapsed();
        }
        assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
        assert!(
            begun.elapsed() < Duration::from_secs(40),
            "the server stays busy"
        );
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn report_073_a_stopped_client_frees_the_server() {
    let cases = [
        "-t 60",
        "-t 60 -R",
        "-t 60 --bidir",
        "-u -b 10M -t 60",
        "-u -b 10M -t 60 -R",
        "-u -b 10M -t 60 --bidir",
        // Nothing comes back from a client that only receives datagrams: ours is asked for a sign.
        "-u -b 10M -t 60 -R",
        "-u -b 10M -t 0 -R",
        "-u -b 10M -n 1G -R",
        "-u -b 10M -k 1000000 -R",
    ];
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || {
                let mut server = Server::start("");
                let flags = format!("-c 127.0.0.1 -p {} {case}", server.port);
                let mut client = Running::start(&flags).until("/sec").child;
                signal(&client, "STOP");
                let after = free_again(server.port);
                assert!(after < NOTICED, "{case}: {after:?}");
                client
                    .kill()
                    .and_then(|()| client.wait().map(drop))
                    .expect("the client ends");
                let (_, said) = server.stop();
                let rows = said.lines().filter(|line| line.contains("/sec")).count();
                assert!(rows > 1, "{case}: the partial result is kept: {said}");
            });
        }
    });
}

#[test]
fn report_073_a_killed_client_frees_the_server_at_once() {
    for case in ["-t 60", "-t 60 -R", "-u -b 10M -t 60"] {
        let server = Server::start("");
        let flags = format!("-c 127.0.0.1 -p {} {case}", server.port);
        let mut client = Running::start(&flags).until("connected to").child;
        client
            .kill()
            .and_then(|()| client.wait().map(drop))
            .expect("the client ends");
        let after = free_again(server.port);
        assert!(after < Duration::from_secs(4), "{case}: {after:?}");
    }
}

#[test]
fn report_073_a_stopped_server_is_noticed_by_the_client() {
    std::thread::scope(|scope| {
        for case in ["-t 60", "-t 60 -R", "-u -b 10M -t 60 -R", "-u -b 10M -t 60"] {
            scope.spawn(move || {
                let server = Server::start("");
                let flags = format!("-c 127.0.0.1 -p {} {case}", server.port);
                let client = Running::start(&flags).until("/sec");
                signal(&server.child, "STOP");
                let begun = Instant::now();
                let output = client.end();
                assert!(begun.elapsed() < NOTICED, "{case}: {:?}", begun.elapsed());
                assert_eq!(output.status.code(), Some(1), "{case}");
                assert!(
                    text(&output.stderr).contains("no data")
                        || text(&output.stderr).contains("no sign of life"),
                    "{case}: {}",
                    text(&output.stderr)
                );
                assert!(
                    text(&output.stdout).contains("/sec"),
                    "{case}: the rows so far"
                );
            });
        }
    });
}
