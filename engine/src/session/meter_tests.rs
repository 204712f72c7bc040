use super::*;
use crate::session::streams::{self, Controls};
use nettest_report::params::{Direction, Protocol};
use nettest_report::report::{Flow, Role};
use socket2::Socket;
use std::net::{TcpListener, TcpStream};

fn at(origin: Instant, millis: u64) -> Instant {
    origin + Duration::from_millis(millis)
}

fn params(seconds: u64, omit: u64) -> TestParams {
    TestParams {
        limit: Limit::Time(Duration::from_secs(seconds)),
        omit: Duration::from_secs(omit),
        ..TestParams::default()
    }
}

fn bounds(row: &Interval) -> Vec<(f64, f64, bool)> {
    let millis = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    row.streams
        .iter()
        .map(|s| (millis(s.start), millis(s.end), s.omitted))
        .collect()
}

/// When rows fall due: on the origin's grid, late ones merged, the last left to the end of the test.
#[test]
fn rows_are_due_on_the_grid_and_the_last_is_left_to_the_end() {
    let t0 = Instant::now();
    let mut meter = Meter::new(Vec::new(), &params(3, 0), Duration::from_secs(1), t0);
    assert_eq!(meter.next_due(), Some(at(t0, 1000)));
    assert!(!meter.row_due(at(t0, 999)));
    meter.row(at(t0, 1003));
    assert_eq!(
        meter.next_due(),
        Some(at(t0, 2000)),
        "a late row does not shift the grid"
    );
    meter.row(at(t0, 2000));
    assert_eq!(meter.next_due(), None, "the row at 3 s is the last one's");
    let mut stalled = Meter::new(Vec::new(), &params(9, 0), Duration::from_secs(1), t0);
    stalled.row(at(t0, 5400));
    assert_eq!(
        stalled.next_due(),
        Some(at(t0, 6000)),
        "missed rows are one row"
    );
}

#[test]
fn without_an_interval_there_is_no_row_before_the_end() {
    let t0 = Instant::now();
    let meter = Meter::new(Vec::new(), &params(3, 0), Duration::ZERO, t0);
    assert_eq!(meter.next_due(), None);
    assert_eq!(meter.nominal_end(), Some(at(t0, 3000)));
}

/// Field report 013: the omitted part has rows of its own clock, then the clock restarts.
#[test]
fn the_clock_restarts_when_the_omitted_part_ends() {
    let t0 = Instant::now();
    let mut meter = Meter::new(Vec::new(), &params(2, 1), Duration::from_secs(1), t0);
    assert!(meter.is_omitting() && meter.nominal_end() == Some(at(t0, 3000)));
    assert_eq!(meter.next_due(), Some(at(t0, 1000)));
    assert!(
        !meter.row_due(at(t0, 1000)),
        "the end of the omitted part makes that row"
    );
    assert!(meter.omit_due(at(t0, 1000)));
    assert!(meter.end_omit(at(t0, 1001), false).is_some());
    assert_eq!(meter.next_due(), Some(at(t0, 2001)));
    assert_eq!(meter.nominal_end(), Some(at(t0, 3001)));
}

#[test]
fn an_empty_tail_is_no_row() {
    let t0 = Instant::now();
    let mut meter = Meter::new(Vec::new(), &params(2, 0), Duration::from_secs(1), t0);
    meter.row(at(t0, 1995));
    assert_eq!(meter.last_row(at(t0, 2001)), None);
}

/// A real connection between two threads of ours: (sending meter, receiving meter, both controls).
fn pair(params: &TestParams) -> [(Meter, Controls); 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let count = streams::stream_count(params);
    let ends: Vec<(TcpStream, TcpStream)> = (0..count)
        .map(|_| {
            (
                TcpStream::connect(to).unwrap(),
                listener.accept().unwrap().0,
            )
        })
        .collect();
    let (client, server): (Vec<Socket>, Vec<Socket>) = ends
        .into_iter()
        .map(|(c, s)| (Socket::from(c), Socket::from(s)))
        .unzip();
    [(client, Role::Client), (server, Role::Server)].map(|(sockets, role)| {
        let controls = Controls::new(params.limit);
        controls.set_budget();
        let opened = streams::spawn(sockets, params, role, &controls, &[]).unwrap();
        assert_eq!(opened.connected.len(), count);
        (
            Meter::new(opened.tracks, params, params.interval, Instant::now()),
            controls,
        )
    })
}

/// Field report 058: rows are contiguous and add up to the total; 004: the total is exact.
#[test]
fn rows_add_up_to_exactly_the_bytes_asked_for() {
    let params = TestParams {
        protocol: Protocol::Tcp,
        direction: Direction::Bidirectional,
        limit: Limit::Bytes(3_000_001),
        streams: 2,
        bitrate: Some(40_000_000),
        interval: Duration::from_millis(100),
        ..TestParams::default()
    };
    let mut ends = pair(&params);
    ends.iter().for_each(|(_, controls)| controls.start());
    let mut rows: [Vec<Interval>; 2] = Default::default();
    let begun = Instant::now();
    while !ends
        .iter()
        .all(|(_, controls)| controls.send.budget_exhausted())
    {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "the budget is never used up"
        );
        for ((meter, _), rows) in ends.iter_mut().zip(&mut rows) {
            let now = Instant::now();
            if meter.row_due(now) {
                rows.push(meter.row(now));
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    ends.iter().for_each(|(_, controls)| controls.stop());
    while !ends
        .iter()
        .all(|(meter, _)| meter.all_finished(true) && meter.all_finished(false))
    {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "a thread does not end"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let stopped = Instant::now();
    for ((meter, _), rows) in ends.iter_mut().zip(&mut rows) {
        rows.extend(meter.last_row(stopped));
        meter.close();
        let ends = meter.ends(None, stopped);
        for flow in [Flow::ClientToServer, Flow::ServerToClient] {
            let sum: u64 = rows
                .iter()
                .flat_map(|r| &r.streams)
                .filter(|s| s.flow == flow)
                .map(|s| s.bytes)
                .sum();
            assert_eq!(sum, 3_000_001, "{flow:?}");
            let own = |s: &StreamEnd| {
                if s.sender {
                    s.sent.bytes
                } else {
                    s.received.bytes
                }
            };
            let total: u64 = ends.iter().filter(|s| s.flow == flow).filter_map(own).sum();
            assert_eq!(total, 3_000_001, "{flow:?}");
        }
        assert!(rows.len() >= 3, "{} rows", rows.len());
        for pair in rows.windows(2) {
            assert_eq!(pair[0].streams[0].end, pair[1].streams[0].start);
        }
        assert!(rows.iter().all(|row| {
            bounds(row)
                .iter()
                .all(|(start, end, omitted)| start < end && !omitted)
        }));
        assert!(
            ends.iter().all(|s| if s.sender {
                s.received.bytes
            } else {
                s.sent.bytes
            }
            .is_none()),
            "unknown is None"
        );
    }
}
