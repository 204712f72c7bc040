//! Field report 073, E7, from the client's side: nothing comes through any more, of all connections or of the control connection alone.

use crate::lab::Net;
use crate::run::{Running, text};
use std::time::{Duration, Instant};

/// 15 s, and some for a busy machine.
const NOTICED: Duration = Duration::from_secs(19);
/// Data leaves by this port, the control connection by another.
const DATA: u16 = 40_000;

fn drop_all(net: &Net) {
    net.input(&[], "iif != lo drop");
}

/// What the client says on its control connection no longer arrives; the data does.
fn drop_control(net: &Net) {
    net.input(&[], &format!("tcp dport 5201 tcp sport != {DATA} drop"));
}

struct Case {
    flags: &'static str,
    cut: fn(&Net, &Net),
    /// What the client says of it.
    error: &'static [&'static str],
}

fn both(one: &Net, two: &Net) {
    drop_all(one);
    drop_all(two);
}

fn control(_: &Net, two: &Net) {
    drop_control(two);
}

const CASES: [Case; 7] = [
    Case {
        flags: "-t 60",
        cut: both,
        error: &["no data", "control connection", "data stream"],
    },
    Case {
        flags: "-t 60 -R",
        cut: both,
        error: &["no data", "control connection", "data stream"],
    },
    Case {
        flags: "-t 60 --bidir",
        cut: both,
        error: &["no data", "control connection", "data stream"],
    },
    Case {
        flags: "-u -t 60",
        cut: both,
        error: &["control connection", "no sign of life"],
    },
    Case {
        flags: "-u -t 60 -R",
        cut: both,
        error: &["no data", "control connection"],
    },
    Case {
        flags: "-t 60",
        cut: control,
        error: &["control connection"],
    },
    Case {
        flags: "-t 60 -R",
        cut: control,
        error: &["control connection"],
    },
];

#[test]
fn report_073_a_client_notices_that_nothing_comes_through_and_keeps_its_data() {
    std::thread::scope(|scope| {
        for case in CASES {
            scope.spawn(move || {
                let (one, two) = Net::pair();
                let _server = two.server("");
                let flags = format!("-c 10.7.0.2 -b 10M --cport {DATA} {}", case.flags);
                let client = one.engine(&flags).spawn().expect("the client starts");
                let client = Running::of(client).until("/sec");
                (case.cut)(&one, &two);
                let begun = Instant::now();
                let output = client.end();
                let after = begun.elapsed();
                let (said, error) = (text(&output.stdout), text(&output.stderr));
                assert_eq!(output.status.code(), Some(1), "{flags}: {error}");
                assert!(after < NOTICED, "{flags}: {after:?}");
                assert!(
                    case.error.iter().any(|e| error.contains(e)),
                    "{flags}: {error}"
                );
                assert!(
                    said.contains("  sender") || said.contains("receiver"),
                    "{flags}: {said}"
                );
            });
        }
    });
}
