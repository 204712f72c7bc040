//! E14: a client that says nothing of its rate is stopped at the server's ceiling, within 5 % of it.

use crate::raw::{Raw, cookie};
use crate::run::Server;
use crate::uninterrupted::uninterrupted;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// Bits per second.
const CEILING: u64 = 8_000_000;
const BLOCK: [u8; 4000] = [7; 4000];

/// Writes at `rate` bits per second, never faster: on a busy machine time that is lost stays lost. Whether the server
/// ended it within `limit`.
fn paced(control: &mut Raw, stream: &mut Raw, rate: u64, limit: Duration) -> bool {
    let gap = Duration::from_secs_f64(BLOCK.len() as f64 * 8.0 / rate as f64);
    control.0.set_nonblocking(true).expect("a socket");
    let begun = Instant::now();
    let mut due = begun;
    while begun.elapsed() < limit {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        due = (due + gap).max(Instant::now() - gap * 4);
        let written = stream.0.write_all(&BLOCK);
        let mut state = [0];
        let said = match uninterrupted(|| control.0.read(&mut state)) {
            Ok(n) => n > 0 && state[0] == 0xfe,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock, "it ends with a word");
                false
            }
        };
        if said {
            return true;
        }
        written.expect("the server reads on");
    }
    false
}

/// The number in the server's own log: what it measured.
fn measured(log: &str) -> u64 {
    let words: Vec<&str> = log.split_whitespace().collect();
    let at = words.windows(3).position(|w| w[1..] == ["bit/s", "were"]);
    let at = at.unwrap_or_else(|| panic!("no measured rate in {log}"));
    words[at].parse().expect("a number")
}

#[test]
fn a_client_five_percent_above_the_ceiling_is_stopped_and_one_at_it_is_not() {
    let mut server = Server::start("--max-tests 2 --server-bitrate-limit 8M/2");
    let params = r#"{"tcp":true,"time":60,"parallel":1,"len":4000}"#;
    let port = server.port;
    let run = |number: usize, percent: u64, limit| {
        move || {
            let (mut control, mut stream) = Raw::running(port, &cookie(number), params);
            paced(
                &mut control,
                &mut stream,
                CEILING / 100 * percent,
                Duration::from_secs(limit),
            )
        }
    };
    let above = std::thread::spawn(run(1, 105, 50));
    let at = std::thread::spawn(run(2, 100, 8));
    assert!(above.join().expect("it ran"), "5 % above, and not stopped");
    assert!(!at.join().expect("it ran"), "at the ceiling, and stopped");
    server.stop();
    let log = server.complained();
    let told = measured(&log);
    let fair = CEILING..=CEILING / 100 * 106;
    assert!(fair.contains(&told), "{told}: {log}");
}
