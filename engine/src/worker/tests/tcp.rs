//! A byte stream's counts, ends and pacing.

use super::*;
use crate::stats::Snapshot;
use std::io::{Read, Write};

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
    let begun_all = Instant::now();
    receiving.start();
    sending.start();
    after(200);
    let begun = Instant::now();
    sending.stop();
    wait_until("sender ends", || sender.is_finished());
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    wait_until("all is delivered", || sender.unacked() == Some(0));
    receiving.stop();
    wait_until("receiver drains", || receiver.is_finished());
    assert!(sender.tcp_info().unwrap().snd_cwnd > 0);
    assert_eq!(sender.unacked(), Some(0), "the receiver took everything");
    let (first, last) = receiver.first_last();
    let span = last.unwrap() - first.unwrap();
    assert!(
        span > Duration::from_millis(100) && span <= begun_all.elapsed(),
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
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
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
fn report_018_tcp_at_one_kilobit_really_trickles() {
    // 1 kbit/s is 125 bytes a second: pieces of 16 bytes, the first at once.
    let nominal = Duration::from_millis(128) * 7;
    let mut seen = Vec::new();
    for _ in 0..10 {
        let (one, _two) = tcp_pair();
        let control = silent();
        control.set_budget(Some(8 * 16), None);
        let paced = with(task(one, Duty::Send, Protocol::Tcp, 131_072), |load| {
            load.bitrate = Some(1000);
        });
        let sender = spawn(paced, control.clone()).unwrap();
        control.start();
        wait_until("the budget is used up", || sender.is_finished());
        let (first, last) = sender.first_last();
        let took = last.unwrap() - first.unwrap();
        assert!(
            took >= nominal,
            "faster than asked: {took:?} of {nominal:?}"
        );
        // A loaded machine may be late, but not every time.
        if took <= nominal.mul_f64(1.02) {
            return;
        }
        seen.push(took);
    }
    panic!("not once was it {nominal:?}: {seen:?}");
}

/// Both ends' times are on one clock here: what was read last was not written later, however the threads were
/// scheduled, or the receiver's rate would be above the sender's for the same bytes.
#[test]
fn a_sender_is_never_done_after_its_receiver() {
    for _ in 0..20 {
        let (one, two) = tcp_pair();
        let (sending, receiving) = (silent(), silent());
        let duty = |socket, duty| task(socket, duty, Protocol::Tcp, 131_072);
        let sender = spawn(duty(one, Duty::Send), sending.clone()).unwrap();
        let receiver = spawn(duty(two, Duty::Receive), receiving.clone()).unwrap();
        receiving.start();
        sending.start();
        // On a loaded machine the threads may not run for a while.
        wait_until("data moves", || sender.snapshot().bytes > 0);
        after(10);
        sending.stop();
        wait_until("sender ends", || sender.is_finished());
        // As a session does: what the receiver's full buffer holds up is not with it yet.
        wait_until("all is delivered", || sender.unacked() == Some(0));
        receiving.stop();
        wait_until("receiver drains", || receiver.is_finished());
        assert_eq!(sender.snapshot().bytes, receiver.snapshot().bytes);
        let (sent, received) = (sender.first_last().1, receiver.first_last().1);
        assert!(sent.is_some() && sent <= received, "{sent:?} {received:?}");
    }
}
