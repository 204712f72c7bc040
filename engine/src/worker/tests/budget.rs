//! `-n` and `-k` over real streams.

use super::*;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// A stock client of a reverse UDP test waits for what was lost.
#[test]
fn report_003_lost_datagrams_are_topped_up_for_a_peer_that_waits() {
    let (one, two) = udp_pair();
    two.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let control = silent();
    control.set_budget(None, Some(3));
    control.top_up();
    let paced = with(task(one, Duty::Send, Protocol::Udp, 1000), |load| {
        load.bitrate = Some(1_000_000);
    });
    let sender = spawn(paced, control.clone()).unwrap();
    control.start();
    let mut datagram = [0; 2000];
    for _ in 0..3 {
        two.recv(&mut datagram).unwrap();
    }
    assert!(sender.snapshot().packets <= 3);
    wait_until("the budget is used up", || control.budget_exhausted());
    // One was lost, as far as the peer knows.
    two.recv(&mut datagram).unwrap();
    control.stop();
    wait_until("the sender ends", || sender.is_finished());
    assert!(sender.join().snapshot.packets >= 4);
}
