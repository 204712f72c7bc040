use super::*;
use nettest_report::params::TestParams;
use nettest_report::report::{End, Role, StreamEnd, Totals};

const STEADY: Extra = Extra {
    max_spread_percent: 10,
    max_count: 5,
};

fn repeats(count: u32, extra: Option<Extra>) -> Repeats {
    Repeats {
        count,
        pause: Duration::ZERO,
        extra,
    }
}

/// A test of a second in which each flow moved so many bytes, `None`: nobody knows how many.
fn report(flows: &[Option<u64>]) -> Report {
    let mut report = Report::blank(Role::Client, String::new());
    let stream = |(n, bytes): (usize, &Option<u64>)| StreamEnd {
        socket: 5,
        id: 1,
        flow: [Flow::ClientToServer, Flow::ServerToClient][n],
        sender: n == 0,
        sent: Totals::default(),
        received: Totals {
            start: 0.0,
            end: 1.0,
            bytes: *bytes,
        },
        tcp: None,
        udp: None,
    };
    report.end = Some(End {
        streams: flows.iter().enumerate().map(stream).collect(),
        local_cpu: None,
        remote_cpu: None,
        sender_congestion: None,
        receiver_congestion: None,
    });
    report
}

/// The rounds of variants whose repeats move these bytes, in turn.
fn rounds(repeats: Repeats, bytes: &[&[u64]]) -> Vec<Vec<usize>> {
    let mut rounds = Rounds::new(repeats, bytes.len());
    let mut seen = Vec::new();
    let mut next = vec![0; bytes.len()];
    for number in 1.. {
        let due = rounds.due(number);
        if due.is_empty() {
            break;
        }
        for &at in &due {
            rounds.note(at, &report(&[Some(bytes[at][next[at]])]));
            next[at] += 1;
        }
        seen.push(due);
    }
    seen
}

#[test]
fn every_round_has_every_variant() {
    for extra in [None, Some(STEADY)] {
        let same: &[u64] = &[100; 9];
        assert_eq!(
            rounds(repeats(3, extra), &[same; 4]),
            vec![vec![0, 1, 2, 3]; 3]
        );
    }
    assert_eq!(rounds(Repeats::default(), &[&[1]]), [[0]]);
}

#[test]
fn only_what_is_unsteady_is_measured_again() {
    let steady: &[u64] = &[100, 101, 102];
    // In the fourth repeat nothing changes: the lowest and the highest stay. With a fifth it is over.
    let never: &[u64] = &[100, 150, 100, 100, 100];
    // 11 of 100 are too many, 10 are not.
    let edge: &[u64] = &[100, 110, 100];
    assert_eq!(
        rounds(repeats(3, Some(STEADY)), &[steady, never, edge]),
        [
            vec![0, 1, 2],
            vec![0, 1, 2],
            vec![0, 1, 2],
            vec![1],
            vec![1]
        ]
    );
    // The median may come nearer to the far ones: 100 to 115 is 15 % of 100, and 13 % of 115.
    let extra = Extra {
        max_spread_percent: 14,
        max_count: 5,
    };
    let settles: &[u64] = &[100, 100, 115, 115, 115];
    assert_eq!(rounds(repeats(2, Some(extra)), &[settles]), [[0]; 2]);
    assert_eq!(rounds(repeats(3, Some(extra)), &[settles]), [[0]; 5]);
    assert_eq!(rounds(repeats(3, None), &[never]), [[0]; 3]);
}

#[test]
fn one_unsteady_flow_is_enough_and_an_unknown_rate_is_none() {
    let mut rounds = Rounds::new(repeats(2, Some(STEADY)), 2);
    for bytes in [100, 200] {
        rounds.note(0, &report(&[Some(100), Some(bytes)]));
        rounds.note(1, &report(&[Some(100), None]));
    }
    assert_eq!(rounds.due(3), [0]);
    rounds.note(7, &report(&[Some(1)]));
}

struct Heard(Vec<String>);

impl Observer for Heard {
    fn repeat(&mut self, turn: Turn<'_>) {
        self.0
            .push(format!("{} {}/{}", turn.variant, turn.repeat, turn.repeats));
    }
}

/// Nobody listens there: the first failure ends all, and is the first variant's.
#[tokio::test]
async fn the_first_failure_ends_the_series() {
    let variant = |name: &str| {
        let mut config = ClientConfig::new("127.0.0.1", TestParams::default());
        config.port = 1;
        Variant {
            name: name.to_owned(),
            config,
        }
    };
    let mut heard = Heard(Vec::new());
    let mut seen = Vec::new();
    let failed = run(
        &[variant("a"), variant("b")],
        repeats(2, None),
        &mut heard,
        Stop::never(),
        |at, report| seen.push((at, report.error)),
    )
    .await
    .unwrap_err();
    assert_eq!(heard.0, ["a 1/2"]);
    assert_eq!(failed.variant, 0);
    assert!(seen.len() == 1 && seen[0].1.is_some(), "{seen:?}");
}
