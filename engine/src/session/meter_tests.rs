use super::*;
use crate::session::streams::{self, Controls};
use nettest_report::params::{Direction, Protocol};
use nettest_report::report::{Flow, Role};
use socket2::Socket;
use std::io::Read;
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
fn report_013_the_clock_restarts_when_the_omitted_part_ends() {
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
        let opened = streams::spawn(sockets, params, role, &controls, &[], None).unwrap();
        assert_eq!(opened.connected.len(), count);
        (
            Meter::new(opened.tracks, params, params.interval, Instant::now()),
            controls,
        )
    })
}

/// Field report 058: rows are contiguous and add up to the total; 004: the total is exact.
#[test]
fn reports_004_058_rows_add_up_to_exactly_the_bytes_asked_for() {
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

/// Field report 005: what a busy machine, or a slow start, takes before the first byte is no time of the data.
#[test]
fn report_005_by_bytes_the_time_begins_with_the_first_byte() {
    let params = TestParams {
        limit: Limit::Bytes(200_000),
        bitrate: Some(16_000_000),
        ..TestParams::default()
    };
    let mut ends = pair(&params);
    let begun = Instant::now();
    let late = Duration::from_secs(2);
    std::thread::sleep(late);
    ends.iter().for_each(|(_, controls)| controls.start());
    let done = |ends: &[(Meter, Controls); 2]| {
        let senders = ends.iter().all(|(meter, _)| meter.all_finished(true));
        senders && ends[1].0.tracks[0].bytes_so_far() == 200_000
    };
    while !done(&ends) {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is not done");
        std::thread::sleep(Duration::from_millis(5));
    }
    let stopped = Instant::now();
    ends.iter().for_each(|(_, controls)| controls.stop());
    for (meter, _) in &mut ends {
        let end = meter.ends(None, stopped).remove(0);
        let own = if end.sender { end.sent } else { end.received };
        let possible = begun.elapsed() - late;
        assert!(
            own.end > 0.05 && own.end <= possible.as_secs_f64(),
            "{} of {possible:?}",
            own.end
        );
    }
}

/// What the peer had not taken at the stop is written off, and what it takes after all counts again: it never has
/// received more than was sent.
#[test]
fn what_arrives_after_the_write_off_counts_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut far, _) = listener.accept().unwrap();
    let params = params(9, 0);
    let controls = Controls::new(params.limit);
    let near = vec![Socket::from(near)];
    let opened = streams::spawn(near, &params, Role::Client, &controls, &[], None).unwrap();
    let mut meter = Meter::new(opened.tracks, &params, params.interval, Instant::now());
    controls.start();
    let begun = Instant::now();
    let waiting = |meter: &Meter| {
        assert!(begun.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(5));
        meter.tracks[0].unacked()
    };
    // Nobody reads: the buffers fill.
    while waiting(&meter) == 0 {}
    controls.send.stop();
    while !meter.all_finished(true) {
        waiting(&meter);
    }
    meter.tracks[0].write_off();
    let written_off = meter.tracks[0].bytes_so_far();
    let mut received = 0;
    let mut piece = vec![0; 1 << 20];
    far.set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    loop {
        match far.read(&mut piece) {
            Ok(count) => received += count as u64,
            Err(_) if waiting(&meter) == 0 => break,
            Err(_) => {}
        }
    }
    assert_eq!(meter.tracks[0].bytes_so_far(), written_off);
    meter.settle_delivery();
    let settled = meter.tracks[0].bytes_so_far();
    assert!(written_off < settled, "{written_off} {settled}");
    assert_eq!(settled, received);
}

/// An acknowledgement that comes late moves a sender's end only where full segments were on the way (report 007): a peer
/// that reads a small write now and then acknowledges it late, and nothing more.
#[test]
fn only_what_was_held_back_was_delivered_late() {
    for (limit, held_back) in [
        (Limit::Bytes(1000), false),
        (Limit::Time(Duration::from_secs(9)), true),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (_far, _) = listener.accept().unwrap();
        let params = TestParams {
            limit,
            ..params(9, 0)
        };
        let controls = Controls::new(params.limit);
        let near = vec![Socket::from(near)];
        let opened = streams::spawn(near, &params, Role::Client, &controls, &[], None).unwrap();
        let mut track = opened.tracks.into_iter().next().unwrap();
        controls.set_budget();
        controls.start();
        let begun = Instant::now();
        let patient = || {
            std::thread::sleep(Duration::from_millis(5));
            assert!(begun.elapsed() < Duration::from_secs(20), "it goes on");
        };
        // Nobody reads. The small one fits into the buffers, the other one fills them and waits.
        while held_back && track.unacked_data() == 0 {
            patient();
        }
        while !held_back && (!track.is_finished() || track.unacked_data() > 0) {
            patient();
        }
        controls.stop();
        while !track.is_finished() {
            patient();
        }
        let end = Instant::now();
        track.note_delivery(end + Duration::from_secs(30));
        assert_eq!(track.delivered_by(end) > end, held_back, "{limit:?}");
    }
}
