//! Field report 077, E4: lengths that lie, in both blocks and both roles, with no, half and the whole body.

use crate::process::{resident, threads, until};
use crate::raw::{COOKIE, Raw, cookie};
use crate::run::{Server, engine, finish, text, wait};
use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

const LENGTHS: [u32; 9] = [
    0,
    1,
    8191,
    8192,
    8193,
    (1 << 31) - 1,
    1 << 31,
    (1 << 31) + 1,
    u32::MAX,
];
/// Of a body that was announced longer than this, no more is sent.
const BODY: u32 = 1 << 16;
const PARAMS: &str = r#"{"tcp":true,"time":30,"parallel":1,"len":16384}"#;
/// A busy machine's share of a deadline.
const SLACK: Duration = Duration::from_secs(3);

/// Length, and how much of the body follows.
fn lies() -> Vec<(u32, u32)> {
    let shares = |length: u32| [0, (length / 2).min(BODY), length.min(BODY)];
    let all = LENGTHS.into_iter();
    let mut lies: Vec<_> = all.flat_map(|l| shares(l).map(|sent| (l, sent))).collect();
    lies.dedup();
    lies
}

fn tell(raw: &mut Raw, (length, sent): (u32, u32)) {
    raw.offer(&length.to_be_bytes());
    raw.offer(&vec![b' '; sent as usize]);
}

/// A clean test comes through, and nothing of the lies is left.
fn clean(server: &Server, before: usize) {
    let output = finish(&format!("-c 127.0.0.1 -p {} -n 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    until(Duration::from_secs(5), "the threads are gone", || {
        threads(&server.child) <= before
    });
}

/// The memory that the lies of `told` take while they wait, and the longest wait for the close.
fn cost(server: &Server, mut told: Vec<(Raw, (u32, u32))>, code: u8) -> (u64, Duration) {
    let before = resident(&server.child);
    let begun = Instant::now();
    for (raw, lie) in &mut told {
        tell(raw, *lie);
    }
    std::thread::sleep(Duration::from_millis(300));
    let grown = resident(&server.child).saturating_sub(before);
    for (raw, lie) in &mut told {
        let said = raw.rest();
        let error = [0xfe, 0, 0, 0, code, 0, 0, 0, 0];
        // A body that is still on its way when the server closes resets the connection.
        let reset = said.is_empty() && lie.1 > 0;
        assert!(said == error || reset, "{lie:?}: {said:?}");
    }
    (grown, begun.elapsed())
}

#[test]
fn report_077_lengths_of_parameters_cost_nothing() {
    let server = Server::start("");
    let before = threads(&server.child);
    let knock = || {
        lies()
            .into_iter()
            .map(|lie| (Raw::knock(server.port, COOKIE), lie))
    };
    // The first clients make the allocator's arenas.
    drop(knock().collect::<Vec<_>>());
    let (grown, took) = cost(&server, knock().collect(), 114);
    assert!(took < Duration::from_secs(5) + SLACK, "{took:?}");
    assert!(grown < 1024, "{grown} KiB");
    assert_eq!(threads(&server.child), before);
    clean(&server, before);
}

/// In the results of a client: its test ends, the others' go on.
#[test]
fn report_077_lengths_of_a_clients_results_cost_nothing() {
    let server = Server::start("--max-tests 64");
    let before = threads(&server.child);
    let told = || {
        let lies = lies().into_iter().enumerate();
        lies.map(|(number, lie)| {
            let (mut raw, _stream) = Raw::running(server.port, &cookie(number), PARAMS);
            raw.send(&[4]);
            assert_eq!(raw.state(), 13);
            (raw, lie)
        })
    };
    // The first clients make the allocator's arenas and the threads' stacks.
    drop(told().collect::<Vec<_>>());
    until(Duration::from_secs(5), "the first are gone", || {
        threads(&server.child) <= before
    });
    let (grown, took) = cost(&server, told().collect(), 117);
    assert!(took < Duration::from_secs(10) + SLACK, "{took:?}");
    assert!(grown < 1024, "{grown} KiB");
    clean(&server, before);
}

/// Our client against a server that lies about its results.
#[test]
fn report_077_lengths_of_a_servers_results_end_the_client() {
    std::thread::scope(|scope| {
        for lie in lies() {
            scope.spawn(move || {
                let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
                let port = listener.local_addr().expect("its address").port();
                let client = engine(&format!("-c 127.0.0.1 -p {port} -n 64K")).spawn();
                let client = client.expect("the client starts");
                let mut raw = Raw::accept(&listener);
                raw.exactly(37);
                raw.send(&[9]);
                raw.json();
                raw.send(&[10]);
                let (mut stream, _) = listener.accept().expect("a stream");
                raw.send(&[1, 2]);
                let reader = std::thread::spawn(move || {
                    let _ = stream.read_to_end(&mut Vec::new());
                });
                assert_eq!(raw.state(), 4);
                raw.send(&[13]);
                raw.json();
                let before = resident(&client);
                let begun = Instant::now();
                tell(&mut raw, lie);
                std::thread::sleep(Duration::from_millis(200));
                if std::path::Path::new(&format!("/proc/{}/fd/0", client.id())).exists() {
                    let grown = resident(&client).saturating_sub(before);
                    assert!(grown < 1024, "{lie:?}: {grown} KiB");
                }
                let output = wait(client);
                let took = begun.elapsed();
                // Without a sign of life for 15 s a server is given up.
                assert!(took < Duration::from_secs(15) + SLACK, "{lie:?}: {took:?}");
                assert_eq!(output.status.code(), Some(1), "{lie:?}");
                let said = text(&output.stderr);
                assert_eq!(said.lines().count(), 1, "{lie:?}: {said}");
                reader.join().expect("it reads");
            });
        }
    });
}
