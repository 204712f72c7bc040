//! Streams over loopback sockets, and scripted peers on the other end.

use super::*;
use crate::stats::{Snapshot, Width};
use crate::workload::Header;
use nettest_report::params::Protocol;
use socket2::Socket;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn tcp_pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

fn udp_pair() -> (UdpSocket, UdpSocket) {
    let (one, two) = (
        UdpSocket::bind("127.0.0.1:0").unwrap(),
        UdpSocket::bind("127.0.0.1:0").unwrap(),
    );
    one.connect(two.local_addr().unwrap()).unwrap();
    two.connect(one.local_addr().unwrap()).unwrap();
    (one, two)
}

fn task(
    socket: impl Into<Socket>,
    duty: Duty,
    protocol: Protocol,
    block_size: usize,
) -> StreamTask {
    let socket = socket.into();
    StreamTask {
        socket,
        duty,
        protocol,
        block_size,
        bitrate: None,
        burst: 0,
        udp_64bit: false,
        cpu: None,
    }
}

fn silent() -> Arc<RunControl> {
    RunControl::new(Arc::new(|| ()))
}

/// Polls; a test must not hang for ever.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn after(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

#[test]
fn tcp_both_ends_count_the_same_and_stop_in_time() {
    let (one, two) = tcp_pair();
    let (sending, receiving) = (silent(), silent());
    let sender = spawn(
        task(one, Duty::Send, Protocol::Tcp, 131_072),
        sending.clone(),
    )
    .unwrap();
    let receiver = spawn(
        task(two, Duty::Receive, Protocol::Tcp, 131_072),
        receiving.clone(),
    )
    .unwrap();
    after(20);
    assert_eq!(sender.snapshot().bytes, 0, "nothing moves before the start");
    receiving.start();
    sending.start();
    after(200);
    let begun = Instant::now();
    sending.stop();
    wait_until("sender ends", || sender.is_finished());
    assert!(
        begun.elapsed() < Duration::from_millis(200),
        "{:?}",
        begun.elapsed()
    );
    receiving.stop();
    wait_until("receiver drains", || receiver.is_finished());
    assert!(sender.tcp_info().unwrap().snd_cwnd > 0);
    assert_eq!(sender.unacked(), Some(0), "the receiver took everything");
    let (first, last) = receiver.first_last();
    let span = last.unwrap() - first.unwrap();
    assert!(
        span > Duration::from_millis(100) && span < Duration::from_millis(600),
        "{span:?}"
    );
    let (sent, received) = (sender.join(), receiver.join());
    assert!(
        sent.error.is_none() && received.error.is_none(),
        "{sent:?} {received:?}"
    );
    assert!(sent.snapshot.bytes > 1_000_000, "{sent:?}");
    assert_eq!(sent.snapshot.bytes, received.snapshot.bytes);
    assert!(sent.granted.congestion.is_some() && sent.granted.sndbuf.is_some());
}

#[test]
fn tcp_byte_budget_over_two_streams_is_exact() {
    let progress = Arc::new(AtomicUsize::new(0));
    let control = RunControl::new(Arc::new({
        let progress = progress.clone();
        move || {
            progress.fetch_add(1, Ordering::Relaxed);
        }
    }));
    control.set_budget(Some(10_000_019), None);
    let receiving = silent();
    let mut senders = Vec::new();
    let mut receivers = Vec::new();
    for _ in 0..2 {
        let (one, two) = tcp_pair();
        senders.push(
            spawn(
                task(one, Duty::Send, Protocol::Tcp, 131_072),
                control.clone(),
            )
            .unwrap(),
        );
        receivers.push(
            spawn(
                task(two, Duty::Receive, Protocol::Tcp, 131_072),
                receiving.clone(),
            )
            .unwrap(),
        );
    }
    receiving.start();
    control.start();
    wait_until("budget", || control.budget_exhausted());
    control.stop();
    wait_until("senders", || senders.iter().all(StreamHandle::is_finished));
    receiving.stop();
    let sum = |handles: Vec<StreamHandle>| {
        handles
            .into_iter()
            .map(|h| h.join().snapshot.bytes)
            .sum::<u64>()
    };
    assert_eq!(sum(senders), 10_000_019);
    assert_eq!(sum(receivers), 10_000_019);
    assert!(
        progress.load(Ordering::Relaxed) >= 3,
        "the budget's end and two streams' ends"
    );
}

#[test]
fn a_sender_ends_with_the_budget_and_not_before_the_others() {
    let control = silent();
    control.set_budget(Some(20_000_000), None);
    let (quick, mut quick_peer) = tcp_pair();
    let (slow, mut slow_peer) = tcp_pair();
    // The slow one holds the last reserved block back for as long as nobody reads.
    let slow = spawn(
        task(slow, Duty::Send, Protocol::Tcp, 1 << 20),
        control.clone(),
    )
    .unwrap();
    control.start();
    let mut before = 0;
    wait_until("the slow one is full", || {
        let now = slow.snapshot().bytes;
        let full = now > 0 && now == before;
        before = now;
        after(60);
        full
    });
    let quick = spawn(
        task(quick, Duty::Send, Protocol::Tcp, 131_072),
        control.clone(),
    )
    .unwrap();
    let sink = std::thread::spawn(move || std::io::copy(&mut quick_peer, &mut std::io::sink()));
    wait_until("all is reserved", || {
        quick.snapshot().bytes + slow.snapshot().bytes + (1 << 20) >= 20_000_000
    });
    after(50);
    assert!(!control.budget_exhausted() && !quick.is_finished() && !slow.is_finished());
    let rest = std::thread::spawn(move || std::io::copy(&mut slow_peer, &mut std::io::sink()));
    wait_until("both end", || quick.is_finished() && slow.is_finished());
    assert!(control.budget_exhausted());
    let (quick, slow) = (quick.join(), slow.join());
    assert_eq!(quick.snapshot.bytes + slow.snapshot.bytes, 20_000_000);
    let arrived = sink.join().unwrap().unwrap() + rest.join().unwrap().unwrap();
    assert_eq!(arrived, 20_000_000);
}

#[test]
fn tcp_block_budget_counts_whole_blocks() {
    let (one, mut two) = tcp_pair();
    let control = silent();
    control.set_budget(None, Some(7));
    let sender = spawn(
        task(one, Duty::Send, Protocol::Tcp, 10_000),
        control.clone(),
    )
    .unwrap();
    control.start();
    wait_until("sender", || sender.is_finished());
    assert!(control.budget_exhausted());
    assert_eq!(sender.join().snapshot.bytes, 70_000);
    let mut all = Vec::new();
    two.read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), 70_000);
}

#[test]
fn a_budget_after_the_omitted_part_is_exact_from_the_mark() {
    let (one, mut two) = tcp_pair();
    let control = silent();
    let sender = spawn(task(one, Duty::Send, Protocol::Tcp, 4096), control.clone()).unwrap();
    let sink = std::thread::spawn(move || std::io::copy(&mut two, &mut std::io::sink()).unwrap());
    control.start();
    wait_until("omitted data", || sender.snapshot().bytes > 100_000);
    assert_eq!(sender.marked(), None);
    assert!(!control.budget_exhausted());
    control.set_budget(Some(50_001), None);
    wait_until("sender", || sender.is_finished());
    let marked = sender.marked().unwrap();
    let outcome = sender.join();
    assert_eq!(outcome.snapshot.since(&marked).bytes, 50_001);
    assert_eq!(sink.join().unwrap(), outcome.snapshot.bytes);
}

#[test]
fn a_blocked_sender_stops_in_time() {
    let (one, _peer_that_never_reads) = tcp_pair();
    let control = silent();
    let sender = spawn(
        task(one, Duty::Send, Protocol::Tcp, 131_072),
        control.clone(),
    )
    .unwrap();
    control.start();
    let mut before = u64::MAX;
    wait_until("full", || {
        let now = sender.snapshot().bytes;
        let full = now > 0 && now == before;
        before = now;
        after(60);
        full
    });
    let begun = Instant::now();
    control.stop();
    wait_until("sender", || sender.is_finished());
    assert!(
        begun.elapsed() < Duration::from_millis(150),
        "{:?}",
        begun.elapsed()
    );
    assert!(sender.join().error.is_none());
}

#[test]
fn a_peer_that_closes_ends_a_receiver_quietly_and_a_sender_with_the_cause() {
    let (one, two) = tcp_pair();
    let control = silent();
    let receiver = spawn(
        task(one, Duty::Receive, Protocol::Tcp, 1000),
        control.clone(),
    )
    .unwrap();
    control.start();
    (&two).write_all(&[1; 12_345]).unwrap();
    drop(two);
    wait_until("receiver", || receiver.is_finished());
    let outcome = receiver.join();
    assert_eq!(outcome.snapshot.bytes, 12_345);
    assert!(outcome.error.is_none());

    let (one, two) = tcp_pair();
    let sender = spawn(task(one, Duty::Send, Protocol::Tcp, 1000), control.clone()).unwrap();
    drop(two);
    wait_until("sender", || sender.is_finished());
    assert!(sender.join().error.is_some());
}

#[test]
fn stopped_before_the_start_nothing_is_sent() {
    let (one, mut two) = tcp_pair();
    let control = silent();
    let sender = spawn(task(one, Duty::Send, Protocol::Tcp, 1000), control.clone()).unwrap();
    control.stop();
    control.start();
    let outcome = sender.join();
    assert_eq!(
        (outcome.snapshot, outcome.error.is_none()),
        (Snapshot::default(), true)
    );
    assert_eq!(two.read(&mut [0; 10]).unwrap(), 0);
}

#[test]
fn field_report_018_tcp_at_one_kilobit_really_trickles() {
    let (one, _two) = tcp_pair();
    let control = silent();
    let paced = StreamTask {
        bitrate: Some(1000),
        ..task(one, Duty::Send, Protocol::Tcp, 131_072)
    };
    let sender = spawn(paced, control.clone()).unwrap();
    control.start();
    after(1000);
    control.stop();
    let bytes = sender.join().snapshot.bytes;
    assert!(
        (100..=150).contains(&bytes),
        "1 kbit/s is 125 bytes a second, not {bytes}"
    );
}

/// Gaps between arrivals and their count, by a receiver that only looks at the clock.
fn paced_udp(bitrate: u64, burst: u32, block: usize, milliseconds: u64) -> (u64, Vec<Duration>) {
    let (one, two) = udp_pair();
    let control = silent();
    let paced = StreamTask {
        bitrate: Some(bitrate),
        burst,
        ..task(one, Duty::Send, Protocol::Udp, block)
    };
    let sender = spawn(paced, control.clone()).unwrap();
    two.set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut arrivals = Vec::new();
        let mut buffer = vec![0; 65536];
        while two.recv(&mut buffer).is_ok() {
            arrivals.push(Instant::now());
        }
        arrivals
    });
    control.start();
    after(milliseconds);
    control.stop();
    let sent = sender.join().snapshot.packets;
    let arrivals = reader.join().unwrap();
    (
        sent,
        arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect(),
    )
}

#[test]
fn field_report_019_slow_udp_has_the_right_number_of_datagrams() {
    // -u -b 10k -l 1340 for 10 s, ten times as fast: 9 or 10.
    let (sent, _) = paced_udp(100_000, 0, 1340, 1000);
    assert!((9..=10).contains(&sent), "{sent}");
}

#[test]
fn field_report_020_udp_leaves_evenly() {
    let (sent, mut gaps) = paced_udp(1_000_000, 0, 1000, 800);
    assert!((98..=101).contains(&sent), "{sent}");
    gaps.sort();
    let median = gaps[gaps.len() / 2].as_secs_f64() * 1000.0;
    assert!((7.5..=8.5).contains(&median), "{median} ms");
}

#[test]
fn field_report_021_a_burst_keeps_the_average() {
    let (sent, _) = paced_udp(10_000_000, 10, 1250, 500);
    // 1000 datagrams a second in tens: 500, and the burst at the start.
    assert!((480..=510).contains(&sent) && sent % 10 == 0, "{sent}");
}

#[test]
fn udp_budgets_are_exact_and_arrive() {
    for (bytes, blocks, expected) in [(None, Some(100), 100), (Some(100_000), None, 70)] {
        let (one, two) = udp_pair();
        let (sending, receiving) = (silent(), silent());
        sending.set_budget(bytes, blocks);
        let paced = StreamTask {
            bitrate: Some(100_000_000),
            ..task(one, Duty::Send, Protocol::Udp, 1448)
        };
        let receiver = spawn(
            task(two, Duty::Receive, Protocol::Udp, 1448),
            receiving.clone(),
        )
        .unwrap();
        let sender = spawn(paced, sending.clone()).unwrap();
        receiving.start();
        sending.start();
        wait_until("budget", || {
            sending.budget_exhausted() && sender.is_finished()
        });
        receiving.stop();
        let (sent, received) = (sender.join().snapshot, receiver.join().snapshot);
        assert_eq!((sent.packets, sent.bytes), (expected, expected * 1448));
        assert_eq!(
            (received.packets, received.bytes, received.lost),
            (expected, expected * 1448, 0)
        );
        assert_eq!(received.socket_drops, Some(0));
    }
}

#[test]
fn udp_flood_counts_add_up() {
    let (one, two) = udp_pair();
    let (sending, receiving) = (silent(), silent());
    let wide = |task: StreamTask| StreamTask {
        udp_64bit: true,
        ..task
    };
    let receiver = spawn(
        wide(task(two, Duty::Receive, Protocol::Udp, 1448)),
        receiving.clone(),
    )
    .unwrap();
    let sender = spawn(
        wide(task(one, Duty::Send, Protocol::Udp, 1448)),
        sending.clone(),
    )
    .unwrap();
    receiving.start();
    sending.start();
    after(200);
    sending.stop();
    wait_until("sender", || sender.is_finished());
    receiving.stop();
    let (sent, received) = (sender.join(), receiver.join());
    assert!(
        sent.error.is_none() && received.error.is_none(),
        "{sent:?} {received:?}"
    );
    let (sent, received) = (sent.snapshot, received.snapshot);
    assert!(
        sent.packets > 1000 && received.packets > 1000,
        "{sent:?} {received:?}"
    );
    assert_eq!(received.bytes, received.packets * 1448);
    assert_eq!(received.packets + received.lost, received.highest_seq);
    assert_eq!((received.out_of_order, received.duplicates), (0, 0));
    // Loopback loses nothing else: what did not arrive was dropped by the full socket. The kernel counts merged ones
    // as one, so this is near and not exact.
    let (missing, dropped) = (
        sent.packets - received.packets,
        received.socket_drops.unwrap(),
    );
    assert!(
        missing.abs_diff(dropped) * 20 <= missing.max(100),
        "{missing} missing, {dropped} dropped"
    );
}

/// Plays datagrams with these numbers to a receiving stream.
fn play(numbers: &[u64], extra: impl FnOnce(&UdpSocket, &UdpSocket)) -> (Snapshot, u64) {
    let (peer, two) = udp_pair();
    let foreigner = UdpSocket::bind("127.0.0.1:0").unwrap();
    let control = silent();
    let receiver = spawn(
        task(two, Duty::Receive, Protocol::Udp, 1000),
        control.clone(),
    )
    .unwrap();
    control.start();
    let mut datagram = vec![0x55; 1000];
    for (count, number) in numbers.iter().enumerate() {
        Header {
            sent_ns: 5,
            sequence: *number,
        }
        .write(&mut datagram, Width::Bits32);
        peer.send(&datagram).unwrap();
        if count % 50 == 49 {
            // A default receive buffer holds a few hundred of them.
            wait_until("received so far", || {
                let seen = receiver.snapshot();
                seen.packets + seen.duplicates > count as u64
            });
        }
    }
    extra(&peer, &foreigner);
    control.stop();
    wait_until("receiver", || receiver.is_finished());
    let malformed = receiver.malformed();
    (receiver.join().snapshot, malformed)
}

#[test]
fn field_report_025_a_reordering_path() {
    let mut numbers: Vec<u64> = (1..=1000).collect();
    for pair in 0..40 {
        numbers.swap(10 + pair * 20, 11 + pair * 20);
    }
    let (seen, _) = play(&numbers, |_, _| ());
    assert_eq!((seen.lost, seen.out_of_order, seen.duplicates), (0, 40, 0));
    assert_eq!(
        (seen.packets, seen.bytes, seen.highest_seq),
        (1000, 1_000_000, 1000)
    );
}

#[test]
fn field_report_026_loss_duplicates_and_a_swap() {
    let mut numbers: Vec<u64> = (1..=1000)
        .filter(|number| !(100..130).contains(number))
        .collect();
    let at = numbers.iter().position(|number| *number == 500).unwrap();
    numbers.swap(at, at + 1);
    numbers.splice(600..600, [250; 5]);
    let (seen, _) = play(&numbers, |_, _| ());
    assert_eq!((seen.lost, seen.duplicates, seen.out_of_order), (30, 5, 1));
    assert_eq!(
        (seen.packets, seen.bytes),
        (970, 970_000),
        "each datagram counts once"
    );
}

#[test]
fn short_and_foreign_datagrams_are_not_data() {
    let (seen, malformed) = play(&[1, 2, 4, 3], |peer, foreigner| {
        for size in 0..12 {
            peer.send(&vec![0xff; size]).unwrap();
        }
        // A repeated hello, number 0, and an absurd number.
        peer.send(b"9876").unwrap();
        let mut datagram = [0; 64];
        for sequence in [0, 0xffff_ff00] {
            Header {
                sent_ns: 5,
                sequence,
            }
            .write(&mut datagram, Width::Bits32);
            peer.send(&datagram).unwrap();
        }
        // Another sender at the same address: the socket is connected to its peer.
        Header {
            sent_ns: 5,
            sequence: 900,
        }
        .write(&mut datagram, Width::Bits32);
        foreigner
            .send_to(&datagram, peer.peer_addr().unwrap())
            .unwrap();
    });
    assert_eq!((seen.packets, seen.bytes, seen.highest_seq), (4, 4000, 4));
    assert_eq!((seen.lost, seen.out_of_order), (0, 1));
    assert_eq!(malformed, 15);
}

#[test]
fn datagrams_on_the_way_at_the_stop_still_count() {
    let (peer, two) = udp_pair();
    let control = silent();
    let receiver = spawn(
        task(two, Duty::Receive, Protocol::Udp, 100),
        control.clone(),
    )
    .unwrap();
    control.start();
    control.stop();
    after(20);
    let mut datagram = [0; 100];
    Header {
        sent_ns: 5,
        sequence: 1,
    }
    .write(&mut datagram, Width::Bits32);
    peer.send(&datagram).unwrap();
    let begun = Instant::now();
    wait_until("receiver", || receiver.is_finished());
    assert!(
        begun.elapsed() < Duration::from_millis(400),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(receiver.join().snapshot.packets, 1);
}

#[test]
fn blocks_that_no_loop_can_work_with_are_refused() {
    for (protocol, size) in [
        (Protocol::Udp, 0),
        (Protocol::Udp, 11),
        (Protocol::Udp, 65_508),
        (Protocol::Tcp, 0),
        (Protocol::Tcp, (1 << 20) + 1),
    ] {
        let (one, _two) = udp_pair();
        let error = spawn(task(one, Duty::Send, protocol, size), silent()).unwrap_err();
        assert!(
            error.to_string().contains(&format!("{size} bytes")),
            "{error}"
        );
    }
}

#[test]
fn a_thread_runs_on_its_cpu_or_says_why_not() {
    let last = *crate::sock::allowed_cpus().unwrap().last().unwrap();
    for (cpu, works) in [(last, true), (5000, false)] {
        let (one, mut two) = tcp_pair();
        let control = silent();
        control.set_budget(Some(1000), None);
        let pinned = StreamTask {
            cpu: Some(cpu),
            ..task(one, Duty::Send, Protocol::Tcp, 1000)
        };
        let sender = spawn(pinned, control.clone()).unwrap();
        control.start();
        let mut all = Vec::new();
        let outcome = sender.join();
        two.read_to_end(&mut all).unwrap();
        assert_eq!(
            (outcome.error.is_none(), all.len() == 1000),
            (works, works),
            "{outcome:?}"
        );
    }
}
